// Owns extraction: it finds memories in a text, compares each with the memories of the project and with the others of the call, and
// stores them. A call stores all of its items or none.

import { Type } from "@sinclair/typebox";
import { charge, extractionCost, free } from "../access/credits.ts";
import { type Preparation, projectOperation } from "../calls/operation.ts";
import { type ErrorCode, Refusal } from "../errors.ts";
import type { JsonObject } from "../json/json.ts";
import { comparedAtOnce, embeddingsAtOnce, extractionTextMaxCharacters } from "../limits.ts";
import { cancelled } from "../scheduling/cancellation.ts";
import { Choice, Fields, Text } from "../schema/schema.ts";
import { counted } from "../text/plural.ts";
import { type Candidate, type Outcome, storeItems, updateAboveSimilarity } from "./deduplicate.ts";
import { exampleExtraction, extractionItem, toExtractionItem } from "./extraction-item.ts";
import { describeInput, readExtractionSource } from "./extraction-source.ts";
import { type Extraction, type ExtractionSource, extractorNames } from "./extractor.ts";
import { contentKey } from "./memory.ts";
import { messages } from "./messages.ts";
import type { SimilarItems, SimilarMemory } from "./store.ts";
import { Tags, toTags } from "./tags.ts";

const exampleText = "Ana: We decided that releases go out on Tuesdays. Lovely weather today!";

export const extractMemories = projectOperation({
  name: "memory.extract",
  summary: "Extract memories from text",
  description:
    "Finds memories in a text, a transcript or the messages of a conversation and stores them. If the cosine similarity of an item and an unexpired memory is above 0.98, the item is skipped; above 0.90, the item updates that memory; otherwise it becomes a new memory. An update changes the content, and the expiry if the item has one; type and importance stay. An inactive memory is never changed: a similar item (above 0.90) is skipped. With tags, the new memories get them, only memories that have all of them are updated, and a memory because of which an item is skipped gets them, too. Items of one call are also compared with each other. With deduplicate false, only items whose text is already stored are skipped. With dry_run true, nothing is stored; a dry run is free with the built-in extractor and costs as much as a normal call with a language model, unless the operator has configured otherwise. A call stores all of its items or none.",
  effects: { readOnly: false, destructive: true, idempotent: false },
  permission: "memory.write",
  feature: "memory",
  mayRunLong: true,
  refusals: [1402, 2101, 2103],
  success: 200,
  input: Fields({
    text: Type.Optional(
      Text({
        maxLength: extractionTextMaxCharacters,
        description:
          "Prose, notes, an e-mail, or a transcript with lines such as `Ana: ...`. Required without messages.",
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
        "Tags of the memories that the call creates. A memory because of which an item is skipped gets them, too, unless it would have more than 16, is inactive, or is a rule without tags, which applies to the whole project.",
      ),
    ),
    deduplicate: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          "Whether items are compared with the memories of the project and skipped or merged when they are similar.",
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether to return what would be stored, without storing it.",
      }),
    ),
  }),
  output: Fields(
    {
      extracted: Type.Array(extractionItem),
      deduplicated: Type.Integer({ minimum: 0, description: "Items that were skipped." }),
      updated: Type.Integer({ minimum: 0, description: "Memories that were updated." }),
      extractor: Choice(extractorNames, {
        title: "ExtractorName",
        description:
          "llm: the language model that the operator has configured. built-in: rules and word lists, without a language model.",
      }),
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

  async prepare({ deduplicate = true, dry_run = false, tags = [], ...given }, preparation) {
    const { prices, extractor } = preparation;
    const source = readExtractionSource(given);
    const isFree = dry_run && (extractor.name === "built-in" || !prices.chargeDryRuns);
    const cost = isFree ? free : extractionCost(prices);
    await preparation.reserve(cost);
    const scope = deduplicate ? toTags(tags) : null;
    return { cost, ...(await preparation.inTurn(() => findCandidates(source, scope, preparation))) };
  },

  async apply(transaction, { dry_run = false, tags = [] }, prepared, application) {
    const { candidates, revision, cost } = prepared;
    const store = () => storeItems(transaction, candidates, revision, { ...application, tags: toTags(tags) });
    const read = { model_id: prepared.model, input_content: prepared.input };
    const settle = async () => {
      const stored = dry_run ? await transaction.rehearse(store) : await store();
      await charge(transaction.access, application.caller.project, cost);
      return stored;
    };
    const outcomes = await settle().catch(recording(read));
    const created = outcomes.filter(({ action }) => action === "created").map(({ memoryId }) => memoryId);
    const unstored = new Set(dry_run ? created : []);
    const extracted = outcomes.map((outcome) => toExtractionItem(outcome, unstored));
    const count = (wanted: Outcome["action"]) => outcomes.filter(({ action }) => action === wanted).length;
    return {
      data: {
        extracted,
        deduplicated: count("skipped"),
        updated: count("updated"),
        extractor: prepared.extractor,
      },
      cost,
      details: {
        ...read,
        output_content: { items: extracted, usage: prepared.usage === null ? null : { ...prepared.usage } },
      },
    };
  },
});

/** Throws the error again, a refusal with these details; `code`: only that one. */
function recording(details: JsonObject, code?: ErrorCode): (error: unknown) => never {
  return (error) => {
    const isRecorded = error instanceof Refusal && (code === undefined || code === error.code);
    throw isRecorded ? error.withDetails(details) : error;
  };
}

/** How much of the whole is done when the text has been read, and when its items have been embedded. */
const readShare = 0.6;
const embeddedShare = 0.8;

/**
 * The slow part: extracts items from the text, embeds them and compares them with the memories of the project. `scope`: the tags of the
 * call; null: the items are not compared.
 */
async function findCandidates(
  source: ExtractionSource,
  scope: readonly string[] | null,
  preparation: Preparation,
) {
  const { caller, extractor, now, signal, report } = preparation;
  const waiter = { project: caller.project.id, signal };
  const input = describeInput(source);
  report(0, "Reading the text");
  const onRead = (part: number) => report(part * readShare, "Reading the text");
  const extraction = extractor.extract(source, now, waiter, onRead);
  const { items, model, usage } = await extraction.catch(recording({ input_content: input }, 2103));
  const vectors = await embedAll(items, preparation);
  const compared = scope === null ? uncompared : await compare(vectors, scope, preparation);
  const candidates = items.map((item, at): Candidate => {
    const vector = vectors[at];
    if (vector === undefined) throw new Error("an item has no vector");
    const { found, similarItems } = compared;
    const similar = { found: found[at] ?? [], similarItems: similarItems[at] ?? null };
    return { ...item, ...similar, vector, contentKey: contentKey(item.content) };
  });
  return { input, extractor: extractor.name, model, usage, revision: compared.revision, candidates };
}

/** Batches are small, because other calls need the same threads. @throws Refusal 1503 when the client has left. */
function* batchesOf<Item>(items: readonly Item[], size: number, signal: AbortSignal): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) {
    if (signal.aborted) throw cancelled();
    yield items.slice(start, start + size);
  }
}

async function embedAll(
  items: Extraction["items"],
  { embed, signal, report }: Preparation,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (const batch of batchesOf(items, embeddingsAtOnce, signal)) {
    const share = readShare + (embeddedShare - readShare) * (vectors.length / items.length);
    report(share, `Embedding ${counted(items.length, "item")}`);
    vectors.push(...(await Promise.all(batch.map(({ content }) => embed(content, "passage")))));
  }
  return vectors;
}

/** `revision` is null when the items were not compared. */
interface Compared {
  readonly revision: number | null;
  readonly found: readonly (readonly SimilarMemory[])[];
  readonly similarItems: readonly SimilarItems[];
}

const uncompared: Compared = { revision: null, found: [], similarItems: [] };

/** The memories that are similar now; the transaction compares those that changed after `revision`. */
async function compare(
  vectors: readonly Float32Array[],
  tags: readonly string[],
  { store, caller: { project }, now, signal, report }: Preparation,
): Promise<Compared> {
  const matrix = toSharedMatrix(vectors);
  const dimensions = vectors[0]?.length ?? 0;
  let revision: number | null = null;
  const found: (readonly SimilarMemory[])[] = [];
  const similarItems: SimilarItems[] = [];
  for (const batch of batchesOf(vectors, comparedAtOnce, signal)) {
    const share = embeddedShare + (1 - embeddedShare) * (found.length / vectors.length);
    report(share, "Comparing the items with the memories of the project");
    const earlier = matrix.subarray(0, found.length * dimensions);
    const query = { vectors: batch, earlier, above: updateAboveSimilarity, tags, now };
    const compared = await store.memories.findSimilar(project, query, signal);
    // The revision of the first batch is the oldest.
    revision ??= compared.revision;
    found.push(...compared.found);
    similarItems.push(...compared.similarItems);
  }
  return { revision, found, similarItems };
}

/** Float32Array [vectors x dimensions] in shared memory. */
function toSharedMatrix(vectors: readonly Float32Array[]): Float32Array {
  const numbers = vectors.reduce((sum, { length }) => sum + length, 0);
  const matrix = new Float32Array(new SharedArrayBuffer(numbers * Float32Array.BYTES_PER_ELEMENT));
  let start = 0;
  for (const vector of vectors) {
    matrix.set(vector, start);
    start += vector.length;
  }
  return matrix;
}
