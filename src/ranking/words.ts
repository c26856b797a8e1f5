// Owns what a word is, for memories and for queries alike. Must not change for texts that are stored: the words of a memory are
// taken out of the index by splitting its text again.

import { queryWordsMax, wordMaxCharacters } from "../limits.ts";
import { withoutStopWords } from "./stop-words.ts";

const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/** Scripts that put no spaces between words, and Hangul, whose words carry their particles. */
const scripts =
  "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}";
/** A word in pieces: what is written in such a script, and what is not. */
const piece = new RegExp(`(?<unspaced>[${scripts}]+)|[^${scripts}]+`, "gu");
/** A letter with its marks. */
const letter = /\P{M}\p{M}*/gu;
const han = /^\p{scx=Han}/u;

/**
 * The words of a text in their order, in lower case, in NFKC. Runs without spaces give overlapping pairs of letters, and each
 * Chinese character alone too. Diacritics and endings are left to the index, which treats memories and queries alike.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text.normalize("NFKC").toLowerCase().matchAll(word)) {
    for (const { 0: part, groups } of run.matchAll(piece)) {
      if (groups?.unspaced === undefined) words.push(cut(part));
      else addPairs(words, part.match(letter) ?? []);
    }
  }
  return words;
}

/** The distinct words of a query that are looked up, the first so many. */
export function queryWords(text: string): string[] {
  return withoutStopWords([...new Set(splitWords(text))]).slice(0, queryWordsMax);
}

function addPairs(words: string[], letters: readonly string[]): void {
  for (const [at, each] of letters.entries()) {
    const next = letters[at + 1];
    if (next !== undefined) words.push(cut(each + next));
    if (letters.length === 1 || han.test(each)) words.push(cut(each));
  }
}

function cut(part: string): string {
  return part.length <= wordMaxCharacters ? part : [...part].slice(0, wordMaxCharacters).join("");
}
