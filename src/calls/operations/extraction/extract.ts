// Owns extraction: it finds memories in a text, compares each with the memories of the project and with the others of the call, and
// stores them. A call stores all of its items or none.

import { Type } from "@sinclair/typebox";
import { extractionCost, free } from "../../../access/price.ts";
import type { MadeOfTexts } from "../../../audit/parts/made-of.ts";
import { type ReadText, readExtractionSource } from "../../../memory/extraction/extraction-source.ts";
import {
  chooseExtractor,
  countLeftOut,
  defaultDetail,
  extractionDetails,
  extractorNames,
  leftOutReasons,
} from "../../../memory/extraction/extractor.ts";
import { messages } from "../../../memory/extraction/messages.ts";
import { NewMetadata, toMetadata } from "../../../memory/metadata.ts";
import type { RememberedPart } from "../../../memory/remembering/task.ts";
import { Tags, toTags } from "../../../memory/tags.ts";
import { extractionTextMaxCharacters } from "../../../platform/limits.ts";
import {
  AnyText,
  atLeastOne,
  Choice,
  Count,
  Fields,
  Flag,
  notTogether,
} from "../../../platform/schema/schema.ts";
import { projectOperation } from "../../contract/operation.ts";
import { charge } from "../access/credits.ts";
import { type Outcome, storeItems } from "./deduplicate.ts";
import { findCandidates, recording } from "./extraction-candidates.ts";
import { exampleExtraction, extractionItem, toExtractionItem } from "./extraction-item.ts";

const exampleText = "Ana: We decided that releases go out on Tuesdays. Lovely weather today!";

export const extractMemories = projectOperation({
  name: "memory.extract",
  summary: "Extract memories from text",
  description:
    "Finds memories in a text, a transcript or the messages of a conversation and stores them. The similarity of an item and an active, unexpired memory is the cosine of their embeddings, each joined with the trigrams of the words. Above 0.98, the item is skipped; above 0.90, it updates that memory; otherwise it becomes a new memory. An item with another word, number or negation is never above 0.98. An update changes the content, and the expiry if the item has one; type and importance stay. Inactive memories are not compared: what they say is stored again. With tags, the new memories get them, only memories that have all of them are updated, and so does the memory that a skipped item duplicates. Items of one call are also compared with each other. With deduplicate false, only items whose text is already stored are skipped. A language model is shown the memories that are nearest to the text, if the key can read memories; an item can then replace one of them, and must quote words of both. The replacement is suggested, or done at once if the operator has configured that. With dry_run true, nothing is stored; a dry run is free with the built-in extractor and costs as much as a normal call with a language model, unless the operator has configured otherwise. A call stores all of its items or none.",
  effects: { readOnly: false, destructive: true, idempotent: false },
  permission: "memory.write",
  forSubjects: true,
  forConversations: true,
  passages: {
    stores: ({ detail = defaultDetail }, extractors) =>
      chooseExtractor(extractors, detail).detail === "verbatim",
  },
  namesItsRecord: true,
  feature: "memory",
  mayRunLong: true,
  refusals: [1402, 2101, 2103],
  input: Fields(
    {
      text: Type.Optional(
        AnyText({
          maxLength: extractionTextMaxCharacters,
          description:
            "Prose, notes, an e-mail, or a transcript with lines such as `Ana: ...`. Required without messages, and cannot be combined with them.",
          examples: [exampleText],
        }),
      ),
      messages: Type.Optional(
        messages(
          "A conversation in the form of chat APIs, instead of text. The roles say who speaks. The messages of user and assistant may have 50,000 characters together; all others are ignored.",
        ),
      ),
      tags: Type.Optional(
        Tags(
          "Tags of the memories that the call creates. The memory that a skipped item duplicates gets them, too, unless it would have more than 16, or is a rule without tags, which applies to the whole project.",
        ),
      ),
      metadata: NewMetadata(
        "Metadata of the memories that the call creates. Others keep theirs, and are compared whatever it is.",
      ),
      detail: Type.Optional(
        Choice(extractionDetails, {
          title: "ExtractionDetail",
          default: defaultDetail,
          description:
            "essential: what stays useful for months, such as rules, decisions and preferences. verbatim: everything that user and assistant say, word for word, as contexts that expire. full: every statement about a person, a thing, a plan or an event; it needs a language model, and is verbatim without one.",
        }),
      ),
      deduplicate: Flag(
        "Whether items are compared with the memories of the project and skipped or merged when they are similar.",
        true,
      ),
      dry_run: Flag("Whether to return what would be stored, without storing it.", false),
    },
    { ...atLeastOne(["text", "messages"]), ...notTogether("text", "messages") },
  ),
  output: Fields(
    {
      extracted: Type.Array(extractionItem),
      deduplicated: Count("Items that were skipped."),
      updated: Count("Memories that were updated."),
      extractor: Choice(extractorNames, {
        title: "ExtractorName",
        description:
          "llm: the language model that the operator has configured. built-in: rules and word lists, without a language model.",
      }),
      detail: Type.Optional(
        Choice(extractionDetails, {
          description:
            "verbatim, if full was asked for and no language model is configured; otherwise absent.",
        }),
      ),
      left_out: Type.Optional(
        Type.Array(
          Fields(
            {
              reason: Choice(leftOutReasons, {
                title: "LeftOutReason",
                description:
                  "wrong-form: an item is incomplete, or its values mean nothing. not-quoted: what an item quotes is not in the text. not-storable: its content cannot be one of a memory, or its expiry has passed. too-many: it is beyond the limit of one answer. cut-off: an answer has no end; what is complete in it counts. Of the other reasons the item counts, and only its replacement does not. unknown-memory: of a memory that the model was not shown. memory-not-quoted: what it quotes is not in that memory. memory-changed: the memory was changed meanwhile, or replaced by another item. said-earlier: the memory was said after the text.",
              }),
              count: Type.Integer({ minimum: 1, description: "How often." }),
            },
            { title: "LeftOut" },
          ),
          {
            description:
              "What the language model has answered and was not done, because it was not usable or not quoted. Absent if there was nothing.",
          },
        ),
      ),
      redacted: Type.Optional(
        Type.Array(
          Fields(
            {
              kind: Type.String({
                description: "What it is, such as github, jwt, private-key, password or url-credentials.",
                examples: ["password"],
              }),
              count: Type.Integer({ minimum: 1, description: "Number of secrets of this kind." }),
            },
            { title: "Redaction" },
          ),
          {
            description:
              "Keys, tokens, passwords and private keys that were removed before the extraction. A sentence with one becomes no memory; of an address only user name and password are removed. Absent if there were none.",
          },
        ),
      ),
    },
    { title: "Extraction" },
  ),
  example: {
    input: { text: exampleText },
    data: {
      extracted: [exampleExtraction],
      deduplicated: 0,
      updated: 0,
      extractor: "built-in",
    },
  },

  async prepare({ deduplicate = true, dry_run = false, tags = [], metadata, ...given }, preparation) {
    toMetadata(metadata);
    const { prices, extractors } = preparation;
    const { extractor, detail } = chooseExtractor(extractors, given.detail ?? defaultDetail);
    const { conversation } = preparation.caller;
    const source = readExtractionSource({ ...given, conversation: conversation?.name ?? null, detail });
    const isFree = dry_run && (extractor.name === "built-in" || !prices.chargeDryRuns);
    const cost = isFree ? free : extractionCost(prices);
    await preparation.reserve(cost);
    const scope = deduplicate ? toTags(tags) : null;
    return {
      cost,
      replacesAtOnce: extractor.replacesAtOnce ?? false,
      ...(await preparation.inTurn(() => findCandidates(source, extractor, scope, preparation))),
    };
  },

  async apply(transaction, { dry_run = false, tags = [], metadata, detail }, prepared, application) {
    const { candidates, revision, cost } = prepared;
    const { replacesAtOnce } = prepared;
    const scope = { tags: toTags(tags), metadata: toMetadata(metadata), replacesAtOnce };
    const store = () => storeItems(transaction, candidates, revision, { ...application, ...scope });
    const read = { model_id: prepared.model, input_content: prepared.input };
    const settle = async () => {
      const stored = dry_run ? await transaction.dryRun(store) : await store();
      await charge(transaction.access, application.caller.project, cost);
      return stored;
    };
    const { outcomes, suggestions, leftOut, after } = await settle().catch(recording(read));
    const created = outcomes.flatMap(({ action, memoryId, former }) => [
      ...(action === "created" ? [memoryId] : []),
      ...(former === null ? [] : [former.memory.id]),
    ]);
    const unstored = new Set(dry_run ? created : []);
    const extracted = outcomes.map((outcome) => toExtractionItem(outcome, unstored, dry_run));
    const leftOutInAll = countLeftOut([...prepared.leftOut, ...leftOut]);
    const count = (wanted: Outcome["action"]) => outcomes.filter(({ action }) => action === wanted).length;
    return {
      data: {
        extracted,
        deduplicated: count("skipped"),
        updated: count("updated"),
        extractor: prepared.extractor,
        ...(prepared.detail !== (detail ?? defaultDetail) && { detail: prepared.detail }),
        ...(prepared.redacted.length > 0 && { redacted: prepared.redacted }),
        ...(leftOutInAll.length > 0 && { left_out: leftOutInAll }),
      },
      cost,
      ...(!dry_run && after.length > 0 && { after }),
      made: dry_run ? [] : toMade(outcomes, prepared.said, application.origin.remembers),
      details: {
        ...read,
        ...(!dry_run && suggestions.length > 0 && { suggestions: [...suggestions] }),
        output_content: { items: extracted, usage: prepared.usage === null ? null : { ...prepared.usage } },
      },
    };
  },
});

/** Of an answer of the gateway, the record of the answer is the source, and not the copy of its words in the record of this call. */
function toMade(
  outcomes: readonly Outcome[],
  said: readonly (readonly ReadText[])[],
  remembers: RememberedPart | undefined,
): readonly MadeOfTexts[] {
  return outcomes.flatMap(({ action, memoryId: memory, former }, item): MadeOfTexts[] => {
    const texts = said[item] ?? [];
    if (former !== null && former.madeOf !== null) return [{ memory: former.memory.id, ...former.madeOf }];
    if (action !== "created") return [];
    if (remembers === undefined) return [{ memory, at: texts.map(({ at }) => at) }];
    const { record, sources } = remembers;
    const parts = texts.flatMap(({ speaker }) => (speaker === null ? [] : sources[speaker]));
    return [{ memory, record, parts: [...new Set(parts)].toSorted((one, other) => one - other) }];
  });
}
