// Owns the absolute dates of English sentences: "yesterday", said on 8 May 2023, becomes "on 7 May 2023". Must never guess: a phrase that
// may mean two days is left as it is.

import { countWords, dayMs, monthNames, seasonStarts, weekdayNames } from "../../dates/calendar.ts";
import { pastTense, relativeDate } from "./date-words.ts";

export interface DatedSentence {
  readonly text: string;
  /** Whether the text names a calendar date, a month with its year, or a year. */
  readonly isDated: boolean;
  /** Whether a relative date is left, which is understood only with the day on which it was said. */
  readonly isRelative: boolean;
}

const count = `(?:\\d{1,3}|${Object.keys(countWords).join("|")})`;
const some = "(?:a couple of|a couple|a few|several|some|many)";
const month = `(?:${monthNames.join("|")})`;
const weekday = `(?:${weekdayNames.join("|")})`;
const anyWeekday = `(?:${weekdayNames.join("|")}|(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)(?:\\.(?= ))?)`;
/** Of the sentence. Unclear: what was done may be about a later day, as in "I booked the hut for June". */
type Tense = "past" | "future" | "unclear";
type Replace = (said: number, tense: Tense, ...groups: readonly string[]) => string | null;

/** Each phrase as a whole word, in any case. */
const phrases: readonly (readonly [RegExp, Replace])[] = [
  phrase("the day before yesterday", (said) => onDay(said - 2 * dayMs)),
  phrase("the day after tomorrow", (said) => onDay(said + 2 * dayMs)),
  phrase("(?:yesterday (morning|afternoon|evening|night)|last (night))", (said, _, part, night) =>
    onPart(said - dayMs, part || night || ""),
  ),
  phrase("(?:this (morning|afternoon|evening)|to(night))", (said, _, part, night) =>
    onPart(said, part || night || ""),
  ),
  // Not in "it feels like yesterday".
  phrase("(?<!like )(?<!like just )(?:just )?yesterday", (said) => onDay(said - dayMs)),
  phrase("(?:earlier |later )?today", (said) => onDay(said)),
  phrase("tomorrow (morning|afternoon|evening|night)", (said, _, part = "") => onPart(said + dayMs, part)),
  phrase("tomorrow", (said) => onDay(said + dayMs)),
  phrase(`(?:on )?(?:last|this past|this last) (${anyWeekday})`, (said, _, day = "") =>
    onWeekday(said, day, true),
  ),
  phrase(`(?:on )?this (?:coming )?(${anyWeekday})`, (said, tense, day = "") =>
    nearWeekday(said, day, tense),
  ),
  phrase(`on (${weekday})(?! \\d)`, (said, tense, day = "") => nearWeekday(said, day, tense)),
  phrase("(?:on |over |at )?(?:the )?(last|this past|this) weekend", (said, tense, which = "") =>
    onWeekend(said, which !== "this", tense),
  ),
  phrase("(?:in |during )?(?:the )?(last|this past|this|next) week", (said, _, which = "") =>
    inWeek(said, which),
  ),
  phrase("(?:in |during )?(last|this|next) month", (said, _, which = "") => inMonth(said, steps[which] ?? 0)),
  phrase(
    "(?:in |during )?(last|this|next) year",
    (said, _, which = "") => `in ${yearOf(said) + (steps[which] ?? 0)}`,
  ),
  phrase("(?:in |during )?(last|this|next) (spring|summer|autumn|fall)", (said, _, which = "", season = "") =>
    inSeason(said, which, season.toLowerCase()),
  ),
  phrase(`(${count}|${some}) (day|week|weekend|month|year)s? ago`, (said, _, number = "", unit = "") =>
    ago(said, number, unit),
  ),
  phrase(`(in|last|this|next) (${month})(?! \\d|,? of)`, (said, tense, which = "", name = "") =>
    inNamedMonth(said, which, name, tense),
  ),
  phrase(
    `(on )?(?:the )?(?:(${month}) (?:the )?(\\d{1,2})(?:st|nd|rd|th)?|(\\d{1,2})(?:st|nd|rd|th)? (?:of )?(${month}))(?!,? \\d)`,
    (said, tense, on = "", name = "", day = "", earlierDay = "", laterName = "") =>
      onNamedDay(said, on, name || laterName, Number(day || earlierDay), tense),
  ),
];

const absolute = new RegExp(`(?<![\\p{L}\\d])(?:(?:19|20)\\d\\d|\\d{1,2} ${month})(?![\\p{L}\\d])`, "u");
/** What this file writes. */
const datePhrase = new RegExp(
  `(?:${weekday} )?(?:(?:a|\\p{L}+) week(?:end)?s? (?:before|after) |week(?:end)? (?:before|after|of) |of )?\\d{1,2} ${month} \\d{4}`,
  "giu",
);
/** Periods that repeat or that are compared, which have no date. */
const repeated =
  /(?<!\p{L})(?:every|each|most|not|than|like|until|till|by|before|since|from|as of|of)(?: late| the)? $/iu;

/** The sentence with absolute dates. `said`: when it was said, milliseconds since 1970. */
export function withAbsoluteDates(sentence: string, said: number): DatedSentence {
  const tense = tenseOf(sentence);
  let text = sentence;
  for (const [pattern, replace] of phrases) {
    text = text.replace(pattern, (...found) => {
      const at = found.findIndex((part) => typeof part === "number");
      const [whole = "", ...groups] = found.slice(0, at) as string[];
      const before = text.slice(0, Number(found[at]));
      const replaced = replace(said, tense, ...groups);
      if (replaced === null) return whole;
      // "Since last year": the preposition of the sentence stays.
      return repeated.test(before) ? replaced.replace(/^(?:on|in) /, "") : atStart(replaced, before);
    });
  }
  const isDated = absolute.test(text);
  return { text, isDated, isRelative: relativeDate.test(text.replace(datePhrase, "")) };
}

function tenseOf(sentence: string): Tense {
  if (future.test(sentence) || !pastTense.test(sentence.replace(/(?<!\p{L})last(?!\p{L})/giu, "")))
    return "future";
  return arranged.test(sentence) ? "unclear" : "past";
}

/** What is done before the day that it is about. */
const arranged =
  /(?<!\p{L})(?:agreed|announced|arranged|booked|bought|chose|decided|got (?:a |an |the |my |our )?(?:tickets?|place|appointment|invitation|date)|invited|moved|ordered|planned|postponed|promised|registered|rescheduled|reserved|scheduled|set|signed up|told|were given)(?!\p{L})/iu;
const future = /(?<!\p{L})(?:will|['’]ll|going to|gonna|planning|plan to|next)(?!\p{L})/iu;
const steps: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };

function phrase(source: string, replace: Replace): readonly [RegExp, Replace] {
  return [new RegExp(`(?<![\\p{L}\\d'’-])${source}(?![\\p{L}\\d'’-])`, "giu"), replace];
}

function atStart(replaced: string, before: string): string {
  return before === "" ? replaced.slice(0, 1).toUpperCase() + replaced.slice(1) : replaced;
}

/** "8 May 2023" */
export function dayInWords(time: number): string {
  const date = new Date(time);
  return `${date.getUTCDate()} ${monthOf(time)} ${yearOf(time)}`;
}

function onDay(time: number): string {
  return `on ${dayInWords(time)}`;
}

function onPart(time: number, part: string): string {
  return `on the ${part.toLowerCase()} of ${dayInWords(time)}`;
}

/** The last one before the day, or the next one after it; null on the weekday itself, which may mean both. */
function onWeekday(said: number, name: string, isPast: boolean): string | null {
  const wanted = weekdayNames.findIndex((day) =>
    day.toLowerCase().startsWith(name.toLowerCase().slice(0, 3)),
  );
  const back = (new Date(said).getUTCDay() - wanted + 7) % 7;
  if (back === 0) return null;
  const day = isPast ? said - back * dayMs : said + (7 - back) * dayMs;
  return `on ${weekdayNames[wanted]} ${dayInWords(day)}`;
}

function nearWeekday(said: number, name: string, tense: Tense): string | null {
  return tense === "unclear" ? null : onWeekday(said, name, tense === "past");
}

/** By its Saturday. On a weekend, "this weekend" is the current one. */
function onWeekend(said: number, isLast: boolean, tense: Tense): string | null {
  const weekday = new Date(said).getUTCDay();
  const sinceSaturday = (weekday + 1) % 7;
  const isWeekend = sinceSaturday < 2;
  const current = said - sinceSaturday * dayMs;
  if (isLast) return `on the weekend of ${dayInWords(isWeekend ? current - 7 * dayMs : current)}`;
  if (!isWeekend && tense === "unclear") return null;
  return `on the weekend of ${dayInWords(isWeekend || tense === "past" ? current : current + 7 * dayMs)}`;
}

function inWeek(said: number, which: string): string {
  const relation = { this: "of", next: "after" }[which.toLowerCase()] ?? "before";
  return `in the week ${relation} ${dayInWords(said)}`;
}

function inMonth(said: number, later: number): string {
  const date = new Date(said);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1);
  return `in ${monthOf(first)} ${yearOf(first)}`;
}

/** Null while "last summer" or "next summer" may mean this year. */
function inSeason(said: number, which: string, season: string): string | null {
  const first = seasonStarts[season] ?? 0;
  const now = new Date(said).getUTCMonth();
  const step = steps[which.toLowerCase()] ?? 0;
  if ((step < 0 && now >= first) || (step > 0 && now < first + 3)) return null;
  return `in the ${season} of ${yearOf(said) + step}`;
}

function ago(said: number, number: string, unit: string): string {
  const amount = countWords[number.toLowerCase()] ?? Number(number);
  if (Number.isNaN(amount)) return `${number} ${unit}s before ${dayInWords(said)}`;
  if (unit === "day") return onDay(said - amount * dayMs);
  if (unit.startsWith("week"))
    return `${amount === 1 ? `a ${unit}` : `${number} ${unit}s`} before ${dayInWords(said)}`;
  return unit === "month" ? inMonth(said, -amount) : `in ${yearOf(said) - amount}`;
}

function inNamedMonth(said: number, which: string, name: string, tense: Tense): string | null {
  // "May" in small letters is a verb, and "in march" is rare.
  const wanted = monthNames.indexOf(name);
  if (wanted < 0) return null;
  const now = new Date(said).getUTCMonth();
  const year = yearOf(said);
  const word = which.toLowerCase();
  if (word === "this") return `in ${name} ${year}`;
  if (word === "last") return wanted === now ? null : `in ${name} ${wanted < now ? year : year - 1}`;
  if (word === "next") return wanted === now ? null : `in ${name} ${wanted > now ? year : year + 1}`;
  const namedYear = yearOfMonth(wanted, said, tense);
  return namedYear === null ? null : `in ${name} ${namedYear}`;
}

function onNamedDay(
  said: number,
  preposition: string,
  name: string,
  day: number,
  tense: Tense,
): string | null {
  const wanted = monthNames.indexOf(name);
  if (wanted < 0 || day < 1 || day > 31) return null;
  const year = yearOfMonth(wanted, said, tense);
  return year === null ? null : `${preposition}${day} ${name} ${year}`;
}

/** The last such month that is not after the day, or the next one that is not before it; null if both are possible and differ. */
function yearOfMonth(wanted: number, said: number, tense: Tense): number | null {
  const now = new Date(said).getUTCMonth();
  const last = wanted > now ? yearOf(said) - 1 : yearOf(said);
  const next = wanted < now ? yearOf(said) + 1 : yearOf(said);
  if (tense === "unclear") return last === next ? last : null;
  return tense === "past" ? last : next;
}

function yearOf(time: number): number {
  return new Date(time).getUTCFullYear();
}

function monthOf(time: number): string {
  return monthNames[new Date(time).getUTCMonth()] ?? "";
}
