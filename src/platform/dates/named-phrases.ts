// Owns the phrases that name a day, a month, a quarter, a season or a year. Without a year they mean the nearest one, which needs a reading.
// Must never guess between two orders of day and month: "05/08/2023" is no date.

import { fromMoment } from "../time/iso8601.ts";
import { besideDay } from "./beside-day.ts";
import { dayMs } from "./calendar.ts";
import { dayOf, hull, monthsFrom, type Period, seasonOf, yearsFrom } from "./period.ts";
import { type Phrase, phrase, type Reading } from "./phrase.ts";
import {
  isBeforeNoUnit,
  isMonthAlone,
  isMonthBesideNumber,
  isNoVersion,
  isYearAlone,
  month,
  monthNumber,
  season,
  to,
  year,
} from "./words.ts";

const anyYear = `(?<year>${year}|(?:last|this|next) year)`;
const ofYear = `(?:,? (?:of )?${anyYear})?`;
const ordinal = "(?:st|nd|rd|th)";
const day = `(?<day>\\d{1,2})(?<ordinal>${ordinal})?`;
const lastDay = `(?<last>\\d{1,2})${ordinal}?`;
const time = "(?:[T ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:?\\d\\d)?)?";

export const namedPhrases: readonly Phrase[] = [
  besideDay,
  phrase(`(?<date>${year}-(?:\\d\\d(?:-\\d\\d)?|W\\d\\d(?:-\\d)?))${time}`, ({ date = "" }) =>
    momentOf(date),
  ),
  phrase(`(?<year>${year})/(?<month>\\d{1,2})/(?<day>\\d{1,2})`, (found) =>
    dayOf(Number(found.year), Number(found.month) - 1, Number(found.day)),
  ),
  phrase(`(?<first>\\d{1,2})/(?<second>\\d{1,2})/(?<year>${year})`, ({ first, second, year: of }) =>
    eitherOrder(Number(of), Number(first), Number(second)),
  ),
  phrase(`(?<day>\\d{1,2})\\. ?(?<month>\\d{1,2})\\. ?(?<year>${year})`, (found, { before }) =>
    isNoVersion(before) ? dayOf(Number(found.year), Number(found.month) - 1, Number(found.day)) : null,
  ),
  phrase(`${day}(?: of)? (?<month>${month})${ofYear}`, namedDay),
  phrase(`(?<month>${month}) (?:the )?${day}${ofYear}`, namedDay),
  phrase(`${day} ?${to} ?${lastDay} (?:of )?(?<month>${month})${ofYear}`, namedDays),
  phrase(`(?<month>${month}) ${day} ?${to} ?${lastDay}${ofYear}`, namedDays),
  phrase(
    `${day}(?: of)? (?<month>${month}) ?${to} ?${lastDay}(?: of)? (?<lastMonth>${month})${ofYear}`,
    namedDays,
  ),
  phrase(
    `(?<month>${month}) (?:the )?${day} ?${to} ?(?<lastMonth>${month}) (?:the )?${lastDay}${ofYear}`,
    namedDays,
  ),
  phrase(`(?<month>${month})${ofYear}`, ({ month: name = "", year: of }, { reading, before, after }) => {
    const isMonth = of === undefined ? isMonthAlone(name, before) : isMonthWithYear(name, before, after);
    return isMonth ? monthOf(monthNumber(name), of, reading) : null;
  }),
  phrase(`(?<month>${month}) ?${to} ?(?<last>${month})${ofYear}`, namedMonths),
  phrase(
    `(?:(?<before>${year})[ -])?(?:q(?<number>[1-4])|(?<word>first|second|third|fourth|last) quarter)${ofYear}`,
    ({ before: earlier, number, word, year: later }, { reading, before }) => {
      const of = earlier ?? later;
      const hasCue = number !== undefined && /(?:in|during|since|before|after|until|by|from) $/i.test(before);
      if (of === undefined && !hasCue) return null;
      return quarterOf(Number(number ?? quarters[word?.toLowerCase() ?? ""] ?? 4), of, reading);
    },
  ),
  phrase(
    `(?<season>${season})(?:,? (?:of )?${anyYear}(?:/\\d\\d)?)`,
    ({ season: name = "", year: of }, { reading }) => {
      const inYear = yearOf(of, reading);
      return inYear === null ? null : seasonOf(name, inYear);
    },
  ),
  phrase(`(?<year>${year})`, ({ year: of }, { before, after }) =>
    isYearAlone(before, after) ? yearsFrom(Number(of)) : null,
  ),
  phrase(
    `(?<=(?:between|from) )(?<first>${year}) ${to} (?<last>${year})|(?<=(?:in|during) )(?<from>${year})[-–](?<until>${year})`,
    ({ first, last, from, until }, { after }) =>
      isBeforeNoUnit(after) ? hull(yearsFrom(Number(first ?? from)), yearsFrom(Number(last ?? until))) : null,
  ),
  phrase("(?:the )(?<decade>(?:19|20)\\d0)s", ({ decade }) => yearsFrom(Number(decade), 10)),
];

const quarters: Readonly<Record<string, number>> = { first: 1, second: 2, third: 3, fourth: 4, last: 4 };

type Named = Parameters<Phrase["read"]>;

function namedDay(...[found, { reading, before }]: Named): Period | null {
  const { day: number = "", ordinal: suffix, month: name = "", year: of } = found;
  const isDate = suffix !== undefined || of !== undefined || isMonthBesideNumber(name, before);
  return isDate ? dayOfMonth(monthNumber(name), Number(number), of, reading) : null;
}

/** "3 to 10 May 2023", "28 December to 3 January 2024": the year is that of the end. */
function namedDays(...[found, { reading, before }]: Named): Period | null {
  const { day: number = "", last = "", month: name = "", lastMonth = name, year: of } = found;
  if (of === undefined && !isMonthBesideNumber(name, before)) return null;
  const end = dayOfMonth(monthNumber(lastMonth), Number(last), of, reading);
  if (end === null) return null;
  const endYear = new Date(end.from).getUTCFullYear();
  const isYearBefore = monthNumber(name) > monthNumber(lastMonth);
  const start = dayOf(isYearBefore ? endYear - 1 : endYear, monthNumber(name), Number(number));
  return start === null || start.from > end.from ? null : hull(start, end);
}

function namedMonths(...[found, { reading, before }]: Named): Period | null {
  const { month: name = "", last = "", year: of } = found;
  if (of === undefined && !isMonthAlone(name, before)) return null;
  const end = monthOf(monthNumber(last), of, reading);
  if (end === null) return null;
  const endDate = new Date(end.from);
  const months = (monthNumber(last) - monthNumber(name) + 12) % 12;
  return monthsFrom(endDate.getUTCFullYear(), endDate.getUTCMonth() - months, months + 1);
}

/** "May 2023", and not "may 2000 requests". */
function isMonthWithYear(name: string, before: string, after: string): boolean {
  return isMonthBesideNumber(name, before) || isBeforeNoUnit(after);
}

function momentOf(text: string): Period | null {
  const moment = fromMoment(text);
  return moment === null ? null : { from: moment.firstMs, until: moment.lastMs + 1 };
}

/** Null while both numbers may be the month. */
function eitherOrder(inYear: number, first: number, second: number): Period | null {
  const orders = [dayOf(inYear, first - 1, second), dayOf(inYear, second - 1, first)].filter(
    (found) => found !== null,
  );
  return orders.length === 1 || first === second ? (orders[0] ?? null) : null;
}

/** Null: not said, or relative to an unknown day. */
function yearOf(words: string | undefined, reading: Reading): number | null {
  if (words === undefined) return null;
  if (/^\d/.test(words)) return Number(words);
  if (reading === null) return null;
  const later = { last: -1, next: 1 }[words.slice(0, 4).toLowerCase()] ?? 0;
  return new Date(reading.now).getUTCFullYear() + later;
}

/**
 * In the year, or the last such period that has begun; of what is to come, the next one that has not ended. If the sentence does not say which,
 * the next one only if it begins soon.
 */
function inYear(
  words: string | undefined,
  reading: Reading,
  of: (year: number) => Period | null,
): Period | null {
  const named = yearOf(words, reading);
  if (named !== null) return of(named);
  if (words !== undefined || reading === null) return null;
  const { now, tense } = reading;
  const current = new Date(now).getUTCFullYear();
  const years = Array.from({ length: leapYearsMax }, (_, at) => at);
  const next = years.map((later) => of(current + later)).find((each) => each !== null && each.until > now);
  const last = years
    .map((earlier) => of(current - earlier))
    .find((each) => each !== null && each.from <= now);
  const isSoon = tense === "unclear" && (next?.from ?? Number.POSITIVE_INFINITY) - now < soonMs;
  return (tense === "future" || isSoon ? next : last) ?? null;
}

/** There may be so many years from one 29 February to the next. */
const leapYearsMax = 9;
const soonMs = 31 * dayMs;

function monthOf(number: number, words: string | undefined, reading: Reading): Period | null {
  return inYear(words, reading, (of) => monthsFrom(of, number));
}

function dayOfMonth(
  number: number,
  dayNumber: number,
  words: string | undefined,
  reading: Reading,
): Period | null {
  return inYear(words, reading, (of) => dayOf(of, number, dayNumber));
}

function quarterOf(number: number, words: string | undefined, reading: Reading): Period | null {
  return inYear(words, reading, (of) => monthsFrom(of, (number - 1) * 3, 3));
}
