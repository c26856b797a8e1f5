// Owns the step from "I love my dog" to "Caroline loves her own words": English sentences in the third person, understandable without
// their text. Must never touch a sentence in which nobody speaks of themselves.

import { conjugate, isPastTense, pluralOf } from "./verbs.ts";

export interface Voices {
  /** Who "I" is. */
  readonly speaker: string;
  /** Who "we" is. */
  readonly group: string;
  /** Who "you" is; null leaves the word. */
  readonly addressee: string | null;
}

/** Adverbs that stand between "I" and its verb. */
const adverbs =
  /^(?:always|never|usually|really|also|just|still|currently|only|often|mostly|normally|generally|typically|sometimes|already|recently|finally|actually|now|last|no|longer|not|definitely|absolutely|even|ever|both|all|once|almost|(?!(?:apply|rely|supply|reply|fly|ally|multiply|comply|imply)$)\w{3,}ly)$/i;
const auxiliaries = new Set(
  "will would can could should must may might shall did had won't wouldn't can't cannot couldn't shouldn't mustn't didn't hadn't used".split(
    " ",
  ),
);
/** Verbs that may follow "and" with the subject of the sentence. */
const joined = new Set(
  `try watch wear meet listen spend volunteer commute ride swim bake draw paint collect help buy sell share rent cook
   live work use love like prefer hate have need want teach study play run own keep write speak drink eat go make take read travel
   enjoy deploy test build sleep wake avoid commit am don't do`.split(/\s+/),
);

/** Words, and everything between them, so that joining gives the text back. */
const tokens = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*|[^\p{L}\p{N}]+/gu;

export function inThirdPerson(sentence: string, voices: Voices): string {
  const parts = sentence.match(tokens) ?? [];
  const output: string[] = [];
  /** Who was named last; later mentions say "they". */
  let named: string | null = null;
  /** What the next verb has to agree with. */
  let agree: "name" | "they" | null = null;
  let singularPresent = false;
  const subject = (name: string): string => {
    if (named === name) {
      agree = "they";
      return "they";
    }
    named = name;
    agree = "name";
    return name;
  };
  const owner = (name: string): string => {
    if (named === name) return "their";
    named = name;
    return possessive(name);
  };
  for (const part of parts) {
    if (!/[\p{L}\p{N}]/u.test(part)) {
      output.push(part);
      continue;
    }
    const word = part.replace("’", "'");
    const [head = "", tail = ""] = word.split("'", 2);
    const lower = head.toLowerCase();
    if (lower === "i" && (word === "I" || word.includes("'") || word === "i")) {
      if (tail === "" && isSecondSubject(output, voices.speaker)) {
        output.push(voices.speaker);
        agree = "they";
      } else output.push(subject(voices.speaker) + afterPronoun(tail, agree));
      singularPresent = tail === "m" || tail === "ve";
      if (tail !== "") agree = null;
    } else if (lower === "we" && head !== "WE") {
      output.push(subject(voices.group) + afterPronoun(tail, agree));
      if (tail !== "") agree = null;
    } else if (lower === "my") output.push(owner(voices.speaker));
    else if (lower === "our") output.push(owner(voices.group));
    else if (lower === "mine" || lower === "ours") output.push("theirs");
    else if (lower === "me" && head !== "ME") output.push(named === voices.speaker ? "them" : voices.speaker);
    else if (lower === "us" && head !== "US") output.push(named === voices.group ? "them" : voices.group);
    else if (lower === "myself" || lower === "ourselves") output.push("themselves");
    else if (lower === "you" && voices.addressee !== null && tail === "") {
      if (beginsClause(output)) agree = "name";
      output.push(voices.addressee);
    } else if (lower === "your" && voices.addressee !== null) output.push(possessive(voices.addressee));
    else if (agree !== null && !adverbs.test(word)) {
      const present = agree === "name";
      output.push(present ? conjugate(word) : pluralOf(word));
      singularPresent = present && !auxiliaries.has(word.toLowerCase()) && !isPastTense(word);
      agree = null;
    } else if (singularPresent && joined.has(word) && /^,? (?:and|but|or)? ?$/.test(gapBefore(output)))
      output.push(conjugate(word));
    else output.push(part);
  }
  return capitalised(output.join(""));
}

/** The last conjunction with the blanks around it. */
function gapBefore(output: readonly string[]): string {
  const [blank = "", conjunction = "", before = ""] = [output.at(-1), output.at(-2), output.at(-3)];
  return /^(?:and|but|or)$/.test(conjunction) ? `${before}${conjunction}${blank}` : "no";
}

/** "My sister and I own": nobody would understand "they" there. */
function isSecondSubject(output: readonly string[], speaker: string): boolean {
  return output.length === 6 && output[0] === possessive(speaker) && output[4] === "and";
}

/** Whether what comes next is a subject: "you write" and "when you write", not "give you". */
function beginsClause(output: readonly string[]): boolean {
  return (
    output.length === 0 ||
    /^(?:when|whenever|if|that|and|but|so|because|while|before|after)$/i.test(output.at(-2) ?? "")
  );
}

function afterPronoun(tail: string, agree: "name" | "they" | null): string {
  const singular = agree !== "they";
  if (tail === "m" || tail === "re") return singular ? " is" : " are";
  if (tail === "ve") return singular ? " has" : " have";
  if (tail === "ll") return " will";
  if (tail === "d") return " would";
  return "";
}

function possessive(name: string): string {
  return `${name}'s`;
}

function capitalised(text: string): string {
  return text.replace(/^[^\p{L}\p{N}]{0,3}\p{Ll}/u, (start) => start.toUpperCase());
}
