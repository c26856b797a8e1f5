// Owns finding the phrases of a table in a text. Its time grows in proportion to the text: a phrase must be a pattern of limited length. Must
// never know a date.

import type { Period } from "./period.ts";

/** What a text is read with. Null: only dates that need neither, such as "8 May 2023". */
export type Reading = {
  readonly now: number;
  /** Of the sentence around the dates. */
  readonly tense: "past" | "future" | "unclear";
} | null;

interface Place {
  readonly reading: Reading;
  /** What is directly before and after the phrase. */
  readonly before: string;
  readonly after: string;
}

type Groups = Readonly<Record<string, string | undefined>>;

export interface Phrase {
  readonly pattern: RegExp;
  /** Null: it means no period here. */
  readonly read: (groups: Groups, place: Place) => Period | null;
}

export interface FoundPeriod {
  readonly start: number;
  readonly end: number;
  readonly period: Period;
}

const aroundCharacters = 40;

/** Whole words, in any case. A possessive ending may follow, as in "last year's". */
export function phrase(source: string, read: Phrase["read"]): Phrase {
  return {
    pattern: new RegExp(
      `\\b(?<![\\p{L}\\p{N}'/]|(?<!mid)-|\\p{N}[.,:])(?:${source})(?![\\p{L}\\p{N}/]|[.,:-]\\p{N})`,
      "giu",
    ),
    read,
  };
}

/** White space collapsed, so that a space in a pattern is one character. */
export function toSearchable(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\u2018\u2019]/g, "'");
}

/** In the order of the text. Of phrases that overlap, the longer one is found. */
export function findPhrases(text: string, phrases: readonly Phrase[], reading: Reading): FoundPeriod[] {
  const all: FoundPeriod[] = [];
  for (const { pattern, read } of phrases) {
    for (const match of text.matchAll(pattern)) {
      const start = match.index;
      const end = start + match[0].length;
      const before = text.slice(Math.max(0, start - aroundCharacters), start);
      const period = read(match.groups ?? {}, {
        reading,
        before,
        after: text.slice(end, end + aroundCharacters),
      });
      if (period !== null) all.push({ start, end, period });
    }
  }
  const found: FoundPeriod[] = [];
  for (const next of all.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = found.at(-1);
    if (last === undefined || next.start >= last.end) found.push(next);
    else if (next.end - next.start > last.end - last.start) found[found.length - 1] = next;
  }
  return found;
}
