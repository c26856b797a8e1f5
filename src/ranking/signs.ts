// Owns the signs of relevance that are read from the texts of a query and a memory, without a model, each 0..1. They know English, and memories
// of the form `[date] Name: text`. Must never be used to exclude a memory: a sign only moves it.

import { shareOfPeriod } from "../dates/memory-period.ts";
import type { Period } from "../dates/period.ts";
import { splitWords } from "./words.ts";

/** What a sign adds to the relevance of a memory. Chosen on conversations (models/memledger-rerank-v1/README.md); coarse on purpose. */
export const signWeights = {
  /** The query contains the name of the memory's speaker. */
  speaker: 0.15,
  /** The query asks for a time, and the memory names one. */
  time: 0.1,
  /** The share of the memory's sentences that are questions: they seldom answer one. */
  asks: -0.1,
  /**
   * The query names a period, and this part of the memory's date is in it. Chosen on questions about a time (test/memory/dated) as the
   * greatest coarse value with which no figure of the conversations falls.
   */
  period: 0.3,
} as const;

export type Signs = Readonly<Record<keyof typeof signWeights, number>>;

/** Characters of a memory in which signs are looked for; the model reads about as many tokens. */
const readCharacters = 2_000;

const header = /^(?:\[[^\]]*\] |\([^)]*\) )?/;
const speakerForm = /^(\p{Lu}[\p{L}\p{M}\p{N}_'’-]+): /u;
/** Without an opening bracket inside, so that its time is linear. */
const bracketed = /\[[^[\]]*\]/g;
const sentence = /[^.!?]+[.!?]*/g;
const asksForTime = /\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\bhow long\b/i;
const namesTime =
  /\b(?:yesterday|today|tonight|tomorrow|ago|last|next|recently|since|this (?:week|month|year|weekend|morning|summer|winter|spring|fall)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|20\d\d)\b/i;

/** What signs are read from. */
interface SignedMemory {
  readonly content: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Reads the query once. @param period that the query names; null: none. @returns the signs of a memory */
export function createSignReader(query: string, period: Period | null): (memory: SignedMemory) => Signs {
  const words = new Set(splitWords(query));
  const wantsTime = asksForTime.test(query);
  return (memory) => {
    const text = memory.content.slice(0, readCharacters).replace(header, "");
    const speaker = speakerForm.exec(text);
    const name = splitWords(speaker?.[1] ?? "");
    const body = text
      .slice(speaker?.[0].length ?? 0)
      .replace(bracketed, "")
      .trim();
    return {
      speaker: name.length > 0 && name.every((word) => words.has(word)) ? 1 : 0,
      time: wantsTime && namesTime.test(body) ? 1 : 0,
      asks: shareOfQuestions(body),
      period: period === null ? 0 : shareOfPeriod(memory, period),
    };
  };
}

function shareOfQuestions(body: string): number {
  let sentences = 0;
  let questions = 0;
  for (const [each] of body.matchAll(sentence)) {
    sentences += 1;
    if (each.trimEnd().endsWith("?")) questions += 1;
  }
  return questions / Math.max(1, sentences);
}
