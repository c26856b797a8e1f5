// Owns the comparison of answers of a store with the naive ranking of what is stored. Every difference is an error that names the query.

import type { SearchHit, SearchQuery, SimilarityQuery } from "../../../src/calls/storage/memory-store.ts";
import { finalScore } from "../../../src/memory/ranking/scores.ts";
import { type Member, neverAborted, type Seam } from "../../calls/storage/seam.ts";
import {
  type NaiveHit,
  rankNaively,
  rulesNaively,
  similarNaively,
} from "../../memory/ranking/naive-ranking.ts";
import type { StoredMemory } from "./naive-memories.ts";

/** What was compared. */
export interface Compared {
  answers: number;
  /** Memories in these answers. */
  hits: number;
  /** Hits with a word of the query. */
  hitsWithWords: number;
  /** Hits with the score of the hit before them. */
  ties: number;
}

export function createCompared(): Compared {
  return { answers: 0, hits: 0, hitsWithWords: 0, ties: 0 };
}

/** The numbers of an answer that a client sees, or can compute again. */
export function toNaiveHits(found: readonly SearchHit[]): NaiveHit[] {
  return found.map(({ memory: { id, importance }, similarity, keyword, relevance }) => ({
    id,
    importance: importance + 0,
    similarity,
    keyword,
    relevance,
    score: finalScore(relevance, importance),
  }));
}

export interface Comparison {
  readonly seam: Seam;
  readonly member: Member;
  readonly memories: readonly StoredMemory[];
  /** For messages. */
  readonly where: string;
  readonly compared: Compared;
}

export async function compareSearch(comparison: Comparison, query: SearchQuery): Promise<void> {
  const { member, memories } = comparison;
  requireHits(comparison, rankNaively(memories, query), await member.search(query), query);
}

export async function compareInjection(comparison: Comparison, query: SearchQuery): Promise<void> {
  const { seam, member, memories, where } = comparison;
  const { owner } = member.caller;
  const { rules, hits } = await seam.store.memories.readForInjection(
    owner,
    { ...query, prompt: null },
    neverAborted,
  );
  const ids = rules.map(({ id }) => id);
  requireEqual(rulesNaively(memories, query.now), ids, `${where}, rules`, query);
  requireHits(comparison, rankNaively(memories, query), hits, query);
}

export async function compareSimilar(comparison: Comparison, query: SimilarityQuery): Promise<void> {
  const { seam, member, memories, where, compared } = comparison;
  const { owner } = member.caller;
  const { found, revision } = await seam.store.memories.findSimilar(owner, query, neverAborted);
  const expected = query.vectors.map((vector) => similarNaively(memories, { ...query, vector }));
  requireEqual(expected.flat(), found.flat(), `${where}, similar memories`, query);
  requireEqual(expected, found, `${where}, similar memories by item`, query);
  const newest = memories.reduce((most, each) => Math.max(most, each.revision), 0);
  if (revision < newest) throw new Error(`${where}: the revision ${revision} is before ${newest}`);
  compared.answers += 1;
  compared.hits += expected.flat().length;
}

function requireHits(
  { where, compared }: Comparison,
  expected: readonly NaiveHit[],
  found: readonly SearchHit[],
  query: SearchQuery,
): void {
  const hits = toNaiveHits(found);
  requireEqual(expected, hits, where, query);
  compared.answers += 1;
  compared.hits += hits.length;
  compared.hitsWithWords += hits.filter(({ keyword }) => keyword > 0).length;
  compared.ties += hits.filter(({ score }, at) => score === hits[at - 1]?.score).length;
}

/** Faster than `expect` for long lists, and names the first difference. */
function requireEqual(
  expected: readonly unknown[],
  found: readonly unknown[],
  where: string,
  query: object,
): void {
  if (Bun.deepEquals(expected, found, true)) return;
  const length = Math.max(expected.length, found.length);
  const at = Array.from({ length }, (_, position) => position).findIndex(
    (position) => !Bun.deepEquals(expected[position], found[position], true),
  );
  const show = (list: readonly unknown[]) => `${list.length}: ${Bun.inspect(list.slice(at, at + 3))}`;
  throw new Error(
    `${where}: the answer differs from the naive ranking at position ${at}.\nexpected ${show(expected)}\nfound ${show(found)}\nquery ${Bun.inspect({ ...query, vector: "", vectors: "" })}`,
  );
}
