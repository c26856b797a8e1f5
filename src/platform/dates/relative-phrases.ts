// Owns the phrases that mean a period relative to the present: "yesterday", "last May", "three weeks ago", "the past two days". Must never be
// used without a reading.

import { dayMs, startOfDay, unitDays } from "./calendar.ts";
import { daysFrom, monthsFrom, type Period, seasonOf, weekendOf, weekOf, yearsFrom } from "./period.ts";
import { type Phrase, phrase, type Reading } from "./phrase.ts";
import {
  count,
  countsOf,
  month,
  monthNumber,
  season,
  shortWeekday,
  some,
  weekday,
  weekdayNumber,
} from "./words.ts";

type Present = NonNullable<Reading>;
type Read = (
  groups: Readonly<Record<string, string | undefined>>,
  present: Present,
  before: string,
) => Period | null;

const which = "(?<which>last|previous|this past|this coming|this|next)";
const anyWeekday = `(?<day>${weekday}|${shortWeekday})`;
const dayOfMonth = `(?:\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${month}|${month} \\d{1,2})(?!\\p{L})`;
const counted = "(?:minute|hour|day|week|weekend|month|year)";
/** Every phrase below has one of these words, so that texts without any are read once. */
export const relativeHint =
  /(?<!\p{L})(?:ago|last|past|previous|this|next|coming|yesterday|today|tonight|tomorrow|day|\p{L}{3,6}day|in the|over the|during the|since the|before the|after the)(?!\p{L})/iu;

export const relativePhrases: readonly Phrase[] = [
  relative("(?:earlier |later )?today|tonight|this (?:morning|afternoon|evening)", (_, { now }) =>
    daysFrom(now),
  ),
  relative("yesterday|last night", (_, { now }) => daysFrom(now - dayMs)),
  relative("(?:the )?day before yesterday", (_, { now }) => daysFrom(now - 2 * dayMs)),
  relative("tomorrow", (_, { now }) => daysFrom(now + dayMs)),
  relative("(?:the )?day after tomorrow", (_, { now }) => daysFrom(now + 2 * dayMs)),
  relative("the other day", (_, { now }) => daysFrom(now - 10 * dayMs, 10)),
  relative(`${which} (?<unit>week|month|quarter|year)`, ({ which: word, unit }, { now }) =>
    unitOf(unit, now, stepOf(word)),
  ),
  relative("(?<unit>week|weekend|month|quarter|year) before last", ({ unit }, { now }) =>
    unitOf(unit, now, -2),
  ),
  relative(`${which} weekend`, ({ which: word }, present) => weekendNear(word, present)),
  relative(`${which} ${anyWeekday}`, ({ which: word, day }, present) => weekdayNear(word, day, present)),
  // In "on Wednesday 18 November" the date says which one.
  relative(`(?<day>${weekday})(?!,? (?:the )?${dayOfMonth})`, ({ day }, present, before) =>
    beforeWeekday.test(before) ? weekdayNear(undefined, day, present) : null,
  ),
  relative(
    `(?:(?<day>${weekday}) (?:of |in )?${which} week|(?<other>last|this|next) week (?:on )?(?<later>${weekday}))`,
    ({ day, which: word, other, later }, { now }) => {
      const week = unitOf("week", now, stepOf(word ?? other));
      return daysFrom(week.from + ((weekdayNumber(day ?? later ?? "") + 6) % 7) * dayMs);
    },
  ),
  relative(`${which} (?<month>${month})`, ({ which: word, month: name = "" }, present, before) =>
    isVerb(word, name, before) ? null : monthNear(word, monthNumber(name), present),
  ),
  relative(`(?:${which}|(?:in|over|during|since|before|after) the) (?<season>${season})`, (found, present) =>
    seasonNear(found.which, found.season ?? "", present),
  ),
  relative(`(?<number>${count}|${some}) (?<unit>${counted})s? ago`, ({ number = "", unit }, { now }) =>
    ago(number, unit, now),
  ),
  relative(
    `(?:last|past|previous) (?<number>${count}|${some}) (?<unit>${counted})s?|the past (?<one>day|week|month|quarter|year)|past (?<unsaid>week|month|year)`,
    ({ number, unit, one, unsaid }, { now }) => {
      const length =
        countsOf(number ?? "one")[1] * (one === "quarter" ? 91 : lengthOf(unit ?? one ?? unsaid));
      return {
        from: length < 1 ? now - length * dayMs : startOfDay(now - length * dayMs),
        until: daysFrom(now).until,
      };
    },
  ),
  relative(
    `(?:next|coming) (?<number>${count}|${some}) (?<unit>${counted})s?`,
    ({ number = "", unit }, { now }) => ({
      from: startOfDay(now),
      until: daysFrom(now + countsOf(number)[1] * lengthOf(unit) * dayMs).until,
    }),
  ),
];

function relative(source: string, read: Read): Phrase {
  return phrase(source, (groups, { reading, before }) =>
    reading === null ? null : read(groups, reading, before),
  );
}

const beforeWeekday = /(?:^|\P{L})(?:on|since|before|after|until|till|by|from|between|and|to) $/iu;

function stepOf(word: string | undefined): number {
  const lower = word?.toLowerCase() ?? "";
  if (lower === "last" || lower === "previous" || lower === "this past") return -1;
  return lower === "next" || lower === "this coming" ? 1 : 0;
}

function unitOf(unit: string | undefined, now: number, later: number): Period {
  const date = new Date(now);
  const [inYear, inMonth] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (unit?.toLowerCase()) {
    case "week":
      return weekOf(now, later);
    case "weekend":
      return weekendOf(now, later);
    case "month":
      return monthsFrom(inYear, inMonth + later);
    case "quarter":
      return monthsFrom(inYear, inMonth - (inMonth % 3) + 3 * later, 3);
    default:
      return yearsFrom(inYear + later);
  }
}

/** On a weekend, "this weekend" is the current one. */
function weekendNear(word: string | undefined, { now, tense }: Present): Period {
  const step = stepOf(word);
  if (step !== 0) return weekendOf(now, step);
  const isOver = tense === "past" && weekendOf(now).from > now;
  return weekendOf(now, isOver ? -1 : 0);
}

/** "Last Monday": the last one before today. "On Monday": the last one, or of what is to come the next one; either may be today. */
function weekdayNear(word: string | undefined, name: string | undefined, { now, tense }: Present): Period {
  const back = (new Date(now).getUTCDay() - weekdayNumber(name ?? "") + 7) % 7;
  const step = stepOf(word);
  if (step < 0) return daysFrom(now - (back || 7) * dayMs);
  if (step > 0) return daysFrom(now + (7 - back) * dayMs);
  const isToCome = tense === "future" || (word !== undefined && tense === "unclear");
  return daysFrom(isToCome ? now + ((7 - back) % 7) * dayMs : now - back * dayMs);
}

/** "This may be wrong". */
function isVerb(word: string | undefined, name: string, before: string): boolean {
  return /^(?:may|march)$/.test(name) && (/^this$/i.test(word ?? "") || /(?:^|\P{L})the $/iu.test(before));
}

function monthNear(word: string | undefined, number: number, { now }: Present): Period {
  const date = new Date(now);
  const step = stepOf(word);
  const distance = number - date.getUTCMonth();
  const isOther = step === 0 || (step < 0 ? distance < 0 : distance > 0);
  return monthsFrom(date.getUTCFullYear() + (isOther ? 0 : step), number);
}

/** "Last summer": the last one that is over. "This summer", "in the summer": the current one, or the nearest in the tense of the sentence. */
function seasonNear(word: string | undefined, name: string, { now, tense }: Present): Period {
  const current = new Date(now).getUTCFullYear();
  const near = [current - 2, current - 1, current, current + 1].map((year) => seasonOf(name, year));
  const step = stepOf(word);
  const begun = near.filter(({ from }) => from <= now);
  const over = near.filter(({ until }) => until <= now);
  const toCome = near.filter(({ from }) => from > now);
  const lastBegun = begun.at(-1) ?? seasonOf(name, current);
  const next = toCome[0] ?? lastBegun;
  if (step < 0) return over.at(-1) ?? lastBegun;
  if (step > 0) return next;
  if (lastBegun.until > now || tense === "past") return lastBegun;
  const isNearer = word !== undefined && next.from - now < now - lastBegun.until;
  return tense === "future" || isNearer ? next : lastBegun;
}

/** A third of the unit and a tenth of the distance in either direction, because nobody counts exactly; single days are exact. */
function ago(number: string, unit: string | undefined, now: number): Period {
  const [least, most] = countsOf(number);
  const length = lengthOf(unit);
  const [near, far] = [least * length, most * length];
  if (unit?.toLowerCase() === "day" && least === most) {
    const tolerance = Math.floor(far / 10);
    return daysFrom(now - (far + tolerance) * dayMs, 1 + 2 * tolerance);
  }
  const from = now - (far + toleranceOf(far, length)) * dayMs;
  const until = now - (near - toleranceOf(near, length)) * dayMs;
  // Less than a day: to the minute.
  return length < 1 ? { from, until } : { from: startOfDay(from), until: daysFrom(until).until };
}

function toleranceOf(distance: number, length: number): number {
  return length / 3 + distance / 10;
}

function lengthOf(unit: string | undefined): number {
  return unitDays[unit?.toLowerCase() ?? ""] ?? 1;
}
