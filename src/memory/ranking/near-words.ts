// Owns which words of a project are one typing error away from a word. Pure.

import { nearWordMinCharacters } from "./limits.ts";

/** Letters with their marks: another digit is another number, not an error. */
const letters = /^[\p{L}\p{M}]+$/u;

/** Whether words near this one are looked for: of short words, one letter makes another word too often. */
export function canBeMistyped(word: string): boolean {
  return word.length >= nearWordMinCharacters && letters.test(word);
}

/** The words of one project, for finding those that are near another one. It may contain words that no memory has any more. */
export class Vocabulary {
  readonly #words = new Set<string>();
  /** By their length. */
  readonly #byLength: string[][] = [];

  get size(): number {
    return this.#words.size;
  }

  add(words: readonly string[]): void {
    for (const word of words) {
      if (this.#words.has(word) || word.length < nearWordMinCharacters - 1 || !letters.test(word)) continue;
      this.#words.add(word);
      this.#byLength[word.length] ??= [];
      this.#byLength[word.length]?.push(word);
    }
  }

  /** The words that one typing error makes of this one, or this one of them, in alphabetical order. */
  near(word: string): readonly string[] {
    const { length } = word;
    return [length - 1, length, length + 1]
      .flatMap((other) => this.#byLength[other]?.filter((known) => isOneErrorAway(known, word)) ?? [])
      .sort();
  }
}

/** A character more, less or other, or two neighbours swapped (Damerau 1964). */
function isOneErrorAway(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < shorter - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end))
    end += 1;
  const different = Math.max(a.length, b.length) - start - end;
  if (different <= 1) return different === 1;
  const isExchange = different === 2 && a.length === b.length;
  return isExchange && a[start] === b[start + 1] && a[start + 1] === b[start];
}
