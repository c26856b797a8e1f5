// Owns the filter of lists by words: which words a text means. Knows no index.

import { fieldRefusal } from "../../platform/errors.ts";
import { AnyText } from "../../platform/schema/schema.ts";
import { isBlank } from "../../platform/text/characters.ts";
import { filterMaxCharacters, filterWordsMax } from "../limits.ts";
import { splitWords } from "../ranking/words.ts";

/** Memories that have all of the words, and a word that begins with the last one. Each word is as `splitWords` returns it. */
export interface WordFilter {
  readonly words: readonly string[];
  /** The word that may still be typed: memories need a word that begins with it. */
  readonly beginning: string;
}

export const wordFilter = AnyText({
  maxLength: filterMaxCharacters,
  description: `Only memories that contain all of these words, at most ${filterWordsMax}. A memory may continue the last word. Case, accents, the order of the words and English suffixes do not count.`,
  examples: ["release tues"],
});

/** Null: all memories are wanted. @throws Refusal 1400 when the text has no word and is not blank, or has too many */
export function toWordFilter(text: string | undefined): WordFilter | null {
  if (text === undefined || isBlank(text)) return null;
  const words = splitWords(text);
  const beginning = words.at(-1);
  if (beginning === undefined)
    throw fieldRefusal("text", "contains no word", "Send at least one letter or digit");
  if (words.length > filterWordsMax) {
    throw fieldRefusal("text", `contains more than ${filterWordsMax} words`, "Send fewer words");
  }
  return { words: [...new Set(words.slice(0, -1))], beginning };
}
