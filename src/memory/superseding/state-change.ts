// Owns the events that end a state: "Ana is looking for a job." is over when "Ana was hired". English only. Pure. Must never end a state of
// another subject, and no state that can be true beside the event.

import { contentWords } from "./content-words.ts";
import { contains, isAboutPerson, isReliable, personOf, toStatement } from "./statement.ts";
import { type Transition, transitions } from "./states.ts";

const brands =
  /(?<!\p{L})(?:Audi|BMW|Citro[eë]n|Dacia|Fiat|Ford|Honda|Hyundai|Jeep|Kia|Lexus|Mazda|Mercedes|Mini|Nissan|Opel|Peugeot|Polestar|Porsche|Renault|Seat|[SŠ]koda|Subaru|Suzuki|Tesla|Toyota|VW|Volkswagen|Volvo)(?!\p{L})/u;

/** Where the subject of a thing ends. */
const verb =
  / (?=(?:is|are|was|were|has|have|does|do|requires?|needs?|runs?|uses?|costs?|takes?|keeps?|begins?|starts?|ends?|must|can|supports?)(?: |$))/u;
/** Words of a state, which the event does not repeat. */
const stateWords: ReadonlySet<string> = new Set(
  contentWords(
    "pending open unresolved progress under review awaiting waiting undecided vacant unfilled unpaid unfinished incomplete not yet ready done decided finished complete approved signed merged released available confirmed still being missing too high low elevated broken out order ill sick injured hospital leave sprained infected unavailable offline failing flaky blocked frozen down does do has have without no support position application user",
  ),
);
const leastShared = 0.6;

export interface StateReading {
  readonly statement: string;
  readonly isReliable: boolean;
  /** The name of a person, in the text; null: a thing. */
  readonly person: string | null;
  /** The words of the subject of a thing, and all others that are no state. */
  readonly subject: readonly string[];
  /** Whether it says what is true now, as opposed to before. */
  readonly saysNow: boolean;
  /** What follows the subject. */
  readonly predicate: string;
  /** The subject as it is written, without its article. */
  readonly phrase: string;
  readonly topic: readonly string[];
  readonly words: ReadonlySet<string>;
}

/** Null: the text is no single statement. */
export function readState(content: string): StateReading | null {
  const statement = toStatement(content);
  if (statement === null) return null;
  const someone = personOf(statement);
  const rest = someone === null ? statement : statement.slice(someone.length).replace(/^'s /, "");
  const isPersonAlone = someone !== null && !statement.startsWith(`${someone}'s `);
  const phrase = isPersonAlone ? someone : (statement.split(verb)[0] ?? "");
  const subject = someone === null ? subjectOf(phrase) : [];
  return {
    statement,
    isReliable: isReliable(
      statement.replaceAll(/(?:part|half)-time|second (?=child|baby|son|daughter)|was born/gu, ""),
    ),
    person: someone,
    saysNow: /(?<!\p{L})(?:now|nowadays|these days|from now on|since|instead)(?!\p{L})/iu.test(content),
    predicate: statement.slice(phrase.length).trim(),
    phrase: phrase.replace(/^(?:the|our|its|their|an?) /i, ""),
    subject: subject.filter((each) => !stateWords.has(each)),
    topic: contentWords(rest).filter((each) => !stateWords.has(each)),
    words: new Set(contentWords(statement)),
  };
}

/** "Bug 41 in the parser" is bug 41. A single word needs what is said of it. */
function subjectOf(phrase: string): readonly string[] {
  const head = contentWords(phrase.split(/ (?:in|of|for|at|on|with|from|to) /u)[0] ?? "");
  return head.length > 1 ? head : contentWords(phrase);
}

/** Whether the newer statement tells an event after which the state of the older one is over. */
export function endsState(newer: StateReading | null, older: StateReading | null): boolean {
  if (newer === null || older === null || !newer.isReliable || !older.isReliable) return false;
  if (!isSameSubject(newer, older)) return false;
  return (
    isSwitched(newer, older) ||
    transitions.some(({ state, event, about }) => {
      const groups = state.exec(older.statement)?.groups;
      if (groups === undefined && !state.test(older.statement)) return false;
      if (!event.test(newer.statement)) return false;
      const named = Object.values(groups ?? {}).find((each) => each !== undefined);
      return named === undefined ? isAboutSame(newer, older, about) : hasAll(newer, named, event);
    })
  );
}

const switched =
  /(?:switched|changed|upgraded|downgraded|went back|reverted|moved|migrated|converted)(?!\p{L})[^,]* (?:to|into) /u;

/** "The team upgraded the tracker to the Business plan." is about "The team is on the free plan of the tracker." */
function isSwitched(
  { statement, words }: StateReading,
  { subject, topic, person: someone }: StateReading,
): boolean {
  if (!switched.test(statement)) return false;
  const about = topic.filter((each) => !subject.includes(each));
  const shared = about.filter((each) => words.has(each)).length;
  return (
    shared >= (someone === null ? 2 : 3) && shared >= leastShared * about.length && shared < about.length
  );
}

/** Whether both are about the same person, or about a thing of the same words. */
function isSameSubject(
  { statement, words }: StateReading,
  { person: someone, phrase, subject }: StateReading,
): boolean {
  if (someone !== null) return isAboutPerson(statement, someone);
  if (subject.length === 0 || !subject.every((each) => words.has(each))) return false;
  // Names, months and numbers tell apart what is called the same.
  const names = phrase.match(/(?<!^)(?<![\p{L}'])(?:\p{Lu}[\p{L}-]+|\d+)/gu) ?? [];
  if (!names.every((each) => contains(statement, each))) return false;
  return (
    phrase.includes(" ") ||
    contains(statement, phrase, "(?:^|(?<!\\p{L})(?:the|our|its|his|her|their|my) )", "(?! of )")
  );
}

const ofAnother = /(?<!\p{L})(?:for|of|with|to)(?!\p{L})/u;
/** Words beside the name of a thing. */
const namedBeside: ReadonlySet<string> = new Set(contentWords("called named call support"));

/** A named thing must be in the newer statement, and what happens must happen to it. A car can be named by its brand. */
function hasAll({ statement, words }: StateReading, named: string, event: RegExp): boolean {
  const wanted = contentWords(named).filter((each) => !namedBeside.has(each));
  // "Ana bought a lock for the bicycle" does not give Ana a bicycle.
  const found = event.exec(statement);
  const after = statement.slice((found?.index ?? 0) + (found?.[0].length ?? 0)).toLowerCase();
  const head = named.split(" ").at(-1)?.toLowerCase() ?? "";
  const [between = "", ...rest] = after.split(head);
  if (wanted.length > 0 && rest.length > 0 && ofAnother.test(between)) return false;
  return wanted.every((each) => words.has(each) || (each === "car" && brands.test(statement)));
}

/** States of a matter need the matter: "The visa is pending." and "The visa was granted." */
function isAboutSame(
  newer: StateReading,
  older: StateReading,
  about: Transition["about"] = "the subject",
): boolean {
  if (about === "the subject") return true;
  const matter = older.person === null ? older.subject : older.topic;
  if (matter.length === 0) return older.person !== null && about === "its matter, if any";
  const shared = matter.filter((each) => newer.words.has(each)).length;
  return shared >= leastShared * matter.length;
}

/** Whether the text can tell the end of a state at all. */
export function mayEndState({ statement, isReliable: mayBeTrue }: StateReading): boolean {
  return mayBeTrue && (switched.test(statement) || transitions.some(({ event }) => event.test(statement)));
}
