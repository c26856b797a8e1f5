// Owns the word texts that a trace looks for, and which of them a payload repeats. Pure.

import { isObject, type Json } from "../../platform/json/json.ts";
import { foldCase, toWordText } from "../../platform/text/word-text.ts";
import { longestWord } from "./trace-texts.ts";

/** More are found by the words of a payload, and fewer by looking for each: reading the words takes as long as looking for so many. */
const fewTexts = 100;

export function createTextIndex(initial: readonly string[]) {
  const texts = new Set<string>();
  /** By the longest word of each, by which most payloads are passed over. */
  const byWord = new Map<string, string[]>();
  const add = (text: string): void => {
    if (texts.has(text)) return;
    texts.add(text);
    const word = longestWord(text);
    const same = byWord.get(word);
    if (same === undefined) byWord.set(word, [text]);
    else same.push(text);
  };
  initial.forEach(add);
  const possibleIn = (payload: string): readonly string[] => {
    if (texts.size > fewTexts)
      return wordsIn(payload)
        .split(/[ |]/)
        .flatMap((word) => byWord.get(word) ?? []);
    const folded = foldCase(payload);
    return [...byWord].flatMap(([word, found]) => (folded.includes(word) ? found : []));
  };
  return {
    add,
    get size() {
      return texts.size;
    },
    all: (): readonly string[] => [...texts],
    /** Whether a value, as JSON, repeats one of the texts. */
    repeats(payload: string): boolean {
      const possible = possibleIn(payload);
      if (possible.length === 0) return false;
      const said = wordsIn(payload);
      return possible.some((text) => said.includes(text));
    },
  };
}

/** Of a message in several parts also what they say together. */
export function stringsIn(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) {
    const parts = value.flatMap((each) =>
      isObject(each) && typeof each.text === "string" ? [each.text] : [],
    );
    return [...value.flatMap(stringsIn), ...(parts.length > 1 ? [parts.join(" ")] : [])];
  }
  return isObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}

/** The words of all texts in a value, as JSON. */
export function wordsIn(value: string): string {
  return stringsIn(parse(value)).map(toWordText).join("|");
}

export function parse(payload: string): Json {
  try {
    return JSON.parse(payload);
  } catch {
    // Verification reports the record.
    return null;
  }
}
