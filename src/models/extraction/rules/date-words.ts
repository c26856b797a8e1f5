// Owns the words around dates in six languages: they tell whether a date is an end, a beginning, repeated, or past. Must never compute a
// date.

/** After one of these words, a date is an end. */
export const endWords =
  /(?<![\p{L}])(?:until|till|through|thru|by|before|due|deadline|valid|expires?|expiring|ends?|ending|no later than|bis|spätestens|vor|gültig|endet|läuft ab|frist|fällig|jusqu['’]?\p{L}{0,2}|avant|d['’]ici|expire|valable|échéance|hasta|antes de|vence|válid[oa]|caduca|plazo|até|antes d[eo]|vence|prazo|fino a\p{L}{0,3}|entro|prima d\p{L}{1,3}|scade|valid[oa]|scadenza)(?![\p{L}])/iu;
/** After one of these words, a date is a beginning or repeats. */
export const startWords =
  /(?:since|from|starting|as of|after|beginning|effective|every|each|seit|ab|nach|jeden?|jede|depuis|après|chaque|à partir d\p{L}|desde|después de|cada|a partir de|depois de|dal?|dopo|ogni)\s+(?:(?:the|dem|der|den|le|la|el|il|o|a|on|last)\s+)?$/iu;
/** Words of past events, in the clause of the date. */
export const pastTense =
  /(?<!\p{L})(?:was|were|had|did|went|met|got|took|made|came|quit|sold|bought|left|began|became|tore|broke|ate|saw|won|ran|gave|flew|drove|swam|grew|chose|built|lost|spent|died|fell|forgot|knew|rode|sang|sat|slept|spoke|stole|stood|threw|woke|wore|wrote|drew|drank|yesterday|ago|last|born|founded|since|gestern|war|waren|hatte|hatten|wurde|hier|était|ayer|fue|ontem|foi|ieri|era|hace|fa|seit|depuis|desde)(?!\p{L})|(?<!\p{L})(?!need|embed)\p{L}{3,}ed(?!\p{L})|(?<!\p{L})(?:ai|as|a|avons|ont|he|ha|hemos|han|hanno|abbiamo) \p{L}+(?:é|ée|és|i|u|ado|ido|ato|uto|ito)(?!\p{L})|(?<!\p{L})(?:hat|habe|haben|ist|sind|bin) .{0,60}(?<!\p{L})ge\p{L}{3,}(?:t|en)(?!\p{L})/iu;
/** Words of future events, in the clause of the date. */
export const futureWords =
  /(?<!\p{L})(?:will|'ll|going to|must|is|are|'m|am|be|due|has to|have to|needs? to|scheduled|planned|postponed|rescheduled|(?:was|been|were) moved to|set for|booked for|valid|closed|paused|extended|ist|sind|wird|werden|muss|müssen|bleibt|soll|est|sont|sera|seront|doit|doivent|es|son|será|está|están|debe|é|são|estará|deve|è|sono|sarà|deve)(?!\p{L})/iu;
/** Past tenses of Spanish, Portuguese and Italian whose auxiliary verbs look like a present tense. */
export const unambiguousPast = new RegExp(
  [
    "(?<!\\p{L})(?:me|nos|se) \\p{L}+(?:é|ó|imos|amos)(?!\\p{L})",
    "(?<!\\p{L})(?:compré|vendí|empecé|cambié|nací|fui|fuimos|fomos|comprei|vendi|comecei|mudei(?:-me)?|troquei|casei|andei|murió|murieron|nació|morreu|nasceu|nacque|morì|morto|morta|nato|nata)(?!\\p{L})",
    "(?<!\\p{L})(?:mi sono|ci siamo|si è) \\p{L}+(?:[aiu]t[oaie]|s[oaie])(?!\\p{L})",
  ].join("|"),
  "iu",
);
/** Changes that begin on the date and last: "we are moving in March", "Rui joins on 1 December". */
export const lastingChange =
  /\b(?:mov(?:e|es|ing)|join(?:s|ing)?|tak(?:es|ing) over|becom(?:es|ing)|rais(?:es|ing)|retir(?:es|ing)|expecting|stop(?:s|ping)? \w+ing|switch(?:es|ing)?|migrat(?:es|ing)|starts? (?:school|work|as|a new|at))\b/i;
/** "The meeting was moved to Friday": past tense, but a future date. */
export const movedTo = /(?:auf(?: den)?|para(?: el| o)?|au|al|to|for)\s+$/iu;
/** Words that exclude the date itself, such as "before". */
export const exclusiveEnd =
  /(?:before|vor|avant|antes d\w+|prima d\p{L}+)\s+(?:the |dem |le |el |o |il )?$/iu;
const months =
  "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|fév|fev|avr|juin|juil|aoû|déc|ene|abr|agosto|set|out|dic|gen|mag|giu|lug|ott";
const weekdays =
  "mon(?!ey|th|at|de)|tue|wed|thu|fri|sat|sun|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lun|mar|mer|jeu|ven|sam|dim|mié|jue|vie|sáb|dom|segunda|terça|quarta|quinta|sexta|gio|sab";
const days = "tomorrow|weekend|wochenende|demain|week-end|mañana|amanhã|domani|fine settimana";
/** Dates that are too near to make a sentence an appointment. */
const thisDay = "today|tonight|heute|aujourd|hoy|hoje|oggi";
/** A result of the date parser must name a calendar date: the parser also finds "now", "the year" and "may". */
export const calendarDate = new RegExp(
  `(?<!\\p{L})(?:${months}|${weekdays}|${days}|in (?:\\d+|an?|two|three|four|six|zwei|drei) (?:day|week|month|year|tag|woche|monat))|\\d{4}-\\d|\\d[./]\\d{1,2}[./]|^20\\d\\d$`,
  "iu",
);
/** The date parser is called only if the sentence contains one of these. */
export const dateHint = new RegExp(
  `\\d|(?<!\\p{L})(?:${months}|${weekdays}|${days}|${thisDay}|weeks?|months?|quarter|year|sprint|eo[dw]|day|woche|wochen|monat|monate|jahr|quartal|tage|semaines?|mois|année|jours|semana|mes|año|días|mês|ano|dias|settiman\\p{L}|mese|anno|giorni)`,
  "iu",
);
export const weekdayOnly = new RegExp(`(?<!\\p{L})(?:${weekdays})\\p{L}*$`, "iu");
/** "On Wednesday afternoons", "Sunday gigs": a repeated event. */
export const repeatedAfter = /^(?:s(?!\p{L})| (?!this|unless|was|is|has)\p{L}{3,}s(?!\p{L}))/u;
export const repeatedBefore =
  /(?<!\p{L})(?:jed\p{L}{1,3} \p{L}+|los|às|nas|le|il|every|each|any|first|second|third|fourth|last|other|alternate|jeden?|chaque|tous les|cada|todos los|toda|todas as|ogni|erste\p{L}?|letzte\p{L}?)\s+$/iu;
/** "From now on ... by Thursday": every Thursday. */
export const fromNowOn =
  /(?<!\p{L})(?:from now on|going forward|always|never|as a rule|ab sofort|immer|désormais|toujours|a partir de ahora|siempre|a partir de agora|sempre|d['’]ora in poi)(?!\p{L})/iu;

/** A date that makes a sentence an appointment without other words: a calendar date, in English also a weekday, but not "tomorrow". */
export const appointment = new RegExp(
  `\\d{4}-\\d\\d-\\d\\d|\\d[./]\\d{1,2}[./]|(?<!\\p{L})(?:mon|tues|wednes|thurs|fri|satur|sun)day|\\d{1,2}(?:st|nd|rd|th|\\.|º|er)? (?:de |di |of )?(?:${months})|(?<!\\p{L})(?:${months})\\p{L}{0,7} \\d|Q[1-4]`,
  "iu",
);
