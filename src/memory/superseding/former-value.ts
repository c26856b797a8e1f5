// Owns whether a statement ends what another one says: "The team moved from Slack to Zulip." ends "The team chats on Slack." English only. Pure.

import { contentWords } from "./content-words.ts";
import { clausesOf, isAboutPerson, isReliable, toStatement, withoutPossession } from "./statement.ts";

/** What is over: group `x`. */
const endings: readonly RegExp[] = [
  /(?<!\p{L})from (?<x>[^,]+?) (?:to|into|over to) (?!the (?:north|south))/u,
  /(?<!\p{L})(?:no longer|not any ?more) (?<x>[^,]+)/u,
  /(?<!\p{L})(?:does not|do not|doesn't|don't|is not|isn't) (?<x>[^,]+?) any ?more/u,
  /(?<!\p{L})(?:dropped out of|was laid off (?:from|by)|has overcome|overcame|finished|came off|stopped|quit|gave up|given up|cancelled|canceled|abandoned|ended(?! up)|closed|sold|removed|dropped(?! (?:off|by|in|out))|retired|deleted|discontinued|switched off|turned off|shut down|phased out|deprecated|decommissioned|uninstalled|ditched|revoked|lifted|waived|moved out of|let go of|unsubscribed from|moved off|moved away from|got rid of|traded in|handed back|gave back|recovered from|broke up with|resigned from|stepped down as|withdrew from) (?:the |his |her |their |its )?(?<x>[^,]+)/u,
  /(?<!\p{L})left (?:the |his |her |their )?(?<x>[^,]+)/u,
  /(?<!\p{L})(?:instead of|rather than|in place of|replacing) (?:the )?(?<x>[^,]+)/u,
  /(?<!\p{L})replaced (?:the )?(?<x>[^,]+?) (?:with|by|as)(?!\p{L})/u,
  /^(?:the )?(?<x>[^,]+?) (?:was|were|has been|have been) (?:replaced|removed|cancelled|turned off|switched off|shut down|retired|dropped|deleted|closed)(?!\p{L})/iu,
];
/** A circumstance of what is over. */
const circumstance = / (?:because|since|after|in|last|on|as|when|for|with|and|at|again|next|this|due)(?: |$)/;

const person =
  /^(?:[Tt]he user(?:'s \p{Ll}+(?: \p{Ll}+)?)?|\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+){0,2}(?:'s \p{Ll}+)?)(?= )/u;
/** Verbs that say little: "no longer needs glasses" ends "wears glasses". */
const weakVerbs: ReadonlySet<string> = new Set([
  "need",
  "want",
  "us",
  "wear",
  "like",
  "prefer",
  "get",
  "do",
  "any",
  ...contentWords("course treatment membership subscription account contract lease position role use"),
]);
/** Of a longer phrase, one word may be another one. */
const longPhrase = 3;

/** What a statement says, and what it says to be over. */
export interface FormerReading {
  readonly statement: string;
  /** The name, or that of the relative, in the text; null: a thing. */
  readonly person: string | null;
  /** Whether it says what is true now. */
  readonly isReliable: boolean;
  readonly isOfPerson: boolean;
  readonly subject: readonly string[];
  /** What it says of the subject, without what it says to be over. */
  readonly predicate: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
  /** The words of each phrase that names what is over. */
  readonly over: readonly (readonly string[])[];
}

/** Null: the text is no single statement. */
export function readFormer(content: string): FormerReading | null {
  const statement = toStatement(content);
  if (statement === null) return null;
  const words = contentWords(statement);
  const someone = person.exec(statement)?.[0];
  const subject = someone === undefined ? words.slice(0, 2) : contentWords(someone);
  const over = overIn(statement).map(contentWords);
  const said = new Set([...subject, ...over.flat()]);
  return {
    statement,
    person: someone === undefined ? null : nameOf(someone),
    isReliable: isReliable(statement),
    isOfPerson: someone !== undefined,
    subject,
    predicate: new Set(words.filter((each) => !said.has(each))),
    words: new Set(words),
    over,
  };
}

/** "Ana's sister" is somebody; "Ana's car" is about Ana; "The parser" is no name. */
function nameOf(someone: string): string | null {
  return /^The(?! user)/.test(someone) ? null : withoutPossession(someone);
}

/** Whether the newer statement says that what the older one says is no longer true. */
export function endsFormer(newer: FormerReading | null, older: FormerReading | null): boolean {
  if (newer === null || older === null || !older.isReliable) return false;
  const { isOfPerson, subject, predicate } = older;
  if (isOfPerson && !subject.every((each) => newer.words.has(each))) return false;
  if (older.person !== null && !isAboutPerson(newer.statement, older.person)) return false;
  return newer.over.some((named) => {
    const others = named.filter((each) => !subject.includes(each));
    const strong = others.filter((each) => !weakVerbs.has(each));
    const what = strong.length === 0 ? others : strong;
    // "Ownership of the parser passed from Ana to Ben." ends "Ana owns the parser."
    if (others.length === 0) return named.length > 0 && isOfPerson && isMostly(predicate, newer.words);
    const missing = what.filter((each) => !predicate.has(each)).length;
    return missing === 0 || (missing === 1 && what.length >= longPhrase);
  });
}

const leastShared = 2;
const mostly = 0.6;

function isMostly(words: ReadonlySet<string>, of: ReadonlySet<string>): boolean {
  const shared = [...words].filter((each) => of.has(each)).length;
  return shared >= leastShared && shared >= mostly * words.size;
}

/** The phrases that name what is over. */
function overIn(statement: string): readonly string[] {
  return [...clausesOf(statement), statement].filter(isReliable).flatMap((clause) =>
    endings.flatMap((ending) => {
      const [core = ""] = ending.exec(clause)?.groups?.x?.split(circumstance) ?? [];
      return core === "" ? [] : [core];
    }),
  );
}
