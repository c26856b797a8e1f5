// Owns whether a statement says another number, day or time of what an older one is about: "The pool was enlarged to 40 connections." after
// "The pool has 20 connections." English only. Pure.

import { contentWords } from "./content-words.ts";
import { isReliable, toStatement } from "./statement.ts";

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
  ["percent", /\d[\d.]*(?= ?(?:%|percent))/gu],
  ["version", /(?<!\p{L})v?\d+\.\d+(?:\.\d+)?(?! ?\p{L})/gu],
  [
    "number",
    new RegExp(`(?<![\\p{L}\\d.])(?:\\d[\\d,.]*\\d|\\d|${numberWords.join("|")})(?= (?<u>\\p{L}+))`, "giu"),
  ],
];
/** What is true for a time, in the present; not what has happened once. */
const present =
  /(?<!\p{L})(?:is|are|has|have|costs?|earns?|sleeps?|runs?|requires?|needs?|begins?|starts?|ends?|takes?|lasts?|allows?|must|goes?|meets?|pays?|releases?|aims?|weighs?|lives?|works?|keeps?|expires?|opens?|closes?|practi[cs]es)(?!\p{L})/u;
const happened =
  /(?<!\p{L})(?:visited|met|ran|went|had|saw|bought|ate|won|lost|finished|scored|played|flew|travelled|attended|failed|passed|broke|was born|came|wrote|read|spent|paid|took)(?!\p{L})/u;
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
  readonly isPresent: boolean;
  /** Words of the rest, and those without words that only say that something has changed. */
  readonly words: readonly string[];
  readonly wordsOfChange: readonly string[];
}

/** Null: the text says no quantity of which there is one at a time. */
export function readQuantity(content: string): QuantityReading | null {
  const statement = toStatement(content);
  if (statement === null || !isReliable(statement)) return null;
  if (happened.test(statement) || severalPossible.test(statement)) return null;
  const { quantities, rest } = readQuantities(statement);
  if (quantities.length === 0) return null;
  return {
    quantities,
    isPresent: present.test(statement),
    words: contentWords(rest),
    wordsOfChange: contentWords(rest.replaceAll(change, " ")),
  };
}

export function givesNewQuantity(newer: QuantityReading | null, older: QuantityReading | null): boolean {
  if (newer === null || older === null || !older.isPresent || older.quantities.length > 1) return false;
  const [former, current] = [older.quantities[0], newer.quantities.at(-1)];
  if (former === undefined || former.kind !== current?.kind || former.value === current.value) return false;
  return isAboutSame(older.words, newer.wordsOfChange);
}

/** All words of the older statement, two at least, and at most two others. */
function isAboutSame(older: readonly string[], newer: readonly string[]): boolean {
  const [a, b] = [new Set(older), new Set(newer)];
  const shared = [...a].filter((each) => b.has(each)).length;
  return shared > 1 && shared === a.size && b.size - shared <= 3;
}

function readQuantities(statement: string): {
  readonly quantities: readonly Quantity[];
  readonly rest: string;
} {
  let rest = statement;
  const quantities: (Quantity & { readonly at: number })[] = [];
  for (const [kind, pattern] of kinds)
    rest = rest.replaceAll(pattern, (...found) => {
      const groups = found.at(-1);
      const unit =
        typeof groups === "object" && groups !== null ? String(groups.u).toLowerCase().replace(/s$/, "") : "";
      const at = Number(found.at(typeof groups === "object" ? -3 : -2));
      const number = numberWords.indexOf(String(found[0]).toLowerCase());
      const value = number >= 0 ? String(number) : String(found[0]).toLowerCase().replace(/s$/, "");
      quantities.push({ kind: `${kind} ${unit}`.trim(), value, at });
      return " ".repeat(String(found[0]).length);
    });
  return { quantities: quantities.toSorted((a, b) => a.at - b.at), rest };
}
