// Owns the slow half of an extraction, which writes nothing: it removes secrets, extracts items, embeds them, and compares them with the
// memories of the project.

import { describeInput, textsWith } from "../../../memory/extraction/extraction-source.ts";
import type {
  Extraction,
  ExtractionSource,
  Extractor,
  FindNear,
} from "../../../memory/extraction/extractor.ts";
import { addRedactions } from "../../../memory/extraction/redactor.ts";
import { contentKey, toSearched } from "../../../memory/memory.ts";
import { type ErrorCode, Refusal } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import { embeddingsAtOnce } from "../../../platform/limits.ts";
import { isBlank } from "../../../platform/text/characters.ts";
import { counted } from "../../../platform/text/plural.ts";
import type { Preparation } from "../../contract/operation.ts";
import { batchesOf, compareItems, uncompared } from "./compare-items.ts";
import type { Candidate } from "./comparison-set.ts";
import { createFindNear } from "./near-memories.ts";

/** Throws the error again, a refusal with these details; `code`: only that one. */
export function recording(details: JsonObject, code?: ErrorCode): (error: unknown) => never {
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
export async function findCandidates(
  source: ExtractionSource,
  extractor: Extractor,
  scope: readonly string[] | null,
  preparation: Preparation,
) {
  const { report } = preparation;
  const reportCompared = (part: number) =>
    report(
      embeddedShare + (1 - embeddedShare) * part,
      "Comparing the items with the memories of the project",
    );
  const findNear = scope === null ? null : createFindNear(scope, preparation);
  const { input, items, said, model, usage, redacted, leftOut } = await extractWithoutSecrets(
    source,
    extractor,
    findNear,
    preparation,
  );
  const vectors = await embedAll(items, preparation);
  const compared =
    scope === null || source.detail === "verbatim"
      ? uncompared
      : await compareItems(items, vectors, scope, preparation, reportCompared);
  const { now, extractors } = preparation;
  const passagesEnd = extractors.passagesLastMs === null ? null : now + extractors.passagesLastMs;
  const candidates = items.map((item, at): Candidate => {
    const vector = vectors[at];
    if (vector === undefined) throw new Error("an item has no vector");
    const { found, similarItems, nearMatches } = compared;
    const similar = {
      found: found[at] ?? [],
      similarItems: similarItems[at] ?? null,
      nearMatches: nearMatches[at] ?? [],
    };
    const { passage = false } = item;
    const expiresAt = passage ? passagesEnd : item.expiresAt;
    return { ...item, ...similar, vector, expiresAt, contentKey: contentKey(item.content, { passage }) };
  });
  const read = {
    input,
    said,
    extractor: extractor.name,
    detail: source.detail,
    model,
    usage,
    redacted,
    leftOut,
  };
  return { ...read, revision: compared.revision, candidates };
}

/** Secrets are removed before any extractor reads the text, and items are checked, because a language model writes them itself. */
async function extractWithoutSecrets(
  given: ExtractionSource,
  extractor: Extractor,
  findNear: FindNear | null,
  preparation: Preparation,
) {
  const { caller, redactor, now, signal, report } = preparation;
  const waiter = { project: caller.project.id, signal };
  report(0, "Reading the text");
  const { source, redacted } = await redactor.redactSource(given, waiter);
  const input = describeInput(source);
  const onRead = (part: number) => report(part * readShare, "Reading the text");
  const extraction = isBlank(source.text)
    ? Promise.resolve(nothingFound)
    : extractor.extract(source, now, waiter, { onRead, ...(findNear === null ? {} : { findNear }) });
  const {
    items,
    model,
    usage,
    leftOut = [],
  } = await extraction.catch(recording({ input_content: input }, 2103));
  const checked = await redactor.redactItems(items, waiter);
  const said = checked.items.map(({ evidence }) => textsWith(source, evidence));
  return {
    input,
    items: checked.items,
    said,
    model,
    usage,
    leftOut,
    redacted: addRedactions(redacted, checked.redacted),
  };
}

const nothingFound: Extraction = { items: [], model: null, usage: null };

async function embedAll(
  items: Extraction["items"],
  { embed, signal, report }: Preparation,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (const batch of batchesOf(items, embeddingsAtOnce, signal)) {
    const share = readShare + (embeddedShare - readShare) * (vectors.length / items.length);
    report(share, `Embedding ${counted(items.length, "item")}`);
    vectors.push(
      ...(await Promise.all(
        batch.map(({ content, lead = null }) => embed(toSearched({ lead, content }), "passage")),
      )),
    );
  }
  return vectors;
}
