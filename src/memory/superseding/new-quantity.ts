// Owns whether a statement says another number, day or time of what an older one is about: "The pool was enlarged to 40 connections." after
// "The pool has 20 connections." English only. Pure.

import { contentWords } from "./content-words.ts";
import { contains, isAboutPerson, isReliable, personOf, toStatement } from "./statement.ts";

const numberWords = "no one two three four five six seven eight nine ten eleven twelve".split(" ");
const month = "(?:January|February|March|April|May|June|July|August|September|October|November|December)";

/** The kinds of quantities, the more special ones first. The group `u` is the unit. */
const kinds: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["time of day", /(?<!\p{L})(?:\d{1,2}:\d{2}(?: ?[ap]m)?|\d{1,2} ?[ap]m|noon|midnight)(?!\p{L})/giu],
  [
    "date",
    new RegExp(
      `\\d{1,2}(?:st|nd|rd|th)? ${month}(?: \\d{4})?|${month} \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?|\\d{4}-\\d{2}-\\d{2}`,
      "gu",
    ),
  ],
  ["day", /(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?/gu],
  ["money", /[$€£] ?\d[\d,.]*\d|[$€£] ?\d|\d[\d,.]*(?= (?:dollars|euros|pounds|francs|yen)(?!\p{L}))/gu],
  [
    "frequency",
    /(?<!\p{L})(?:daily|weekly|biweekly|fortnightly|monthly|quarterly|yearly|hourly|(?:once|twice|three times|\d times) an? (?:day|week|month|year)|every (?:other |second |two |three |four |six |\d+ )?(?:days?|weeks?|months?|hours?|minutes?|quarters?|years?))(?!\p{L})/giu,
  ],
  ["percent", /\d[\d.]*(?= ?(?:%|percent))/gu],
  ["version", /(?<!\p{L})v?\d+\.\d+(?:\.\d+)?(?! ?\p{L})|(?<=(?:\p{Lu}\p{L}+|version) )\d+(?:\.\d+)+/gu],
  [
    "number",
    new RegExp(
      `(?<![\\p{L}\\d.])(?:\\d[\\d,.]*\\d|\\d|${numberWords.join("|")})(?= (?<u>\\p{L}+)|(?<=(?:to|by|at) [\\d,.]+)$)`,
      "giu",
    ),
  ],
];
/** A change to another quantity, and the former one if it is named. */
const changed =
  /(?<!\p{L})(?:moved|changed|raised|lowered|enlarged|extended|shortened|reduced|increased|risen|rose|fallen|fell|dropped|decreased|postponed|rescheduled|delayed|brought forward|pushed(?: back)?|set|went up|went down|grown|grew|cut|upgraded|updated|bumped|doubled|halved|switched|shifted|adjusted|corrected|expanded|shrunk|capped)(?!\p{L})(?:[^,]*? from (?<former>[^,]+?) (?:to|by) |[^,]* (?:to|by|at) )/u;

/** What is true for a time, in the present; not what has happened once. */
const present =
  /(?<!\p{L})(?:is|are|has|have|costs?|earns?|sleeps?|runs?|requires?|needs?|begins?|starts?|ends?|takes?|lasts?|allows?|must|goes?|meets?|pays?|releases?|aims?|weighs?|lives?|works?|keeps?|expires?|opens?|closes?|practi[cs]es)(?!\p{L})/u;
const happened =
  /(?<!\p{L})(?:visited|met|ran|went(?! (?:up|down|from))|had|saw|bought|ate|won|lost|finished|scored|played|flew|travelled|attended|failed|passed|broke|was born|came|wrote|(?<!to )read|spent|paid|took)(?!\p{L})/u;
/** Of which somebody can have several. */
const severalPossible =
  /(?<!\p{L})(?:an?|another) (?:\p{L}+ )?(?:appointment|meeting|flight|exam|lesson|trip|reservation|party|call|interview|date|class|concert|shift|brother|sister|cousin|friend)(?!\p{L})/iu;
/** Says that something has changed: no part of what the statement is about. */
const change =
  /(?<!\p{L})(?:was|were|has been|is|been|now|moved|changed|raised|lowered|enlarged|extended|shortened|reduced|increased|risen|rose|postponed|rescheduled|brought forward|pushed|set|went up|went down|dropped|grown|grew|cut|upgraded|updated|back|got a raise and|the beginning of)(?!\p{L})/giu;

export interface Quantity {
  readonly kind: string;
  readonly value: string;
}

/** What a statement in the present says the quantities of. */
export interface QuantityReading {
  /** In the order of the text. */
  readonly quantities: readonly Quantity[];
  readonly statement: string;
  /** The person with whom it begins; null: a thing. */
  readonly person: string | null;
  readonly isPresent: boolean;
  /** Whether it says that the quantity was changed. */
  readonly isChange: boolean;
  /** What it says to be the former quantity, in lower case; empty: nothing. */
  readonly former: string;
  /** The words in front of the verb, and those behind the first quantity. */
  readonly subject: readonly string[];
  readonly behind: readonly string[];
  /** Words of the rest, and those without words that only say that something has changed. */
  readonly words: readonly string[];
  readonly wordsWithoutUnits: readonly string[];
  readonly wordsOfChange: readonly string[];
}

/** Null: the text says no quantity of which there is one at a time. */
export function readQuantity(content: string): QuantityReading | null {
  const statement = toStatement(content);
  if (statement === null || !isReliable(statement)) return null;
  if (happened.test(statement) || severalPossible.test(statement)) return null;
  const { quantities, units, rest } = readQuantities(statement);
  const wordsOf = (text: string) => contentWords(text).filter((each) => !units.has(each));
  if (quantities.length === 0) return null;
  return {
    quantities,
    statement,
    person: personOf(statement),
    isPresent: present.test(statement),
    isChange: changed.test(statement),
    former: (changed.exec(statement)?.groups?.former ?? "").toLowerCase(),
    subject: wordsOf(rest.split(subjectEnd)[0] ?? ""),
    behind: wordsOf(rest.slice(quantities[0]?.at ?? 0)),
    words: contentWords(rest),
    wordsWithoutUnits: wordsOf(rest),
    wordsOfChange: contentWords(rest.replaceAll(change, " ")),
  };
}

/** Where the subject ends. */
const subjectEnd =
  / (?=(?:is|are|was|were|has|have|must|costs?|requires?|needs?|begins?|starts?|ends?|takes?|lasts?|allows?|keeps?|expires?|runs?|meets?|releases?|aims?|sleeps?|goes|weighs?|pays?|earns?|closes?|opens?)(?: |$))/u;

export function givesNewQuantity(newer: QuantityReading | null, older: QuantityReading | null): boolean {
  if (newer === null || older === null || !older.isPresent || !mayBeOfSame(newer, older)) return false;
  if (changesQuantity(newer, older)) return true;
  if (older.quantities.length > 1) return false;
  const [former, current] = [older.quantities[0], newer.quantities.at(-1)];
  if (former === undefined || former.kind !== current?.kind || former.value === current.value) return false;
  return isAboutSame(older.words, newer.wordsOfChange);
}

/** Days and dates are one kind: "moved from Friday to 3 May". A number at the end can be of any unit: "set the goal to 10,000". */
function areOfOneKind(one: string, other: string): boolean {
  if (one === "number" || other === "number") return one.startsWith("number") && other.startsWith("number");
  const family = (kind: string) => (kind === "day" ? "date" : kind);
  return family(one) === family(other);
}

/** Subjects of which much can be said. */
const general: ReadonlySet<string> = new Set(contentWords("user team project company"));

/**
 * The newer statement says that a quantity was changed: of the same subject and at least half of the same words, or from the quantity that the
 * older one says, and at least one more word is the same.
 */
function changesQuantity(newer: QuantityReading, older: QuantityReading): boolean {
  if (!newer.isChange) return false;
  const current = newer.quantities.at(-1);
  const former = older.quantities.find(
    ({ kind }) => current !== undefined && areOfOneKind(kind, current.kind),
  );
  if (current === undefined || former === undefined || former.value === current.value) return false;
  const [words, all] = [new Set(older.wordsWithoutUnits), new Set(newer.wordsWithoutUnits)];
  // "The daily step goal" is about "8,000 steps".
  const isUnitNamed = contentWords(former.kind.replace(/^\p{Ll}+ ?/u, "")).some((each) => all.has(each));
  const shared = [...words].filter((each) => all.has(each)).length + (isUnitNamed ? 1 : 0);
  if (newer.former.includes(former.value)) return shared >= 1;
  if (newer.quantities.some(({ value }) => older.quantities.some((each) => each.value === value)))
    return shared >= 2;
  const { subject } = older;
  if (subject.length === 0 || !subject.every((each) => all.has(each))) return false;
  // Nothing else is said of the subject: "The retrospective is held weekly."
  if (
    older.behind.length === 0 &&
    words.size - subject.length <= 1 &&
    !subject.every((each) => general.has(each))
  )
    return true;
  const special = isUnitNamed || [...words].some((each) => all.has(each) && !general.has(each));
  return special && shared >= 2 && 2 * shared >= words.size;
}

/** "Ben's rent was raised" says nothing about Ana's. "The rent was raised" may be said of the rent of the user. */
function mayBeOfSame(newer: QuantityReading, older: QuantityReading): boolean {
  if (older.person === null) return true;
  const isUser = /^the user$/i.test(older.person);
  const isUnsaid = isUser && newer.person === null && !contains(newer.statement, older.person);
  return isUnsaid || isAboutPerson(newer.statement, older.person);
}

/** All words of the older statement, two at least, and at most two others. */
function isAboutSame(older: readonly string[], newer: readonly string[]): boolean {
  const [a, b] = [new Set(older), new Set(newer)];
  const shared = [...a].filter((each) => b.has(each)).length;
  return shared > 1 && shared === a.size && b.size - shared <= 3;
}

function readQuantities(statement: string): {
  readonly quantities: readonly (Quantity & { readonly at: number })[];
  /** The words of units, as contentWords has them. */
  readonly units: ReadonlySet<string>;
  readonly rest: string;
} {
  let rest = statement;
  const units = new Set(contentWords("dollars euros pounds francs yen percent per"));
  const quantities: (Quantity & { readonly at: number })[] = [];
  for (const [kind, pattern] of kinds)
    rest = rest.replaceAll(pattern, (...found) => {
      const groups = found.at(-1);
      const unit =
        typeof groups === "object" && groups !== null
          ? String(groups.u ?? "")
              .toLowerCase()
              .replace(/s$/, "")
          : "";
      for (const each of contentWords(unit)) units.add(each);
      const at = Number(found.at(typeof groups === "object" ? -3 : -2));
      const number = numberWords.indexOf(String(found[0]).toLowerCase());
      const value = number >= 0 ? String(number) : String(found[0]).toLowerCase().replace(/s$/, "");
      quantities.push({ kind: `${kind} ${unit}`.trim(), value, at });
      return " ".repeat(String(found[0]).length);
    });
  return { quantities: quantities.toSorted((a, b) => a.at - b.at), units, rest };
}
