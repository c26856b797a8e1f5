// Owns what the difference of two texts looks like: a possible contradiction, a changed value, or neither. Pure, and without a word of any
// language: a person decides, so a text that only looks like it costs a look.

import { wordsInRow } from "../extraction/content-similarity.ts";
import type { SuggestionKind } from "./suggestion.ts";

/** Both begin with these words, which say what they are about. */
const commonStartMin = 2;
/** A negation is a short insertion. A longer one is a detail. */
const insertedMax = 2;

/**
 * Two texts say something about the same thing if they begin with the same words and differ in one place, which is not larger than what they
 * have in common. There, one has other words (a number, a date, a name), or one has a word more.
 */
export function differenceOf(
  one: string,
  other: string,
): Extract<SuggestionKind, "contradiction" | "changed_value"> | null {
  const [a, b] = [one, other].map((text) => wordsInRow(text).trim().split(" ")) as [string[], string[]];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [inOne, inOther] = [a, b].map(({ length }) => length - start - end) as [number, number];
  const larger = Math.max(inOne, inOther);
  if (start < commonStartMin || larger === 0 || larger > start + end) return null;
  if (Math.min(inOne, inOther) > 0) return "changed_value";
  return larger <= insertedMax ? "contradiction" : null;
}
