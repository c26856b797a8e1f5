// Owns the type of a language's lexicon, and the functions that turn phrases into patterns. Must never contain words of a language.

import type { Language } from "./language.ts";

/** The reason why a sentence becomes a memory. */
const categories = [
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
  /** True: the pattern is sufficient. False: the sentence must also contain something specific, such as a name, a number or a version. */
  readonly certain: boolean;
  readonly pattern: RegExp;
}

export interface Lexicon {
  readonly language: Language;
  /** Frequent function words, by which the language is detected. */
  readonly functionWords: ReadonlySet<string>;
  /** The first cue that matches determines the category. */
  readonly cues: readonly Cue[];
  /** Patterns of sentences that are always excluded, by reason. */
  readonly exclusions: Readonly<Record<ExclusionReason, readonly RegExp[]>>;
  /** Words without meaning at the start of a sentence: "Well, ", "By the way, ". */
  readonly fillers: RegExp;
  /** Sentences that are rules, whatever their category is. */
  readonly orders?: RegExp;
}

export const exclusionReasons = ["question", "smallTalk", "speculation", "unclear"] as const;
export type ExclusionReason = (typeof exclusionReasons)[number];

/** End of a word, or of a phrase that ends with a blank. */
const end = "(?:(?<=\\s)|(?![\\p{L}\\p{N}_]))";

/**
 * A pattern that matches any of the phrases as whole words. A phrase is a regular expression; "…" matches up to 40 characters. Repetitions
 * in a phrase must be bounded, so that matching takes linear time.
 */
export function phrases(...alternatives: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${join(alternatives)})${end}`, "iu");
}

/** Like `phrases`, but only at the start of the sentence, or after an introduction such as "One more thing: ". */
export function opening(...alternatives: readonly string[]): RegExp {
  return new RegExp(`^(?:[^:]{1,45}: )?[^\\p{L}\\p{N}]{0,3}(?:${join(alternatives)})${end}`, "iu");
}

/** Sentences that consist of one of the phrases only. */
export function wholeSentence(...alternatives: readonly string[]): RegExp {
  return new RegExp(`^[^\\p{L}\\p{N}]{0,3}(?:${join(alternatives)})[^\\p{L}\\p{N}]*$`, "iu");
}

/**
 * Up to four filler words at the start of a sentence. After words of `bare` the sentence may continue directly ("and we ..."), after words of
 * `marked` only after a comma or similar ("No, we ...").
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
