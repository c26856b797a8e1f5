// Owns splitting texts into words, in the same way for memories and queries. Must not change for stored texts: to remove a memory's words
// from the index, its text is split again.

import { queryWordsMax, wordMaxCharacters } from "../../platform/limits.ts";
import { withoutStopWords } from "./stop-words.ts";

const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/** Scripts without spaces between words, and Hangul, whose words include their particles. */
const scripts =
  "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}";
/** The parts of a run: characters of such a script, or other characters. */
const scriptRun = new RegExp(`(?<unspaced>[${scripts}]+)|[^${scripts}]+`, "gu");
/** A letter with its marks. */
const letter = /\P{M}\p{M}*/gu;
const han = /^\p{scx=Han}/u;

/**
 * The words of a text in their order, in lower case, in NFKC. Scripts without spaces give overlapping pairs of letters, and also each
 * single Chinese character. The index ignores diacritics and suffixes, for memories and queries alike.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text.normalize("NFKC").toLowerCase().matchAll(word)) {
    for (const { 0: part, groups } of run.matchAll(scriptRun)) {
      if (groups?.unspaced === undefined) words.push(shortened(part));
      else addPairs(words, part.match(letter) ?? []);
    }
  }
  return words;
}

/** The distinct words of a query without stop words, at most `queryWordsMax`. */
export function queryWords(text: string): string[] {
  return withoutStopWords([...new Set(splitWords(text))]).slice(0, queryWordsMax);
}

function addPairs(words: string[], letters: readonly string[]): void {
  for (const [at, each] of letters.entries()) {
    const next = letters[at + 1];
    if (next !== undefined) words.push(shortened(each + next));
    if (letters.length === 1 || han.test(each)) words.push(shortened(each));
  }
}

function shortened(part: string): string {
  return part.length <= wordMaxCharacters ? part : [...part].slice(0, wordMaxCharacters).join("");
}
