// Owns the conversion of English sentences to the third person: "I love my dog" becomes "Caroline loves their dog". Must never produce
// incorrect English: if a word cannot be converted with certainty, the conversion fails.

import { conjugate, isAlsoNoun, isBaseForm, isPastTense, isVerb, pluralOf } from "./verbs.ts";

interface PronounReferents {
  /** Replaces "I". */
  readonly speaker: string;
  /** Replaces "we"; null: unknown, because the speaker also speaks for others. */
  readonly group: string | null;
  /** Replaces "you"; null: the word stays. */
  readonly addressee: string | null;
}

/** Adverbs between "I" and its verb. */
const adverbs =
  /^(?:always|never|usually|really|also|just|still|currently|only|often|mostly|normally|generally|typically|sometimes|already|recently|finally|actually|now|no|longer|not|definitely|absolutely|even|ever|both|once|almost|kinda|(?!(?:apply|rely|supply|reply|fly|ally|multiply|comply|imply|family|italy)$)\w{3,}ly)$/i;
/** The verb after one of these is an infinitive, and so is a second verb after "and". */
const beforeInfinitive =
  /^(?:to|will|would|can|could|should|must|may|might|shall|let|lets|make|makes|help|helps|see|sees|do|does|don't|doesn't|did|didn't|can't|cannot|won't|wouldn't|couldn't|shouldn't|mustn't|gonna|wanna|gotta)$/i;
/** If one of these follows a word that may be a noun, the word is a verb. */
const afterVerb =
  /^(?:a|an|the|my|his|her|their|its|some|any|no|every|each|two|three|four|at|in|on|for|with|from|to|as|by|about|until|\d+|\p{Lu}\p{L}*)$/u;

/** Words and the text between them, so that joining the tokens gives the sentence. */
const tokens = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*|[^\p{L}\p{N}]+/gu;

/** Null if the sentence has a word whose conversion is not certain. */
export function toThirdPersonEnglish(sentence: string, referents: PronounReferents): string | null {
  const parts = sentence.match(tokens) ?? [];
  const output: string[] = [];
  /** The name that was used last; later references use "they". */
  let named: string | null = null;
  /** What the next verb must agree with. */
  let agree: "name" | "they" | null = null;
  /** Whether the last verb was converted to the third person of the present tense, so that a second verb after "and" must be too. */
  let isPresent = false;
  let isInfinitive = false;
  /** Whether the subject of the last verb is a name. */
  let isNameSubject = false;
  /** The subject with the contraction of its pronoun: "I" and "'ve" become "Caroline has". */
  const subject = (name: string, contraction: string, ending: string): string => {
    const isAgain = named === name;
    named = name;
    agree = contraction !== "" ? null : isAgain ? "they" : "name";
    isNameSubject = !isAgain && contraction !== "";
    isPresent = !isAgain && (contraction === "m" || contraction === "re" || contraction === "ve");
    isInfinitive = contraction === "ll" || contraction === "d";
    return isAgain ? `they${pluralEndings[ending] ?? ending}` : name + ending;
  };
  const owner = (name: string): string => {
    if (named === name) return "their";
    named = name;
    return possessive(name);
  };
  for (const [index, part] of parts.entries()) {
    if (!/[\p{L}\p{N}]/u.test(part)) {
      // "I, for one, work": the verb does not follow the subject directly.
      if (agree !== null && part.trim() !== "") return null;
      output.push(part);
      continue;
    }
    const word = part.replace("’", "'");
    const [head = "", contraction = ""] = word.split("'", 2);
    const lower = head.toLowerCase();
    if (lower === "i" && (word === "I" || word.includes("'") || word === "i")) {
      if (agree !== null) return null;
      const ending = afterPronoun(contraction, parts[index + 2]);
      if (ending === null) return null;
      if (contraction === "" && isSecondSubject(output, referents.speaker)) {
        output.push(referents.speaker);
        agree = "they";
      } else output.push(subject(referents.speaker, contraction, ending));
    } else if (firstPlural.has(lower) && head !== "US") {
      const { group } = referents;
      if (group === null || agree !== null || lower === "ours") return null;
      const ending = lower === "we" ? afterPronoun(contraction, parts[index + 2]) : "";
      if (ending === null) return null;
      if (lower === "our") output.push(owner(group));
      else if (lower === "ourselves") output.push("themselves");
      else if (lower === "us") output.push(named === group ? "them" : group);
      else output.push(subject(group, contraction, ending));
    } else if (lower === "mine") return null;
    else if (lower === "my") output.push(owner(referents.speaker));
    else if (lower === "me" && head !== "ME")
      output.push(named === referents.speaker ? "them" : referents.speaker);
    else if (lower === "myself") output.push("themselves");
    else if (lower === "you" && referents.addressee !== null) {
      if (contraction !== "") return null;
      if (beginsClause(output)) agree = "name";
      output.push(referents.addressee);
    } else if (lower === "your" && referents.addressee !== null) output.push(possessive(referents.addressee));
    else if (agree !== null && !adverbs.test(word)) {
      if (!isVerb(word)) return null;
      output.push(agree === "name" ? conjugate(word) : pluralOf(word));
      isInfinitive = beforeInfinitive.test(word);
      isNameSubject = agree === "name";
      isPresent = isNameSubject && !isPastTense(word);
      agree = null;
    } else if (
      isNameSubject &&
      !(isInfinitive && !isPresent) &&
      isBaseForm(word) &&
      isJoined(output) &&
      !isExample(lower, output)
    ) {
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

/** ", like my bowl": no verb. */
function isExample(lower: string, output: readonly string[]): boolean {
  return lower === "like" && /,/.test(output.at(-1) ?? "");
}

/** Whether the next word follows a conjunction or a comma, possibly with an adverb between. */
function isJoined(output: readonly string[]): boolean {
  let at = output.length - 1;
  while (at > 0 && /^ *$/.test(output[at] ?? "") && adverbs.test(output[at - 1] ?? "")) at -= 2;
  return /,/.test(output[at] ?? "") || /^(?:and|but|or|then)$/i.test(output[at - 1] ?? "");
}

/** "My sister and I own", "Carl and I own": here "they" would be unclear. */
function isSecondSubject(output: readonly string[], speaker: string): boolean {
  if (output.length === 4 && output[2] === "and") return /^\p{Lu}/u.test(output[0] ?? "");
  return output.length === 6 && output[0] === possessive(speaker) && output[4] === "and";
}

/** Whether the next word is a subject: "you write" and "when you write", but not "give you". */
function beginsClause(output: readonly string[]): boolean {
  return (
    output.length === 0 ||
    /^(?:when|whenever|if|that|and|but|so|because|while|before|after)$/i.test(output.at(-2) ?? "")
  );
}

/** What a contraction such as "'ve" becomes after a name; null if that is not certain. */
function afterPronoun(contraction: string, next: string | undefined): string | null {
  if (contraction === "") return "";
  if (contraction === "m" || contraction === "re") return " is";
  if (contraction === "ve") return " has";
  if (contraction === "ll") return " will";
  return contraction === "d" && /^(?:like|love|rather|prefer|want|need)$/i.test(next ?? "") ? " would" : null;
}

const pluralEndings: Readonly<Record<string, string>> = { " is": " are", " has": " have" };

function possessive(name: string): string {
  return `${name}'s`;
}

function capitalised(text: string): string {
  return text.replace(/^[^\p{L}\p{N}]{0,3}\p{Ll}/u, (start) => start.toUpperCase());
}
