// Owns periods without a date: "this sprint", "next week", "through Q1", "the next two weeks". Must compute all times in UTC.

import { dayMs, mondayOf, startOfDay } from "../../../platform/dates/calendar.ts";

const sprintMs = 14 * dayMs;

/** Periods that the date parser does not know, or interprets as a moment. Each function returns a time in the last day of the period. */
const periods: readonly (readonly [RegExp, (from: number) => number])[] = [
  [/\b(?:this|current|diesen?|dieser|ce|este|questo) sprint\b/i, (from) => from + sprintMs],
  [/\b(?:next|nächsten?|prochain|próximo|prossimo) sprint\b/i, (from) => from + 2 * sprintMs],
  [/\b(?:today|tonight|eod|end of (?:the )?day|heute|aujourd['’]hui|hoy|hoje|oggi)\b/i, (from) => from],
  [
    /\b(?:this week|eow|end of (?:the |this )?week|diese woche|ende der woche|cette semaine|esta semana|questa settimana)\b/i,
    (from) => endOfWeek(from),
  ],
  [
    /\b(?:next week|nächster? woche|kommende woche|la semaine prochaine|(?:la )?próxima semana|la semana que viene|semana que vem|(?:la )?(?:prossima settimana|settimana prossima))\b/i,
    (from) => endOfWeek(from + 7 * dayMs),
  ],
  [
    /\b(?:this month|end of (?:the |this )?month|diesen monat|monatsende|ende des monats|ce mois|fin du mois|este mes|fin de mes|este mês|fim do mês|questo mese|fine (?:del )?mese)\b/i,
    (from) => endOfMonth(from, 0),
  ],
  [
    /\b(?:next month|nächsten monat|le mois prochain|próximo mes|próximo mês|prossimo mese)\b/i,
    (from) => endOfMonth(from, 1),
  ],
  [
    /\b(?:this quarter|end of (?:the |this )?quarter|dieses quartal|ende des quartals)\b/i,
    (from) => endOfMonth(from, 2 - (new Date(from).getUTCMonth() % 3)),
  ],
  [
    /\b(?:this year|end of (?:the |this )?year|year[- ]end|dieses jahr|jahresende|ende des jahres|cette année|fin de l['’]année|este año|fin de año|este ano|fim do ano|quest['’]anno|fine (?:dell['’])?anno)\b/i,
    (from) => endOfMonth(from, 11 - new Date(from).getUTCMonth()),
  ],
  [/\bnext year\b/i, (from) => endOfMonth(from, 23 - new Date(from).getUTCMonth())],
];

const numbers: Readonly<Record<string, number>> = {
  a: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  eight: 8,
  ten: 10,
  twelve: 12,
  zwei: 2,
  drei: 3,
  vier: 4,
  sechs: 6,
  deux: 2,
  trois: 3,
  quatre: 4,
  dos: 2,
  tres: 3,
  cuatro: 4,
  dois: 2,
  duas: 2,
  três: 3,
  due: 2,
  tre: 3,
  quattro: 4,
};
const dayOfMonth =
  /(?:until|till|through|by|before|on) the (\d{1,2})(?:st|nd|rd|th)\b(?! (?:of (?:each|every|the)|\w+ ?(?:century|floor|time|place)))/i;
const holidays: readonly (readonly [RegExp, number, number])[] = [
  [/\b(?:christmas|weihnachten|noël|navidad|natal|natale)\b/i, 11, 25],
  [/\b(?:new year(?:'s eve)?|silvester|nochevieja|capodanno)\b/i, 11, 31],
];

/** "The next two weeks", "for another ten days", "die nächsten drei Tage". */
const span =
  /(?<!\p{L})(?:(?:the )?next|(?:the )?coming|another|(?:die |den )?(?:nächsten|kommenden)|les|las próximas|los próximos|(?:as |os )?próxim[oa]s|(?:i |le )?prossim[ie])\s(\d{1,3}|\p{L}{1,7})\s(?:(?:prochaine?s\s)?)(days?|weeks?|months?|tage|wochen|monate|jours|semaines|mois|días|semanas|meses|dias|giorni|settimane|mesi)(?!\p{L})/iu;

/** The last moment of the period that the sentence names; null if it names none. `isNoEnd` checks the text before the period. */
export function findPeriod(
  sentence: string,
  from: number,
  isNoEnd: (before: string) => boolean,
): number | null {
  const [, count = "", unit = ""] = span.exec(sentence) ?? [];
  const amount = numbers[count.toLowerCase()] ?? Number(count);
  if (unit !== "" && amount > 0) {
    if (/^(?:m[oe]|mese)/i.test(unit)) return endOfDay(addMonths(from, amount));
    return endOfDay(from + amount * (/^(?:w|s)/i.test(unit) ? 7 : 1) * dayMs);
  }
  const [, day] = dayOfMonth.exec(sentence) ?? [];
  if (day !== undefined) return endOfDay(nextDayOfMonth(from, Number(day)));
  for (const [pattern, month, date] of holidays) {
    const match = pattern.exec(sentence);
    if (
      match !== null &&
      /(?:until|till|by|before|bis|vor|jusqu['’]à|hasta|até|fino a)\s+$/i.test(sentence.slice(0, match.index))
    )
      return endOfDay(nextYearly(from, month, date));
  }
  for (const [pattern, last] of periods) {
    const match = pattern.exec(sentence);
    if (match !== null && !isNoEnd(sentence.slice(0, match.index))) return endOfDay(last(from));
  }
  return null;
}

/** "through Q1", "by the end of Q3 2026". */
export function endOfQuarter(sentence: string, from: number, isEnd: boolean): number | null {
  const match = /\bQ([1-4])(?: ?(20\d\d))?\b/.exec(sentence);
  if (match === null || !isEnd) return null;
  const quarter = Number(match[1]);
  const thisYear = new Date(from).getUTCFullYear();
  const end = (year: number) => Date.UTC(year, quarter * 3, 1) - 1;
  if (match[2] !== undefined) return end(Number(match[2]));
  return end(thisYear) < from ? end(thisYear + 1) : end(thisYear);
}

export function endOfDay(time: number): number {
  return startOfDay(time) + dayMs - 1;
}

/** The end of Sunday, the last day of a week in ISO 8601. */
function endOfWeek(time: number): number {
  return endOfDay(mondayOf(time) + 6 * dayMs);
}

export function endOfMonth(time: number, later: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later + 1, 1) - 1;
}

/** The next date with this day of the month. */
function nextDayOfMonth(time: number, day: number): number {
  const date = new Date(time);
  const at = (later: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, day);
  return endOfDay(at(0)) >= time ? at(0) : at(1);
}

function nextYearly(time: number, month: number, day: number): number {
  const year = new Date(time).getUTCFullYear();
  const at = Date.UTC(year, month, day);
  return endOfDay(at) >= time ? at : Date.UTC(year + 1, month, day);
}

function addMonths(time: number, months: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, date.getUTCDate());
}
