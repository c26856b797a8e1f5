// Owns recognising small talk: remarks about the other person, encouragement in the form of a rule, and what is over today.
// Must never drop what a user tells an assistant to do, nor a text without speakers.

import type { Language } from "./lexicon/language.ts";
import type { Category } from "./lexicon/lexicon.ts";
import type { Speaker } from "./speakers.ts";

/** Whether the sentence is small talk, even if it matches a category. */
export function isSmallTalk(
  sentence: string,
  category: Category,
  language: Language,
  speaker: Speaker,
): boolean {
  if (speaker.role !== "person") return false;
  if (speaker.addressee === "the assistant") return false;
  if (category === "rule")
    return language === "en" ? isEncouragement(sentence) : isEncouragementOtherLanguage(sentence);
  if (language === "en" && passing.has(category) && ofToday.test(sentence)) return true;
  return speaker.addressee !== null && isAboutAddressee(sentence, category);
}

/** A remark of one person about the other, such as "You love pottery!". */
function isAboutAddressee(sentence: string, category: Category): boolean {
  const [, before] = /^(.*?)(?<!\p{L})(?:you|yours?|ya)(?!\p{L})/iu.exec(mainClause(sentence)) ?? [];
  if (before === undefined || (category === "deadline" && before !== "")) return false;
  return !/\b(?:i|my|we|our)\b/i.test(before);
}

/** The sentence without a trailing clause such as ", so ...", which only comments on it. */
function mainClause(sentence: string): string {
  return (
    sentence.split(/,? [-–] |; |, (?:so|and|but|because|'cause|since|which)(?!\p{L})/u, 1)[0] ?? sentence
  );
}

/** Categories of passing remarks. Changes and decisions are not passing remarks. */
const passing: ReadonlySet<Category> = new Set(["state", "identity", "preference", "relation"]);

/** States of the current day, and chores. */
const ofToday =
  /(?<!\p{L})(?:(?:right now|at the moment|today|tonight|this (?:morning|afternoon|evening)|last night|(?<!never )again)[.!]*$|(?:i|we) (?:have|need|['’]ve got) to (?!take|use|avoid|wear|inject|be )(?!.{0,60}(?:every|always|each)))/iu;

/** Outside English: exclamations, "du musst" between friends, guesses about the past, and adverbs without a verb. */
function isEncouragementOtherLanguage(sentence: string): boolean {
  const isLoud =
    sentence.endsWith("!") &&
    !/(?<!\p{L})(?:nie|niemals|jamais|nunca|mai|immer|toujours|siempre|sempre)(?!\p{L})/iu.test(sentence);
  return isLoud || comfort.test(sentence);
}

/** In the order above: what the other person "has to" do, guesses, adverbs without a verb, and not giving up. */
const comfort = new RegExp(
  [
    "(?<!\\p{L})(?:du (?:musst|solltest|darfst)|musst du|tu (?:dois|devrais|peux)|il faut que (?:je|tu)|tienes que|debes|deberías|devi|dovresti|tens de|você (?:tem que|deve))(?!\\p{L})",
    "(?<!\\p{L})(?:muss|müssen) .{0,60}(?:gewesen|geworden) sein|(?<!\\p{L})(?:debe de|debió|doit être|a dû|deve essere|deve ter sido|dev['’]essere)(?!\\p{L})",
    "^\\P{L}{0,2}(?:immer (?:schön|gut|wieder|noch|das|der|die|für|locker)|nie (?:wieder|mehr)|toujours (?:là|aussi|pareil|un|le|la)|siempre (?:igual|lo|un|el|la|aquí)|sempre (?:igual|qui|aqui|un|o|a|la|il|lo))(?!\\p{L})",
    "(?<!\\p{L})(?:aufgeben|unterkriegen|lâche rien|abandonn\\p{L}+|rind\\p{L}{1,3}|desist\\p{L}+|moll(?:are|i)|arrender\\p{L}*)(?!\\p{L})",
  ].join("|"),
  "iu",
);

const secondPerson = /(?<!\p{L})(?:you|yours?)(?!\p{L})/iu;

/** Encouragement in the words of a rule: "Don't let anything stop you", "Always here for you", "Keep growing". */
function isEncouragement(sentence: string): boolean {
  if (sentence.endsWith("!") && !/\b(?:must|never|always|please|don't|do not)\b/i.test(sentence)) return true;
  const [, adverb, what] = imperative.exec(sentence) ?? [];
  if (adverb !== undefined) {
    const [verb] = /^[\p{L}'’]+/u.exec(what ?? "") ?? [];
    if (what === undefined || verb === undefined || inner.test(what)) return true;
    if (goingOn.test(`${adverb} ${verb}`)) return true;
    const needsVerb = /^(?:always|never|do)/i.test(adverb);
    if (needsVerb && noOrder.test(verb)) return true;
  }
  if (
    secondPerson.test(sentence) &&
    !/\b(?:must|never|always|please|ha(?:ve|s) to|needs? to|not)\b/i.test(sentence)
  )
    return true;
  return about.test(sentence) || guess.test(sentence) || /^must /i.test(sentence);
}

/** The opening of a rule and the words after it, which must begin with a verb. */
const imperative =
  /^(?:[^:]{1,45}: )?(?:(?:well|so|and|but|just|oh|ok(?:ay)?|please|remember|yeah),? ){0,3}(always|never|don['’]t(?: ever)?|do not(?: ever)?|keep(?: on)?|be sure to|make sure to|stop)(?: (.+))?/iu;
/** "Keep growing", "stop worrying". */
const goingOn =
  /^(?:keep(?: on)? \p{L}+|stop (?:worry|be|doubt|compar|cry|feel|apologi[sz]|overthink))ing$/iu;
/** Words after "always" and "never" that make no order. */
const noOrder =
  /^(?:here|there|been|an?|the|my|your|so|such|too|in|on|at|up|down|for|with|fun|good|great|nice|happy|glad|ready|welcome|proud|more|new|easy|hard|worth|\p{L}+ing|again|quite|as|that|this|it|i|we|you|(?!(?:pass|miss|process|discuss|focus|press|dress|guess|access|compress|address|bypass)$)\p{L}+s)$/iu;
/** Verbs of feelings and attitudes, which are not instructions. */
const inner =
  /^(?:(?:be|feel|doubt|regret|worry|cry|panic|hope|relax|breathe|celebrate|settle|stay|believe|dream|shine|smile|grow|cherish|embrace|love|enjoy|apologi[sz]e|underestimate|want|know|mind|become|rush|fight|appreciate|miss|wish|mean|understand|live|learn|think|(?:forget|remember)(?! to))(?!\p{L})|(?:give|let|lose|stop|change|trust|quit|look|see|try|get|push|care|have|value|say|hold|compare)(?= (?:yourself|up|in|back|away|down|hope|faith|sight|heart|it|anything|anyone|anybody|nothing|that|this|me|us|you|too|so|your|\p{L}+ing)(?!\p{L})|[.!]|$))/iu;
/** Feelings, hopes and merits of the other person. */
const about =
  /(?<!\p{L})(?:you(?:rself|rselves|['’](?:re|ve|ll|d))|your (?:\p{L}+ )?(?:dreams?|heart|head|chin|mind|gut|passions?|spark|light|worth|feelings|chances?|smile|spirits?|energy|goals?|instincts?|health|happiness|journey|potential|strength|story|best|self|time|way|life)|(?:stop|stops|tell|tells|let|make|makes|hold|holds|bring|brings|bother|define|cheer|guide|inspire|support|keep|help|with|for) you|each other|one another|silver lining|open mind|more often|(?:need|needs|take|deserves?) a break|too hard|tempt|(?:hard|rough|tough|good|bad) (?:times|days)|good (?:vibes|things|memories)|what (?:matters|counts|makes)|let (?:me|us|them|him|her|anyone|anybody|anything|nothing|nobody|life|go|it)|let me know|tell (?:mum|mom|dad|him|her|them|me|on)|believe in|give up|happiness|journey|shining|smiling|dreaming|growing|amazing|awesome|wonderful)(?!\p{L})/iu;
/** "It must have been cold", "you must be tired": a guess, not a duty. */
const guess =
  /(?<!\p{L})(?:you|he|she|they|it|that|this) must (?:be|have|feel|love|miss)(?!\p{L})|(?<!\p{L})must (?:have|be|feel|mean|seem|look|love|know|hurt|miss)(?!\p{L})(?! (?:an?|the|two|three|at least|\d|\p{L}+ed|done|made|written|kept|sent|built|run|put|set|cut|paid)(?!\p{L}))/iu;
