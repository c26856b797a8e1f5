// Owns the expiry of a sentence: "until Friday", "this sprint", "valid through 2026-12-31". All times are in UTC, at the end of the named
// day or period. Must never pass a long text to the date parser.

import * as chrono from "chrono-node";
import { dayMs, startOfDay } from "../../../platform/dates/calendar.ts";
import {
  appointment,
  calendarDate,
  dateHint,
  endWords,
  exclusiveEnd,
  fromNowOn,
  futureWords,
  lastingChange,
  movedTo,
  pastTense,
  repeatedAfter,
  repeatedBefore,
  startWords,
  unambiguousPast,
  weekdayOnly,
} from "./date-words.ts";
import type { Language } from "./lexicon/language.ts";
import { endOfDay, endOfMonth, endOfQuarter, findPeriod } from "./periods.ts";

export interface Expiry {
  /** Milliseconds since 1970; null: the sentence does not expire. */
  readonly at: number | null;
  /** Whether the sentence names a calendar date, so that it is an appointment or a deadline even without other words of one. */
  readonly isDated: boolean;
}

/** Number of characters around a date word that the date parser receives. */
const windowCharacters = 120;
const longestMs = 20 * 366 * dayMs;

const parsers: Readonly<Record<Language, chrono.Chrono>> = {
  en: chrono.en.casual,
  de: chrono.de.casual,
  fr: chrono.fr.casual,
  es: chrono.es.casual,
  pt: chrono.pt.casual,
  it: chrono.it.casual,
};

/** Finds when the sentence expires. `from`: when it was said, milliseconds since 1970. */
export function findExpiry(sentence: string, language: Language, from: number): Expiry {
  if (!dateHint.test(sentence)) return { at: null, isDated: false };
  const isEnd = endWords.test(sentence);
  const named = endOfQuarter(sentence, from, isEnd) ?? namedDay(sentence, language, from, isEnd);
  // "This week until 3 pm, on Friday for the last time": the named day is more exact than the period.
  return {
    at: named ?? findPeriod(sentence, from, (before) => startWords.test(before) || isOver(before)),
    isDated: named !== null && appointment.test(sentence),
  };
}

/** The last day that the sentence names as an end, or as the date of a future event. */
function namedDay(sentence: string, language: Language, from: number, isEnd: boolean): number | null {
  const start = isEnd ? Math.max(0, sentence.search(endWords) - 40) : 0;
  // The parser interprets the "3" of "from 3 to 10 May" as an hour.
  const window = sentence.slice(start, start + windowCharacters).replace(fromDay, "     ");
  const reference = { instant: new Date(from), timezone: 0 };
  const isFromNowOn = fromNowOn.test(sentence);
  let last: number | null = null;
  for (const result of parsers[language].parse(window, reference, { forwardDate: true })) {
    const { index, text, start: first, end } = result;
    const before = window.slice(0, index);
    if (!calendarDate.test(text) || isRepeated(text, before, window.slice(index + text.length), isFromNowOn))
      continue;
    if ((end === undefined || end === null) && startWords.test(before)) continue;
    if (isOver(before)) continue;
    const named = end ?? first;
    const at = lastMoment(named, exclusiveEnd.test(before));
    const isPlausible = at !== null && (at - from < longestMs || named.isCertain("year"));
    if (isPlausible) last = Math.max(last ?? 0, at);
  }
  return last;
}

const fromDay = /\bfrom (?=\d{1,2} (?:to|until|till|-|–) \d{1,2} \p{L})/giu;

/** "I have classes from Monday to Wednesday" repeats; "I'm in Rome from Monday to Wednesday" does not. */
const weekdays = /^\p{L}+day\s*(?:to|through|till|until|–|-)\s*\p{L}+day$/iu;
const presently = /(?<!\p{L})(?:this|next|coming|am|is|are|be|will|['’](?:m|re|s|ll)|until)(?!\p{L})/iu;

function isRepeated(text: string, before: string, after: string, isFromNowOn: boolean): boolean {
  if (/days$/i.test(text) || repeatedBefore.test(before)) return true;
  if (weekdayOnly.test(text) && repeatedAfter.test(after)) return true;
  if (weekdays.test(text) && !presently.test(before)) return true;
  return isFromNowOn && weekdayOnly.test(text.split(" ")[0] ?? "") && !/\d/.test(text);
}

/** "I quit in July and am training until May": only the clause of the date is checked. */
function isOver(before: string): boolean {
  if (lastingChange.test(before) && !endWords.test(before)) return true;
  if (movedTo.test(before)) return false;
  const clause = before.split(/,\s|[;:]| (?:and|but|so|und|aber|et|mais|y|pero|e|mas|ma) /).at(-1) ?? "";
  if (endWords.test(clause)) return false;
  return unambiguousPast.test(clause) || (pastTense.test(clause) && !futureWords.test(clause));
}

function lastMoment(components: chrono.ParsedComponents, isExclusive: boolean): number | null {
  const time = components.date().getTime();
  if (components.isCertain("day") || components.isCertain("weekday"))
    return isExclusive ? startOfDay(time) - 1 : endOfDay(time);
  if (isExclusive) return endOfMonth(time, -1);
  if (components.isCertain("month")) return endOfMonth(time, 0);
  return components.isCertain("year") ? endOfMonth(time, 11 - new Date(time).getUTCMonth()) : null;
}
