// Owns how a long text is cut into pieces that a language model with a small context can read. Must never lose a character that
// is not white space, nor cut a sentence that fits.

import { llmOverlapMaxBytes, llmPieceMaxBytes } from "../limits.ts";
import type { Passage } from "./evidence.ts";

/** Offsets in UTF-16 units of the whole text. */
export interface Piece extends Passage {
  /** Where the piece before this one ended; what stands between `start` and here is repeated. */
  readonly ownStart: number;
}

/** `sentences` in the order of the text, each a stretch of it. Without one there is no piece. */
export function cutPieces(
  text: string,
  sentences: readonly Passage[],
  { maxBytes = llmPieceMaxBytes, overlapMaxBytes = llmOverlapMaxBytes } = {},
): Piece[] {
  const parts = sentences.flatMap((sentence) => cutSentence(text, sentence, maxBytes - overlapMaxBytes));
  const pieces: Piece[] = [];
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
    pieces.push({ start, ownStart, end });
  }
  return pieces;
}

/** The first part that the next piece repeats: as many whole ones as fit. */
function overlapStart(text: string, parts: readonly Passage[], next: number, maxBytes: number): number {
  let first = next;
  const end = parts[next]?.start ?? text.length;
  while (first > 0 && byteLength(text, parts[first - 1]?.start ?? 0, end) <= maxBytes) first -= 1;
  return first;
}

/** A sentence that is too long is cut after a word, or where there is none, between two characters. */
function cutSentence(text: string, { start, end }: Passage, maxBytes: number): Passage[] {
  const parts: Passage[] = [];
  let from = start;
  while (byteLength(text, from, end) > maxBytes) {
    const to = lastBorder(text, from, maxBytes);
    parts.push({ start: from, end: to });
    from = to;
  }
  return [...parts, { start: from, end }];
}

function lastBorder(text: string, from: number, maxBytes: number): number {
  let to = from;
  let afterWord = from;
  let bytes = 0;
  for (const character of text.slice(from, from + maxBytes)) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    to += character.length;
    if (/\s/.test(character)) afterWord = to;
  }
  // A border near the beginning would make crumbs of what follows.
  return afterWord - from > (to - from) / 2 ? afterWord : to;
}

function byteLength(text: string, from: number, to: number): number {
  return Buffer.byteLength(text.slice(from, to));
}
