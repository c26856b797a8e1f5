// Owns what of a language model's answer counts: items whose evidence is in the text, and replacements that quote their memory. Must never
// return an item or a replacement that quotes nothing.

import type {
  ExtractedItem,
  ExtractionSource,
  LeftOutReason,
  NearMemory,
  Replacement,
} from "../../memory/extraction/extractor.ts";
import { contentMaxCharacters } from "../../platform/limits.ts";
import { countCharacters, isBlank } from "../../platform/text/characters.ts";
import type { TextRange } from "../../platform/text/passages.ts";
import { createQuotationFinder } from "./evidence.ts";
import type { LlmItem } from "./llm-answer.ts";
import { withoutJoiners } from "./llm-prompt.ts";
import type { PlacedItem } from "./merge-items.ts";
import { toOrigin } from "./origin.ts";

/** What a question was about. */
interface Asked {
  readonly source: ExtractionSource;
  /** The part of the source that was sent. */
  readonly chunk: TextRange;
  /** In the order of their numbers. */
  readonly memories: readonly NearMemory[];
  readonly now: number;
}

export function quotedItems(
  answered: readonly LlmItem[],
  { source, chunk, memories, now }: Asked,
): { readonly items: readonly PlacedItem[]; readonly leftOut: readonly LeftOutReason[] } {
  const part = source.text.slice(chunk.start, chunk.end);
  const find = createQuotationFinder(part);
  const leftOut: LeftOutReason[] = [];
  const items = answered.flatMap((item): PlacedItem[] => {
    const passage = find(item.evidence);
    const extracted = passage === null ? null : toExtracted(item, part, passage, now);
    if (passage === null || extracted === null) {
      leftOut.push(passage === null ? "not-quoted" : "not-storable");
      return [];
    }
    const replacement = item.replaces === null ? null : toReplacement(item.replaces, memories);
    if (typeof replacement === "string") leftOut.push(replacement);
    const isQuoted = replacement !== null && typeof replacement !== "string";
    const start = chunk.start + passage.start;
    const place = { start, end: chunk.start + passage.end };
    const replaces = isQuoted ? { replaces: [replacement] } : {};
    return [{ ...extracted, ...originAt(source, place), ...replaces, ...place }];
  });
  return { items, leftOut };
}

/** The numbers are those of one question, so that nothing that a text or a model says can name another memory. */
function toReplacement(
  { number, quote }: NonNullable<LlmItem["replaces"]>,
  memories: readonly NearMemory[],
): Replacement | LeftOutReason {
  const memory = number === null ? undefined : memories[number - 1];
  if (memory === undefined) return "unknown-memory";
  const { id, content } = memory;
  const place = createQuotationFinder(content)(quote);
  if (place === null) return "memory-not-quoted";
  return { memory: id, content, quote: content.slice(place.start, place.end) };
}

/** Of what is said at this place. */
function originAt(source: ExtractionSource, place: TextRange): Pick<ExtractedItem, "origin"> {
  const message =
    source.utterances?.find((each) => each.start <= place.start && place.start < each.end) ?? null;
  const { speaker: role = null, name = null, saidAt = null } = message ?? {};
  return { origin: toOrigin({ role, name, saidAt }, message, place, source) };
}

/**
 * Null for an item that cannot be a memory. An item that expired before `now` is dropped too: without its expiry it would be valid forever,
 * and a model that confuses the year is not reliable about the rest of the item.
 */
function toExtracted(
  item: LlmItem,
  text: string,
  { start, end }: TextRange,
  now: number,
): ExtractedItem | null {
  const { type, importance, expiresAt } = item;
  const content = withoutJoiners(item.content).trim();
  const visible = content.replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  const isStorable = !isBlank(visible) && content.isWellFormed() && !content.includes("\0");
  if (!isStorable || countCharacters(content) > contentMaxCharacters) return null;
  if (expiresAt !== null && expiresAt <= now) return null;
  return { content, type, importance, expiresAt, evidence: text.slice(start, end) };
}
