// Owns when something is over: "until Friday", "this sprint", "valid through 2026-12-31". All in UTC, always the end of the day or the
// period that was named. Must never hand a long text to the date parser.

import * as chrono from "chrono-node";
import type { Language } from "./lexicon/language.ts";
import { dayMs, endOfDay, endOfMonth, endOfQuarter, findPeriod, startOfDay } from "./periods.ts";

export interface Expiry {
  /** Milliseconds since 1970; null where nothing passes. */
  readonly at: number | null;
  /** Whether a word like "tomorrow" needs the day it was said to be understood. */
  readonly isRelative: boolean;
  /** Whether the sentence names the day itself, so that it is an appointment or a deadline even where no other word says so. */
  readonly isDated: boolean;
}

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
/** Words of what is over, in the clause of the date. */
const past =
  /(?<!\p{L})(?:was|were|had|did|went|met|got|took|made|came|quit|sold|bought|left|began|became|tore|broke|ate|saw|won|lost|spent|yesterday|ago|last|born|founded|since|gestern|war|waren|hatte|hatten|wurde|hier|était|ayer|fue|ontem|foi|ieri|era|hace|fa|seit|depuis|desde)(?!\p{L})|(?<!\p{L})(?!need|embed)\p{L}{3,}ed(?!\p{L})|(?<!\p{L})(?:ai|as|a|avons|ont|he|ha|hemos|han|hanno|abbiamo) \p{L}+(?:é|ée|és|i|u|ado|ido|ato|uto|ito)(?!\p{L})|(?<!\p{L})(?:hat|habe|haben|ist|sind|bin) .{0,60}(?<!\p{L})ge\p{L}{3,}(?:t|en)(?!\p{L})/iu;
/** Words of what is still to come, in the same clause. */
const coming =
  /(?<!\p{L})(?:will|'ll|going to|must|is|are|'m|am|be|due|has to|have to|needs? to|scheduled|planned|postponed|rescheduled|(?:was|been|were) moved to|set for|booked for|valid|closed|paused|extended|ist|sind|wird|werden|muss|müssen|bleibt|soll|est|sont|sera|seront|doit|doivent|es|son|será|está|están|debe|é|são|estará|deve|è|sono|sarà|deve)(?!\p{L})/iu;
/** Past tenses of Spanish, Portuguese and Italian whose auxiliaries look like a present. */
const surelyPast =
  /(?<!\p{L})(?:me|nos|se) \p{L}+(?:é|ó|imos|amos)(?!\p{L})|(?<!\p{L})(?:mi|ci|si|mudei-|fui|fomos|fuimos|andei|comprei|comecei|mudei|troquei|vendi|casei|compré|vendí|empecé|cambié|nací) ?(?:sono|siamo|è|me|nos)?(?= .{0,20}\p{L}+(?:at[oaie]|it[oaie]|ut[oaie]|ti)(?!\p{L})|(?!\p{L}))(?<=(?:sono|siamo|è|mudei-|mudei-me|fui|fomos|fuimos|andei|comprei|comecei|mudei|troquei|vendi|casei|compré|vendí|empecé|cambié|nací))/iu;
/** What begins on the day and stays: "we are moving in March", "Rui joins on 1 December". */
const lasting =
  /\b(?:mov(?:e|es|ing)|join(?:s|ing)?|tak(?:es|ing) over|becom(?:es|ing)|rais(?:es|ing)|retir(?:es|ing)|switch(?:es|ing)?|migrat(?:es|ing)|starts? (?:school|work|as|a new|at))\b/i;
/** "The meeting was moved to Friday": past, but the day is to come. */
const movedTo = /(?:auf(?: den)?|para(?: el| o)?|au|al|to|for)\s+$/iu;
/** After these, the day itself is not part of it any more. */
const exclusive = /(?:before|vor|avant|antes d\w+|prima d\p{L}+)\s+(?:the |dem |le |el |o |il )?$/iu;
const months =
  "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|fév|fev|avr|juin|juil|aoû|déc|ene|abr|agosto|set|out|dic|gen|mag|giu|lug|ott";
const weekdays =
  "mon(?!ey|th|at|de)|tue|wed|thu|fri|sat|sun|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lun|mar|mer|jeu|ven|sam|dim|mié|jue|vie|sáb|dom|segunda|terça|quarta|quinta|sexta|gio|sab";
const days = "tomorrow|weekend|wochenende|demain|week-end|mañana|amanhã|domani|fine settimana";
/** Too near to be an appointment that is worth remembering. */
const thisDay = "today|tonight|heute|aujourd|hoy|hoje|oggi";
/** What the parser found has to name a day of the calendar: it also finds "now", "the year" and "may". */
const calendar = new RegExp(
  `(?<!\\p{L})(?:${months}|${weekdays}|${days}|in (?:\\d+|an?|two|three|four|six|zwei|drei) (?:day|week|month|year|tag|woche|monat))|\\d{4}-\\d|\\d[./]\\d{1,2}[./]|^20\\d\\d$`,
  "iu",
);
/** Without any of these the parser is not even asked. */
const promise = new RegExp(
  `\\d|(?<!\\p{L})(?:${months}|${weekdays}|${days}|${thisDay}|weeks?|months?|quarter|year|sprint|eo[dw]|day|woche|wochen|monat|monate|jahr|quartal|tage|semaines?|mois|année|jours|semana|mes|año|días|mês|ano|dias|settiman\\p{L}|mese|anno|giorni)`,
  "iu",
);
const oneDay = new RegExp(`(?<!\\p{L})(?:${weekdays})\\p{L}*$`, "iu");
/** "On Wednesday afternoons", "Sunday gigs": it happens again and again. */
const repeatedAfter = /^(?:s(?!\p{L})| (?!this|unless|was|is|has)\p{L}{3,}s(?!\p{L}))/u;
const repeatedBefore =
  /(?<!\p{L})(?:jed\p{L}{1,3} \p{L}+|los|às|nas|le|il|every|each|any|first|second|third|fourth|last|other|alternate|jeden?|chaque|tous les|cada|todos los|toda|todas as|ogni|erste\p{L}?|letzte\p{L}?)\s+$/iu;
const relative =
  /(?<!every |each |first |last |on )\b(?:today|tonight|tomorrow|yesterday|(?:this|next|last|past|coming) (?:week|weekend|month|quarter|year|sprint|summer|winter|spring|autumn|fall)|(?:(?:this|next|last|until|by|on|due) )(?:mon|tues|wednes|thurs|fri|satur|sun)day(?!s| \w+s\b)|ago|in (?:a|two|three|\d+) (?:days?|weeks?|months?)|heute|morgen(?= \w)|gestern|(?:nächste|diese|letzte)\w? (?:Woche|Monat|Jahr)|demain|hier|aujourd'hui|la semaine prochaine|mañana|ayer|hoy|amanhã|ontem|hoje|domani|ieri|oggi)\b/i;

/** A day that makes an appointment by itself: a date, in English also a day of the week. Not "tomorrow". */
const appointment = new RegExp(
  `\\d{4}-\\d\\d-\\d\\d|\\d[./]\\d{1,2}[./]|(?<!\\p{L})(?:mon|tues|wednes|thurs|fri|satur|sun)day|\\d{1,2}(?:st|nd|rd|th|\\.|º|er)? (?:de |di |of )?(?:${months})|(?<!\\p{L})(?:${months})\\p{L}{0,7} \\d|Q[1-4]`,
  "iu",
);

/** When what the sentence says is over. `from`: when it was said, milliseconds since 1970. */
export function findExpiry(sentence: string, language: Language, from: number): Expiry {
  if (!promise.test(sentence)) return { at: null, isRelative: relative.test(sentence), isDated: false };
  const isRelative = relative.test(sentence);
  const isEnd = endWords.test(sentence);
  const named = endOfQuarter(sentence, from, isEnd) ?? namedDay(sentence, language, from, isEnd);
  // "This week until 3 pm, on Friday for the last time": the day says it more precisely.
  return {
    at: named ?? findPeriod(sentence, from, (before) => beginning.test(before) || isOver(before)),
    isRelative,
    isDated: named !== null && appointment.test(sentence),
  };
}

/** The last day that the sentence names as an end, or as the day of something to come. */
function namedDay(sentence: string, language: Language, from: number, isEnd: boolean): number | null {
  const start = isEnd ? Math.max(0, sentence.search(endWords) - 40) : 0;
  const window = sentence.slice(start, start + windowCharacters);
  const reference = { instant: new Date(from), timezone: 0 };
  let last: number | null = null;
  for (const result of parsers[language].parse(window, reference, { forwardDate: true })) {
    const { index, text, start: first, end } = result;
    const before = window.slice(0, index);
    if (!calendar.test(text) || isRepeated(text, before, window.slice(index + text.length))) continue;
    if ((end === undefined || end === null) && beginning.test(before)) continue;
    if (isOver(before)) continue;
    const at = lastMoment(end ?? first, exclusive.test(before));
    if (at !== null && at - from < longestMs) last = Math.max(last ?? 0, at);
  }
  return last;
}

function isRepeated(text: string, before: string, after: string): boolean {
  if (/days$/i.test(text) || repeatedBefore.test(before)) return true;
  return oneDay.test(text) && repeatedAfter.test(after);
}

/** "I quit in July and am training until May": only the clause of the date tells whether it passes. */
function isOver(before: string): boolean {
  if (lasting.test(before) && !endWords.test(before)) return true;
  if (movedTo.test(before)) return false;
  const clause = before.split(/[,;:]| (?:and|but|so|und|aber|et|mais|y|pero|e|mas|ma) /).at(-1) ?? "";
  if (endWords.test(clause)) return false;
  return surelyPast.test(clause) || (past.test(clause) && !coming.test(clause));
}

function lastMoment(components: chrono.ParsedComponents, isExclusive: boolean): number | null {
  const time = components.date().getTime();
  if (components.isCertain("day") || components.isCertain("weekday"))
    return isExclusive ? startOfDay(time) - 1 : endOfDay(time);
  if (isExclusive) return endOfMonth(time, -1);
  if (components.isCertain("month")) return endOfMonth(time, 0);
  return components.isCertain("year") ? endOfMonth(time, 11 - new Date(time).getUTCMonth()) : null;
}
