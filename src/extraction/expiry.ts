// Owns when something is over: "until Friday", "this sprint", "valid through 2026-12-31". All in UTC, always the end of the day or the
// period that was named. Must never hand a long text to the date parser.

import * as chrono from "chrono-node";
import type { Language } from "./lexicon/language.ts";

export interface Expiry {
  /** Milliseconds since 1970; null where nothing passes. */
  readonly at: number | null;
  /** Whether a word like "tomorrow" needs the day it was said to be understood. */
  readonly isRelative: boolean;
  /** Whether the sentence names the day itself, so that it is an appointment or a deadline even where no other word says so. */
  readonly isDated: boolean;
}

const dayMs = 86_400_000;
const sprintMs = 14 * dayMs;
/** Around the word that promises a date. */
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

/** After these, a date is an end. */
const endWords =
  /(?<![\p{L}])(?:until|till|through|thru|by|before|due|deadline|valid|expires?|expiring|ends?|ending|no later than|bis|spätestens|vor|gültig|endet|läuft ab|frist|fällig|jusqu['’]?\p{L}{0,2}|avant|d['’]ici|expire|valable|échéance|hasta|antes de|vence|válid[oa]|caduca|plazo|até|antes d[eo]|vence|prazo|fino a\p{L}{0,3}|entro|prima d\p{L}{1,3}|scade|valid[oa]|scadenza)(?![\p{L}])/iu;
/** After these, a date is a beginning or repeats. */
const beginning =
  /(?:since|from|starting|as of|after|beginning|effective|every|each|seit|ab|nach|jeden?|jede|depuis|après|chaque|à partir d\p{L}|desde|después de|cada|a partir de|depois de|dal?|dopo|ogni)\s+(?:(?:the|dem|der|den|le|la|el|il|o|a|on|last)\s+)?$/iu;
const past =
  /\b(?:was|were|had|did|went|met|got|yesterday|ago|last (?:week|month|year|night)|born|married in|founded|since|started|began|gestern|war|hatte|hier|était|ayer|fue|ontem|foi|ieri|era)\b|\b\w{3,}ed\b/i;
const coming =
  /\b(?:will|going to|must|is|are|be|due|has to|have to|ist|sind|wird|muss|est|sont|sera|es|será|é|è|sarà)\b/i;
/** After these, the day itself is not part of it any more. */
const exclusive = /(?:before|vor|avant|antes d\w+|prima d\p{L}+)\s+(?:the |dem |le |el |o |il )?$/iu;
const promise =
  /\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|to(?:day|night|morrow)|week|month|quarter|year|sprint|day|eo[dw]|tag|mitt|donner|frei|sams|sonn|woche|monat|jahr|heute|morgen|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|semaine|mois|année|demain|lunes|martes|miércoles|jueves|viernes|sábado|domingo|semana|mes|año|mañana|hoy|segunda|terça|quarta|quinta|sexta|mês|ano|amanhã|hoje|luned|marted|mercoled|gioved|venerd|sabato|domenica|settimana|mese|anno|domani|oggi|jui|aoû|avr|mai|ene|abr|ago|dic|dez|okt|märz|fev|set|out|gen|mag|giu|lug|ott/i;
const relative =
  /\b(?:today|tonight|tomorrow|yesterday|(?:this|next|last|past|coming) (?:week|weekend|month|quarter|year|sprint|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|ago|in (?:a|two|three|\d+) (?:days?|weeks?|months?)|heute|morgen|gestern|(?:nächste|diese|letzte)\w? (?:Woche|Monat|Jahr)|demain|hier|aujourd'hui|la semaine prochaine|mañana|ayer|hoy|amanhã|ontem|hoje|domani|ieri|oggi)\b/i;

/** Periods that the date parser does not know, or knows as a moment. Each gives the last day of the period. */
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

/** When what the sentence says is over. `from`: when it was said, milliseconds since 1970. */
export function findExpiry(sentence: string, language: Language | null, from: number): Expiry {
  const isRelative = relative.test(sentence);
  const isEnd = endWords.test(sentence);
  const none = { at: null, isRelative, isDated: false };
  if (!promise.test(sentence)) return none;
  if (past.test(sentence) && !isEnd && !coming.test(sentence)) return none;
  const quarter = endOfQuarter(sentence, from, isEnd);
  if (quarter !== null) return { at: quarter, isRelative, isDated: true };
  const named = namedDay(sentence, language, from, isEnd);
  const period = namedPeriod(sentence, from);
  // "This week until 3 pm, on Friday for the last time": the day says it more precisely.
  const at = named ?? period;
  return { at, isRelative, isDated: named !== null };
}

function namedPeriod(sentence: string, from: number): number | null {
  for (const [pattern, last] of periods) {
    const match = pattern.exec(sentence);
    if (match !== null && !beginning.test(sentence.slice(0, match.index))) return endOfDay(last(from));
  }
  return null;
}

function namedDay(sentence: string, language: Language | null, from: number, isEnd: boolean): number | null {
  const start = isEnd ? Math.max(0, sentence.search(endWords) - 20) : 0;
  const window = sentence.slice(start, start + windowCharacters);
  const reference = { instant: new Date(from), timezone: 0 };
  let last: number | null = null;
  for (const { index, text, start: first, end } of parsers[language ?? "en"].parse(window, reference, {
    forwardDate: true,
  })) {
    const before = window.slice(0, index);
    const isRepeated = /days$/i.test(text) || /^s\b/.test(window.slice(index + text.length));
    if (isRepeated || beginning.test(before) || !/\p{L}{3}|\d[./-]\d{1,2}[./-]\d|\d\d-\d\d/u.test(text))
      continue;
    const at = lastMoment(end ?? first, exclusive.test(before));
    if (at !== null && at - from < longestMs) last = Math.max(last ?? 0, at);
  }
  return last;
}

function lastMoment(components: chrono.ParsedComponents, isExclusive: boolean): number | null {
  const time = components.date().getTime();
  if (components.isCertain("day") || components.isCertain("weekday"))
    return isExclusive ? startOfDay(time) - 1 : endOfDay(time);
  if (isExclusive) return endOfMonth(time, -1);
  if (components.isCertain("month")) return endOfMonth(time, 0);
  return components.isCertain("year") ? endOfMonth(time, 11 - new Date(time).getUTCMonth()) : null;
}

/** "through Q1", "by the end of Q3 2026". */
function endOfQuarter(sentence: string, from: number, isEnd: boolean): number | null {
  const match = /\bQ([1-4])(?: ?(20\d\d))?\b/.exec(sentence);
  if (match === null || !isEnd) return null;
  const quarter = Number(match[1]);
  const thisYear = new Date(from).getUTCFullYear();
  const end = (year: number) => Date.UTC(year, quarter * 3, 1) - 1;
  if (match[2] !== undefined) return end(Number(match[2]));
  return end(thisYear) < from ? end(thisYear + 1) : end(thisYear);
}

function startOfDay(time: number): number {
  return time - (time % dayMs);
}

function endOfDay(time: number): number {
  return Math.floor(time / dayMs) * dayMs + dayMs - 1;
}

/** Sunday, as ISO 8601 counts weeks. */
function endOfWeek(time: number): number {
  const weekday = (new Date(time).getUTCDay() + 6) % 7;
  return endOfDay(time + (6 - weekday) * dayMs);
}

function endOfMonth(time: number, later: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later + 1, 1) - 1;
}
