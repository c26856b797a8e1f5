// Owns what a language's word list consists of, and how its phrases become patterns. Must never hold a word of a language itself.

import type { Language } from "./language.ts";

/** Why a sentence is worth remembering. */
export const categories = [
  "rule",
  "correction",
  "decision",
  "deadline",
  "identity",
  "relation",
  "preference",
  "tool",
  "change",
  "state",
] as const;
export type Category = (typeof categories)[number];

export interface Cue {
  readonly category: Category;
  /** Whether it is enough alone; otherwise the sentence must also name something: a proper name, a number, a version. */
  readonly certain: boolean;
  readonly pattern: RegExp;
}

export interface Lexicon {
  readonly language: Language;
  /** Frequent small words that give the language away. */
  readonly functionWords: ReadonlySet<string>;
  /** The first that matches decides the category. */
  readonly cues: readonly Cue[];
  /** Sentences that are dropped whatever else they say, by reason. */
  readonly exclusions: Readonly<Record<ExclusionReason, readonly RegExp[]>>;
  /** Words at the start that carry nothing: "Well, ", "By the way, ". */
  readonly fillers: RegExp;
  /** Sentences that order, whatever else made them worth remembering. */
  readonly orders?: RegExp;
  /** "I" and "we" in all their forms. */
  readonly firstPerson: RegExp;
  /** "We" in all its forms. */
  readonly firstPlural: RegExp;
  /** What the speaker is called where the text gives no name. */
  readonly user: string;
}

export const exclusionReasons = ["question", "smallTalk", "speculation", "unclear"] as const;
export type ExclusionReason = (typeof exclusionReasons)[number];

/** A word ends here, or the phrase itself ended with the blank after it. */
const end = "(?:(?<=\\s)|(?![\\p{L}\\p{N}_]))";

/**
 * A pattern for any of the phrases as whole words. A phrase is a regular expression; "…" stands for up to 40 characters. Nothing in a
 * phrase may repeat without a bound: the work must stay linear in the text.
 */
export function phrases(...alternatives: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${join(alternatives)})${end}`, "iu");
}

/** Like `phrases`, at the start of the sentence only, or after what introduces it: "One more thing: ". */
export function opening(...alternatives: readonly string[]): RegExp {
  return new RegExp(`^(?:[^:]{1,45}: )?[^\\p{L}\\p{N}]{0,3}(?:${join(alternatives)})${end}`, "iu");
}

/** Sentences of nothing but one of the phrases. */
export function wholeSentence(...alternatives: readonly string[]): RegExp {
  return new RegExp(`^[^\\p{L}\\p{N}]{0,3}(?:${join(alternatives)})[^\\p{L}\\p{N}]*$`, "iu");
}

/**
 * Up to four of the words at the start of a sentence that goes on. After those of `bare` it may go on at once ("and we ..."), after
 * those of `marked` only behind a comma or the like ("No, we ...").
 */
export function leadingFillers(bare: string, marked: string): RegExp {
  const filler = `(?:(?:${join([bare])})[ ,:;.!–-]{1,4}|(?:${join([marked])})[,:;.!–-][ ,:;.!–-]{0,4})`;
  return new RegExp(`^[^\\p{L}\\p{N}]{0,3}${filler}{1,4}(?=[\\p{L}\\p{N}"\u0060])`, "iu");
}

export function certain(category: Category, pattern: RegExp): Cue {
  return { category, certain: true, pattern };
}

export function likely(category: Category, pattern: RegExp): Cue {
  return { category, certain: false, pattern };
}

export function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/).filter((word) => word !== ""));
}

function join(alternatives: readonly string[]): string {
  return alternatives.map((phrase) => phrase.replaceAll("…", ".{0,40}?").replaceAll("'", "['’]")).join("|");
}
