// Owns whether a memory is of a period: by the dates that its text names, or without one by the time of its creation. Must never use the
// creation of a memory that names a date, because what happened long ago is stored today.

import { namedPhrases } from "./named-phrases.ts";
import { type Period, shareIn } from "./period.ts";
import { findPhrases, toSearchable } from "./phrase.ts";
import { relativeHint, relativePhrases } from "./relative-phrases.ts";

/** How much of a text is read, because a search reads up to 200. Dates are in front of a memory, or in its first sentences. */
const readCharactersMax = 400;
const yearHint = /(?:19|20)\d\d/;
/** "[8 May 2023] Ann:", "[1:56 pm on 8 May, 2023]", "(2023-05-08)", "2023-05-08: ". */
const header = /^(?:\[[^\]]{4,40}\]|\([^)]{4,40}\)|[\d\p{L}][\d\p{L} ,.-]{3,30}: )/u;

/** 0..1: how much of the date of the memory is in the period, which is 1 for a day in it and a twelfth for its year. */
export function shareOfPeriod(
  { content, createdAt }: { readonly content: string; readonly createdAt: number },
  period: Period,
): number {
  const own = datesOf(content);
  const dates = own.length === 0 ? [{ from: createdAt, until: createdAt + 1 }] : own;
  return Math.max(...dates.map((date) => shareIn(period, date)));
}

/** The dates that a text names with their years. What is relative, such as "yesterday", counts from the date in front of the text. */
export function datesOf(content: string): readonly Period[] {
  if (!yearHint.test(content.slice(0, readCharactersMax))) return [];
  const text = toSearchable(content.slice(0, readCharactersMax));
  const named = findPhrases(text, namedPhrases, null);
  const head = header.exec(text)?.[0].length ?? 0;
  const said = named.find(({ end }) => end <= head);
  const relative =
    said === undefined || !relativeHint.test(text)
      ? []
      : findPhrases(text.slice(head), relativePhrases, { now: said.period.from, tense: "past" });
  return [...named, ...relative].map(({ period }) => period);
}
