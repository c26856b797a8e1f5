// Owns the step from "I love my dog" to "Caroline loves their dog": English sentences in the third person, understandable without their
// text. Must never produce what may be broken English: where a word cannot be turned with certainty, it gives up.

import { conjugate, isAlsoNoun, isBaseForm, isPastTense, isVerb, pluralOf } from "./verbs.ts";

export interface PronounReferents {
  /** Who "I" is. */
  readonly speaker: string;
  /** Who "we" is; null where that cannot be said, as of a person who speaks for others, too. */
  readonly group: string | null;
  /** Who "you" is; null leaves the word. */
  readonly addressee: string | null;
}

/** Adverbs that stand between "I" and its verb. */
const adverbs =
  /^(?:always|never|usually|really|also|just|still|currently|only|often|mostly|normally|generally|typically|sometimes|already|recently|finally|actually|now|no|longer|not|definitely|absolutely|even|ever|both|once|almost|kinda|(?!(?:apply|rely|supply|reply|fly|ally|multiply|comply|imply|family|italy)$)\w{3,}ly)$/i;
/** The verb after these is an infinitive, and so is one that follows it with "and". */
const beforeInfinitive =
  /^(?:to|will|would|can|could|should|must|may|might|shall|let|lets|make|makes|help|helps|see|sees|do|does|don't|doesn't|did|didn't|can't|cannot|won't|wouldn't|couldn't|shouldn't|mustn't|gonna|wanna|gotta)$/i;
/** After these, a word that may be a noun is a verb. */
const afterVerb =
  /^(?:a|an|the|my|his|her|their|its|some|any|no|every|each|two|three|four|at|in|on|for|with|from|to|as|by|about|until|\d+|\p{Lu}\p{L}*)$/u;

/** Words, and everything between them, so that joining gives the text back. */
const tokens = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*|[^\p{L}\p{N}]+/gu;

/** Null where the sentence has a word of which it is not certain how to turn it. */
export function toThirdPersonEnglish(sentence: string, referents: PronounReferents): string | null {
  const parts = sentence.match(tokens) ?? [];
  const output: string[] = [];
  /** Who was named last; later mentions say "they". */
  let named: string | null = null;
  /** What the next verb has to agree with. */
  let agree: "name" | "they" | null = null;
  /** Whether the verb of a name was put into the present, so that one that follows with "and" has to follow. */
  let isPresent = false;
  let isInfinitive = false;
  /** Whether the last verb belongs to a name. */
  let isTurned = false;
  /** The subject with what was behind its pronoun: "I" and "'ve" to "Caroline has". */
  const subject = (name: string, tail: string, ending: string): string => {
    const isAgain = named === name;
    named = name;
    agree = tail !== "" ? null : isAgain ? "they" : "name";
    isTurned = !isAgain && tail !== "";
    isPresent = !isAgain && (tail === "m" || tail === "re" || tail === "ve");
    isInfinitive = tail === "ll" || tail === "d";
    return isAgain ? `they${pluralEndings[ending] ?? ending}` : name + ending;
  };
  const owner = (name: string): string => {
    if (named === name) return "their";
    named = name;
    return possessive(name);
  };
  for (const [index, part] of parts.entries()) {
    if (!/[\p{L}\p{N}]/u.test(part)) {
      // "I, for one, work": the subject is too far away.
      if (agree !== null && part.trim() !== "") return null;
      output.push(part);
      continue;
    }
    const word = part.replace("’", "'");
    const [head = "", tail = ""] = word.split("'", 2);
    const lower = head.toLowerCase();
    if (lower === "i" && (word === "I" || word.includes("'") || word === "i")) {
      if (agree !== null) return null;
      const ending = afterPronoun(tail, parts[index + 2]);
      if (ending === null) return null;
      if (tail === "" && isSecondSubject(output, referents.speaker)) {
        output.push(referents.speaker);
        agree = "they";
      } else output.push(subject(referents.speaker, tail, ending));
    } else if (firstPlural.has(lower) && head !== "US") {
      const { group } = referents;
      if (group === null || agree !== null || lower === "ours") return null;
      const ending = lower === "we" ? afterPronoun(tail, parts[index + 2]) : "";
      if (ending === null) return null;
      if (lower === "our") output.push(owner(group));
      else if (lower === "ourselves") output.push("themselves");
      else if (lower === "us") output.push(named === group ? "them" : group);
      else output.push(subject(group, tail, ending));
    } else if (lower === "mine") return null;
    else if (lower === "my") output.push(owner(referents.speaker));
    else if (lower === "me" && head !== "ME")
      output.push(named === referents.speaker ? "them" : referents.speaker);
    else if (lower === "myself") output.push("themselves");
    else if (lower === "you" && referents.addressee !== null) {
      if (tail !== "") return null;
      if (beginsClause(output)) agree = "name";
      output.push(referents.addressee);
    } else if (lower === "your" && referents.addressee !== null) output.push(possessive(referents.addressee));
    else if (agree !== null && !adverbs.test(word)) {
      if (!isVerb(word)) return null;
      output.push(agree === "name" ? conjugate(word) : pluralOf(word));
      isInfinitive = beforeInfinitive.test(word);
      isTurned = agree === "name";
      isPresent = isTurned && !isPastTense(word);
      agree = null;
    } else if (isTurned && !(isInfinitive && !isPresent) && isBaseForm(word) && isJoined(output)) {
      const isNoun = isAlsoNoun(word) && !afterVerb.test(parts[index + 2] ?? "");
      if (isInfinitive || isPresent === isNoun) return null;
      output.push(isPresent ? conjugate(word) : word);
    } else {
      isInfinitive ||= beforeInfinitive.test(word);
      output.push(part);
    }
  }
  return agree === null ? capitalised(output.join("")) : null;
}

const firstPlural: ReadonlySet<string> = new Set(["we", "us", "our", "ours", "ourselves"]);

/** Whether what comes next follows a conjunction or a comma, maybe with an adverb between. */
function isJoined(output: readonly string[]): boolean {
  let at = output.length - 1;
  while (at > 0 && /^ *$/.test(output[at] ?? "") && adverbs.test(output[at - 1] ?? "")) at -= 2;
  return /,/.test(output[at] ?? "") || /^(?:and|but|or|then)$/i.test(output[at - 1] ?? "");
}

/** "My sister and I own", "Carl and I own": nobody would understand "they" there. */
function isSecondSubject(output: readonly string[], speaker: string): boolean {
  if (output.length === 4 && output[2] === "and") return /^\p{Lu}/u.test(output[0] ?? "");
  return output.length === 6 && output[0] === possessive(speaker) && output[4] === "and";
}

/** Whether what comes next is a subject: "you write" and "when you write", not "give you". */
function beginsClause(output: readonly string[]): boolean {
  return (
    output.length === 0 ||
    /^(?:when|whenever|if|that|and|but|so|because|while|before|after)$/i.test(output.at(-2) ?? "")
  );
}

/** What "'ve" and the like become after a name; null where that is uncertain. */
function afterPronoun(tail: string, next: string | undefined): string | null {
  if (tail === "") return "";
  if (tail === "m" || tail === "re") return " is";
  if (tail === "ve") return " has";
  if (tail === "ll") return " will";
  return tail === "d" && /^(?:like|love|rather|prefer|want|need)$/i.test(next ?? "") ? " would" : null;
}

const pluralEndings: Readonly<Record<string, string>> = { " is": " are", " has": " have" };

function possessive(name: string): string {
  return `${name}'s`;
}

function capitalised(text: string): string {
  return text.replace(/^[^\p{L}\p{N}]{0,3}\p{Ll}/u, (start) => start.toUpperCase());
}
