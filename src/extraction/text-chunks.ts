// Owns splitting a long text into chunks for a language model with a small context. Must never lose a character that is not white space,
// nor split a sentence that fits into a chunk.

import type { TextRange } from "./evidence.ts";
import { llmChunkMaxBytes, llmOverlapMaxBytes } from "./limits.ts";

/** Offsets in UTF-16 units of the whole text. */
export interface TextChunk extends TextRange {
  /** End of the previous chunk; the text between `start` and here is repeated. */
  readonly ownStart: number;
}

/** `sentences` are ranges in the order of the text. Without sentences there are no chunks. */
export function splitIntoChunks(
  text: string,
  sentences: readonly TextRange[],
  { maxBytes = llmChunkMaxBytes, overlapMaxBytes = llmOverlapMaxBytes } = {},
): TextChunk[] {
  const parts = sentences.flatMap((sentence) => splitSentence(text, sentence, maxBytes - overlapMaxBytes));
  const chunks: TextChunk[] = [];
  let next = 0;
  while (next < parts.length) {
    const first = next === 0 ? 0 : overlapStart(text, parts, next, overlapMaxBytes);
    const start = parts[first]?.start ?? 0;
    const ownStart = parts[next]?.start ?? start;
    let end = start;
    for (; next < parts.length; next += 1) {
      const to = parts[next]?.end ?? end;
      const isOwnYet = end > ownStart;
      if (isOwnYet && byteLength(text, start, to) > maxBytes) break;
      end = to;
    }
    chunks.push({ start, ownStart, end });
  }
  return chunks;
}

/** The first part that the next chunk repeats: as many whole parts as fit. */
function overlapStart(text: string, parts: readonly TextRange[], next: number, maxBytes: number): number {
  let first = next;
  const end = parts[next]?.start ?? text.length;
  while (first > 0 && byteLength(text, parts[first - 1]?.start ?? 0, end) <= maxBytes) first -= 1;
  return first;
}

/** Splits a sentence that is too long after a word, or between two characters if it has no word boundary. */
function splitSentence(text: string, { start, end }: TextRange, maxBytes: number): TextRange[] {
  const parts: TextRange[] = [];
  let from = start;
  while (byteLength(text, from, end) > maxBytes) {
    const to = lastBoundary(text, from, maxBytes);
    parts.push({ start: from, end: to });
    from = to;
  }
  return [...parts, { start: from, end }];
}

function lastBoundary(text: string, from: number, maxBytes: number): number {
  let to = from;
  let afterWord = from;
  let bytes = 0;
  for (const character of text.slice(from, from + maxBytes)) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    to += character.length;
    if (/\s/.test(character)) afterWord = to;
  }
  // A boundary near the start would make very small parts.
  return afterWord - from > (to - from) / 2 ? afterWord : to;
}

function byteLength(text: string, from: number, to: number): number {
  return Buffer.byteLength(text.slice(from, to));
}
