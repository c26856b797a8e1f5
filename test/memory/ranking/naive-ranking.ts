// Owns the rule of the contract about search, written down once more and as plainly as possible: every memory is compared in float64, and
// everything is sorted. Uses no part of src/memory/ranking, so that the two cannot be wrong in the same way. Texts must consist of words that share
// no stem and are no stop words.

import type { SearchQuery } from "../../../src/calls/storage/memory-store.ts";
import type { MemoryType } from "../../../src/memory/memory.ts";
import type { TagFilter } from "../../../src/memory/tags.ts";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { isDescribed } from "./naive-metadata.ts";

export interface NaiveMemory {
  readonly id: string;
  /** Increases with creation. */
  readonly serial: number;
  readonly type: MemoryType;
  readonly passage: boolean;
  readonly importance: number;
  readonly active: boolean;
  readonly expiresAt: number | null;
  readonly tags: readonly string[];
  readonly metadata: JsonObject | null;
  readonly words: ReadonlySet<string>;
  readonly vector: Float32Array;
}

export interface NaiveHit {
  readonly id: string;
  readonly importance: number;
  readonly similarity: number;
  readonly keyword: number;
  readonly relevance: number;
  readonly score: number;
}

/** Of a query, only so many words count: the rarest ones that some memory has. */
const countedWords = 64;
/** In a project of at most so many memories, so many words of a query that none has may be mistyped; so many words may be meant by each. */
const correctedProject = 100_000;
const correctedWords = 8;
const meantWords = 64;
/** Of the similar memories, so many with the tags are told, and as many others. */
const similarAtMost = 50;

/** The distinct words of a text, in their order. */
export function wordsOf(text: string): string[] {
  const letters = text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return [...new Set(letters.split(/[^\p{L}\p{N}]+/u))].filter((word) => word !== "");
}

/** Cosine in float64, rounded to nine decimals, limited to 0..1. */
export function similarityOf(a: Float32Array, b: Float32Array): number {
  let [dot, squaresOfA, squaresOfB] = [0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    const x = a[at] ?? 0;
    const y = b[at] ?? 0;
    dot += x * y;
    squaresOfA += x * x;
    squaresOfB += y * y;
  }
  const rounded = Math.round((dot / Math.sqrt(squaresOfA * squaresOfB)) * 1e9) / 1e9;
  return Math.max(0, Math.min(1, rounded)) + 0;
}

/** The memories that a search may find, whatever their similarity is. */
export function searchable(memories: readonly NaiveMemory[], query: SearchQuery): NaiveMemory[] {
  return memories.filter(
    (memory) =>
      (query.types === null || query.types.includes(memory.type)) &&
      ((query.origin ?? null) === null || memory.passage === (query.origin === "conversation")) &&
      (query.tags === null || matches(memory, query.tags)) &&
      isDescribed(memory.metadata, query.metadata ?? []) &&
      (query.includeInactive || memory.active) &&
      (query.includeExpired || memory.expiresAt === null || memory.expiresAt > query.now),
  );
}

/** A word of a query, or those that it may mean, with its weight relative to the sum of all weights. */
export type WordShare = readonly [anyOf: readonly string[], share: number];

/**
 * The best `topK` of all memories: by score, and of equal scores the newest first.
 * @param shares pass those of all memories when `memories` is a part of them
 */
export function rankNaively(
  memories: readonly NaiveMemory[],
  query: SearchQuery,
  shares: readonly WordShare[] = sharesOf(countHolders(memories, query)),
): NaiveHit[] {
  return searchable(memories, query)
    .map((memory) => {
      const similarity = similarityOf(query.vector, memory.vector);
      let held = 0;
      for (const [anyOf, share] of shares) if (anyOf.some((word) => memory.words.has(word))) held += share;
      const keyword = Math.min(1, held);
      const relevance = query.words === null ? similarity : similarity + (1 - similarity) * 0.7 * keyword;
      const importance = memory.importance + 0;
      const score = relevance * 0.7 + importance * 0.3;
      return { id: memory.id, serial: memory.serial, importance, similarity, keyword, relevance, score };
    })
    .filter(({ similarity }) => similarity >= query.minSimilarity)
    .filter(({ relevance }) => relevance >= (query.minRelevance ?? 0))
    .sort((a, b) => b.score - a.score || b.serial - a.serial)
    .slice(0, query.topK)
    .map(({ serial: _, ...hit }) => hit);
}

/** The rules of an injection: active and unexpired, by importance, then oldest first. */
export function rulesNaively(memories: readonly NaiveMemory[], now: number): string[] {
  return memories
    .filter(({ type, active }) => type === "rule" && active)
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .sort((a, b) => b.importance - a.importance || a.serial - b.serial)
    .map(({ id }) => id);
}

interface SimilarQuery {
  readonly vector: Float32Array;
  readonly above: number;
  readonly tags: readonly string[];
  readonly now: number;
}

/** The unexpired memories above the threshold, the most similar first: the nearest with all of the tags, and as many others. */
export function similarNaively(
  memories: readonly NaiveMemory[],
  { vector, above, tags, now }: SimilarQuery,
): { id: string; similarity: number }[] {
  const told = { inScope: 0, others: 0 };
  return memories
    .filter(({ passage, active, expiresAt }) => !passage && active && (expiresAt === null || expiresAt > now))
    .map((memory) => ({ memory, similarity: similarityOf(vector, memory.vector) }))
    .filter(({ similarity }) => similarity > above)
    .sort((a, b) => b.similarity - a.similarity || b.memory.serial - a.memory.serial)
    .filter(({ memory }) => {
      const group = tags.every((tag) => memory.tags.includes(tag)) ? "inScope" : "others";
      told[group] += 1;
      return told[group] <= similarAtMost;
    })
    .map(({ memory: { id }, similarity }) => ({ id, similarity }));
}

function matches({ tags }: NaiveMemory, filter: TagFilter): boolean {
  const held = filter.tags.filter((tag) => tags.includes(tag)).length;
  return filter.match === "all" ? held === filter.tags.length : held > 0;
}

/** How many of the searched memories have each word of a query, or one of the words that it may mean. */
export interface WordCounts {
  /** In the project. */
  readonly stored: number;
  readonly searched: number;
  readonly holders: readonly WordCount[];
}

interface WordCount {
  readonly word: string;
  readonly count: number;
  /** Words of searched memories that one typing error separates from it, in alphabetical order, and the memories with one of them. */
  readonly meant: readonly string[];
  readonly meantCount: number;
}

export function countHolders(memories: readonly NaiveMemory[], query: SearchQuery): WordCounts {
  const searched = searchable(memories, query);
  const known = new Set(searched.flatMap(({ words }) => [...words]));
  const countOf = (anyOf: readonly string[]) =>
    searched.filter(({ words }) => anyOf.some((word) => words.has(word))).length;
  const holders = wordsOf(query.words ?? "").map((word) => {
    const all = isWordOfLetters(word) ? [...known].filter((other) => errorsBetween(word, other) === 1) : [];
    const meant = all
      .filter((other) => /^\p{L}+$/u.test(other))
      .sort()
      .slice(0, meantWords);
    return { word, count: countOf([word]), meant, meantCount: countOf(meant) };
  });
  return { stored: memories.length, searched: searched.length, holders };
}

function isWordOfLetters(word: string): boolean {
  return /^\p{L}{4,}$/u.test(word);
}

/** Characters inserted, deleted, changed or exchanged with their neighbour that make one word of the other; 2 for more. */
function errorsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 1) return 2;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  const errors = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j++) {
      const changed = errors(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const exchanged = isExchange ? errors(i - 2, j - 2) + 1 : changed;
      rows[i]?.push(Math.min(errors(i - 1, j) + 1, errors(i, j - 1) + 1, changed, exchanged));
    }
  }
  return Math.min(2, errors(a.length, b.length));
}

/** Each counted word with its share: the square of its rarity among the searched memories, relative to the sum of all. */
export function sharesOf({ stored, searched, holders }: WordCounts): WordShare[] {
  const unknown = holders.filter(({ word, count }) => count === 0 && isWordOfLetters(word));
  const corrected = new Set(stored > correctedProject ? [] : unknown.slice(0, correctedWords));
  const found = holders.map((each) =>
    corrected.has(each) ? ([each.meant, each.meantCount] as const) : ([[each.word], each.count] as const),
  );
  return weighted(found, searched);
}

function weighted(
  holders: readonly (readonly [anyOf: readonly string[], count: number])[],
  searched: number,
): WordShare[] {
  let counted = holders;
  if (holders.length > countedWords) {
    const found = holders.filter(([, count]) => count > 0);
    const rarest = new Set(found.toSorted(([, a], [, b]) => a - b).slice(0, countedWords));
    counted = found.filter((each) => rarest.has(each));
  }
  const weights = counted.map(([anyOf, count]) => {
    const weight = Math.log(1 + (searched - count + 0.5) / (count + 0.5)) ** 2;
    return [anyOf, weight] as const;
  });
  let total = 0;
  for (const [, weight] of weights) total += weight;
  return weights.map(([anyOf, weight]) => [anyOf, weight / total]);
}
