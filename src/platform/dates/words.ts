// Owns the parts of patterns of English dates: months, years, days and counts. Must never compute a period.

import { countWords, monthNames, weekdayNames } from "./calendar.ts";

export const year = "(?:19|20)\\d\\d";
export const month =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
export const weekday = `(?:${weekdayNames.join("|")})`;
export const shortWeekday = "(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)";
export const season = "(?:spring|summer|autumn|fall|winter)";
export const count = `(?:\\d{1,3}|half an?|${Object.keys(countWords).join("|")})`;
/** Counts that are not exact. */
export const some = "(?:a couple of|a couple|couple of|a few|few|several|some|many)";
export const to = "(?:-|–|to|until|till|through|and)";

/** From 0. */
export function monthNumber(name: string): number {
  return monthNames.findIndex((full) => full.toLowerCase().startsWith(name.toLowerCase().slice(0, 3)));
}

/** From Sunday, 0. */
export function weekdayNumber(name: string): number {
  return weekdayNames.findIndex((full) => full.toLowerCase().startsWith(name.toLowerCase().slice(0, 3)));
}

const inexactCounts: Readonly<Record<string, readonly [number, number]>> = {
  couple: [1.5, 3],
  few: [2, 5],
  several: [3, 8],
  some: [2, 8],
  many: [5, 20],
};

/** The least and the greatest number that the words may mean. */
export function countsOf(words: string): readonly [number, number] {
  const lower = words.toLowerCase();
  const inexact = /couple|few|several|some|many/.exec(lower)?.[0];
  if (inexact !== undefined) return inexactCounts[inexact] ?? [1, 1];
  const exact = lower.startsWith("half") ? 0.5 : (countWords[lower] ?? Number(lower));
  return [exact, exact];
}

const preposition = "in|on|during|since|before|after|until|till|by|from|between|last|next|early|late|mid";
const beforeMonth = new RegExp(`(?:^|[^\\p{L}])(?:${preposition})[ -]$`, "iu");
const beforeCapitalised = /(?:^|\P{L})(?:the|of|for|through|around|over|this|our) $/iu;
const alwaysMonths = /^(?:january|february|july|september|october|november|december)$/i;

/** Whether the name of a month without a day and a year is one: "may" and "march" are also verbs, "April" and "June" people. */
export function isMonthAlone(name: string, before: string): boolean {
  if (alwaysMonths.test(name) || beforeMonth.test(before)) return true;
  return /^\p{Lu}\p{L}{2,}$/u.test(name) && beforeCapitalised.test(before);
}

/** Whether "may" or "march" beside a number is a month: "8 May", and not "12 may be enough". */
export function isMonthBesideNumber(name: string, before: string): boolean {
  if (!/^(?:may|mar(?:ch)?)\.?$/i.test(name)) return true;
  const isFirst = /(?:^|[.!?] )$/.test(before);
  return (/^\p{Lu}/u.test(name) && !isFirst) || beforeMonth.test(before);
}

const functionWords =
  "and|or|but|i|we|you|he|she|they|it|the|a|an|this|that|did|do|does|was|were|is|are|had|has|have|when|where|who|what|which|how|with|for|to|about|at|by|on|in|from|my|our|your|his|her|their|its|me|us|regarding|concerning|because|if|as|than|then|until|till|through";
const afterYear = new RegExp(
  `^(?:$|[?!,;:)\\]"']|\\.(?!\\d)| [-–—(]| (?:${functionWords})(?![\\p{L}\\p{N}])(?! ?\\d))`,
  "iu",
);
const beforeYear =
  /(?:^|\P{L})(?:in|during|since|before|after|until|till|from|throughout|early|late|mid|year|(?:start|beginning|end|middle|half|course|rest|class) of)[ -]$/iu;

/** Whether a number of four digits is a year: "in 2022", and not "in 2000 ms". */
export function isYearAlone(before: string, after: string): boolean {
  return beforeYear.test(before) && isBeforeNoUnit(after);
}

/** Whether no noun follows that would be counted. */
export function isBeforeNoUnit(after: string): boolean {
  return afterYear.test(after) || /^ \p{Lu}\p{Ll}/u.test(after);
}

const beforeNumber =
  /(?:versions?|v|release|build|port|rfc|iso|error|code|no|number|line|issue|pr|ticket|room|chapter|page|section|step|[#.])\.? ?$/i;

/** Whether digits with separators may be a date: "1.2.2023", and not "version 1.2.2023". */
export function isNoVersion(before: string): boolean {
  return !beforeNumber.test(before);
}
