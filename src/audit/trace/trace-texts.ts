// Owns what of a text is looked for in records: all of it, its beginning and its end, or single words. Pure.

import { toWordText } from "../../platform/text/word-text.ts";
import type { Trace } from "./traced.ts";

/** Shorter texts say too little to be looked for: they would be in records of something else. */
export const contentMin = { words: 2, characters: 8 };
export const messageMin = { words: 4, characters: 20 };
/** Of a longer text the beginning and the end are looked for: who repeats a message repeats all of it. */
const textMaxWords = 400;

/** Rare enough that an answer with one of them may be about the same: long words, numbers, and names. */
export function distinctiveWordsOf(text: string): readonly string[] {
  const names = [...text.matchAll(/(?<=[\p{L}\p{N},;:]\s)\p{Lu}\p{L}{2,}/gu)].map(([name]) =>
    toWordText(name).trim(),
  );
  const long = toWordText(text).trim().split(" ");
  return [...names, ...long.filter((word) => word.length >= 6 || (/\d/.test(word) && word.length >= 2))];
}

/** What of the text is looked for: nothing of one that is too short. */
export function partsOf(wordText: string, min: typeof contentMin): readonly string[] {
  const words = wordText.trim().split(" ");
  const isLong = words.length >= min.words || wordText.trim().length >= min.characters;
  if (!isLong) return [];
  if (words.length <= textMaxWords) return [wordText];
  const half = textMaxWords / 2;
  return [words.slice(0, half), words.slice(-half)].map((part) => ` ${part.join(" ")} `);
}

export function longestWord(wordText: string): string {
  return wordText
    .trim()
    .split(" ")
    .reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

/** What memories say now, which no record may have any more. */
export function withContents(trace: Trace, project: string, contents: readonly string[]): Trace {
  const texts = contents.flatMap((content) => partsOf(toWordText(content), contentMin));
  return {
    ...trace,
    projects: [...new Set([...trace.projects, project])],
    texts: [...new Set([...trace.texts, ...texts])],
    distinctiveWords: [...new Set([...trace.distinctiveWords, ...contents.flatMap(distinctiveWordsOf)])],
  };
}

/** Whether a text that is not in a record repeats one of the texts. */
export function repeatsText({ texts }: Pick<Trace, "texts">, content: string): boolean {
  const said = toWordText(content);
  return texts.some((text) => said.includes(text));
}
