// Owns splitting a long text into chunks for a language model with a small context. Must never lose a character that is not white space,
// nor split a sentence that fits into a chunk.

import type { TextRange } from "../../platform/text/passages.ts";
import { llmChunkMaxBytes, llmOverlapMaxBytes } from "./limits.ts";

/** Offsets in UTF-16 units of the whole text. */
export interface TextChunk extends TextRange {
  /** End of the previous chunk; the text between `start` and here is repeated. */
  readonly ownStart: number;
}

/** Lines that the prompt adds to the text, such as the names of the speakers; they count as bytes of a chunk. */
interface TextLabels {
  /** Offsets of the parts of the text above which a line is added, in ascending order. */
  readonly starts: readonly number[];
  /** Length of one line. */
  readonly bytes: number;
}

const noLabels: TextLabels = { starts: [], bytes: 0 };

/** `sentences` are ranges in the order of the text. Without sentences there are no chunks. */
export function splitIntoChunks(
  text: string,
  sentences: readonly TextRange[],
  { maxBytes = llmChunkMaxBytes, overlapMaxBytes = llmOverlapMaxBytes, labels = noLabels } = {},
): TextChunk[] {
  const byteLength = (from: number, to: number) => bytesOf(text, from, to) + bytesOfLabels(labels, from, to);
  const parts = sentences.flatMap((sentence) => splitSentence(text, sentence, maxBytes - overlapMaxBytes));
  const chunks: TextChunk[] = [];
  let next = 0;
  while (next < parts.length) {
    const first =
      next === 0 ? 0 : overlapStart(parts, next, { byteLength, maxBytes: overlapMaxBytes, end: text.length });
    const start = parts[first]?.start ?? 0;
    const ownStart = parts[next]?.start ?? start;
    let end = start;
    for (; next < parts.length; next += 1) {
      const to = parts[next]?.end ?? end;
      const isOwnYet = end > ownStart;
      if (isOwnYet && byteLength(start, to) > maxBytes) break;
      end = to;
    }
    chunks.push({ start, ownStart, end });
  }
  return chunks;
}

interface OverlapLimit {
  byteLength(from: number, to: number): number;
  readonly maxBytes: number;
  /** Of the text. */
  readonly end: number;
}

/** The first part that the next chunk repeats: as many whole parts as fit. */
function overlapStart(parts: readonly TextRange[], next: number, limit: OverlapLimit): number {
  let first = next;
  const end = parts[next]?.start ?? limit.end;
  while (first > 0 && limit.byteLength(parts[first - 1]?.start ?? 0, end) <= limit.maxBytes) first -= 1;
  return first;
}

/** Splits a sentence that is too long after a word, or between two characters if it has no word boundary. */
function splitSentence(text: string, { start, end }: TextRange, maxBytes: number): TextRange[] {
  const parts: TextRange[] = [];
  let from = start;
  while (bytesOf(text, from, end) > maxBytes) {
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

function bytesOf(text: string, from: number, to: number): number {
  return Buffer.byteLength(text.slice(from, to));
}

function bytesOfLabels({ starts, bytes }: TextLabels, from: number, to: number): number {
  if (starts.length === 0) return 0;
  // The text at `from` has a label, too, because a chunk may begin within an utterance.
  return bytes * (1 + Math.max(0, countBelow(starts, to) - countBelow(starts, from + 1)));
}

/** How many of the sorted numbers are below the limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
