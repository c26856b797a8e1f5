// Owns whether a memory is of a period: by the dates that its text names, or without one by the time at which it was said or created. Must
// never use that time for a memory that names a date, because what happened long ago is told today.

import { namedPhrases } from "../platform/dates/named-phrases.ts";
import { type Period, shareIn } from "../platform/dates/period.ts";
import { findPhrases, toSearchable } from "../platform/dates/phrase.ts";
import { relativeHint, relativePhrases } from "../platform/dates/relative-phrases.ts";
import type { Memory } from "./memory.ts";

/** How much of a text is read, because a search reads up to 200. Dates are in front of a memory, or in its first sentences. */
const readCharactersMax = 400;
const yearHint = /(?:19|20)\d\d/;
/** "[8 May 2023] Ann:", "[1:56 pm on 8 May, 2023]", "(2023-05-08)", "2023-05-08: ". */
const header = /^(?:\[[^\]]{4,40}\]|\([^)]{4,40}\)|[\d\p{L}][\d\p{L} ,.-]{3,30}: )/u;

/** 0..1: how much of the date of the memory is in the period, which is 1 for a day in it and a twelfth for its year. */
export function shareOfPeriod(
  { content, createdAt, origins }: Pick<Memory, "content" | "createdAt" | "origins">,
  period: Period,
): number {
  const saidAt = origins[0]?.saidAt ?? null;
  const at = saidAt ?? createdAt;
  const own = datesOf(content, saidAt);
  const dates = own.length === 0 ? [{ from: at, until: at + 1 }] : own;
  return Math.max(...dates.map((date) => shareIn(period, date)));
}

/**
 * The dates that a text names with their years. What is relative, such as "yesterday", counts from the date in front of the text, or from
 * when it was said.
 * @param saidAt milliseconds since 1970; null: it is not known
 */
export function datesOf(content: string, saidAt: number | null = null): readonly Period[] {
  const start = content.slice(0, readCharactersMax);
  if (saidAt === null && !yearHint.test(start)) return [];
  const text = toSearchable(start);
  const named = yearHint.test(start) ? findPhrases(text, namedPhrases, null) : [];
  const head = header.exec(text)?.[0].length ?? 0;
  const now = named.find(({ end }) => end <= head)?.period.from ?? saidAt;
  const relative =
    now === null || !relativeHint.test(text)
      ? []
      : findPhrases(text.slice(head), relativePhrases, { now, tense: "past" });
  return [...named, ...relative].map(({ period }) => period);
}
