// Owns the searches whose answers are compared at the end: of every kind, with words that share no stem and are no stop words, as the naive
// ranking needs them.

import { madeUpWord } from "../../bench/scale-fill.ts";
import type { SearchQuery } from "../../src/calls/storage/memory-store.ts";
import { memoryTypes } from "../../src/memory/memory.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { topKMax } from "../../src/platform/limits.ts";
import { createRandom, type Target } from "../crash/load.ts";
import type { NaiveHit } from "../memory/ranking/naive-ranking.ts";

export interface ComparedSearch {
  readonly input: JsonObject;
  readonly query: SearchQuery;
}

/** Each is stored as a memory of another project, so that its vector can be read; a query has the same one. */
export function comparedTexts(seed: number): string[] {
  const random = createRandom(seed);
  return [
    "Alice, Carol and dark",
    "invoice export mobile login",
    "ticket 4711 Dave",
    "Bob retrospective guide",
  ].map((text) => `${text} ${madeUpWord(random)}`);
}

/** @param vectors of the texts */
export function comparedSearches(seed: number, vectors: ReadonlyMap<string, Float32Array>): ComparedSearch[] {
  const random = createRandom(seed);
  return [...vectors].flatMap(([text, vector], number) =>
    ["semantic", "hybrid"].flatMap((mode) =>
      [0, 1, 2].map((variant): ComparedSearch => {
        const types = variant === 1 ? [memoryTypes[number % memoryTypes.length] ?? "fact"] : null;
        const tags = variant === 2 ? [`team ${number % 4}`] : null;
        const query: SearchQuery = {
          vector,
          words: mode === "hybrid" ? text : null,
          types,
          tags: tags === null ? null : { tags, match: "all" },
          topK: variant === 0 ? topKMax : 1 + Math.floor(random() * topKMax),
          minSimilarity: variant === 2 && random() < 0.5 ? 0.05 : 0,
          includeExpired: variant === 1,
          includeInactive: variant === 2,
          now: Date.now(),
        };
        const input: JsonObject = {
          query: text,
          mode,
          rerank: "off",
          top_k: query.topK,
          min_similarity: query.minSimilarity,
          include_expired: query.includeExpired,
          include_inactive: query.includeInactive,
          ...(types === null ? null : { memory_type: types[0] ?? null }),
          ...(tags === null ? null : { tags }),
        };
        return { input, query };
      }),
    ),
  );
}

/** @returns one sentence for each search whose answer is another one */
export async function compareAnswers(
  { url, key }: Target,
  searches: readonly ComparedSearch[],
  expected: readonly (readonly NaiveHit[])[],
): Promise<string[]> {
  const faults: string[] = [];
  for (const [at, { input }] of searches.entries()) {
    const response = await fetch(`${url}/v1/memories/search`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify(input),
    });
    const envelope: Json = JSON.parse(await response.text());
    const data = isObject(envelope) && isObject(envelope.data) ? envelope.data : {};
    const found = (Array.isArray(data.results) ? data.results.filter(isObject) : []).map(shownHit);
    const wanted = (expected[at] ?? []).map((hit) => expectedHit(hit, input.mode === "hybrid"));
    if (response.status === 200 && Bun.deepEquals(found, wanted, true)) continue;
    const first = wanted.findIndex((hit, position) => !Bun.deepEquals(hit, found[position], true));
    faults.push(
      `the search ${JSON.stringify(input)} answered ${response.status} and differs at ${first}: ${JSON.stringify(found[first])}, and not ${JSON.stringify(wanted[first])}; ${found.length} and ${wanted.length} results`,
    );
  }
  return faults;
}

function shownHit({ memory, ...result }: JsonObject): JsonObject {
  const id = isObject(memory ?? null) ? Object(memory).id : null;
  return { id, ...result };
}

function expectedHit(
  { id, similarity, keyword, relevance, importance, score }: NaiveHit,
  isHybrid: boolean,
): JsonObject {
  const hit = { id, similarity, final_score: score };
  return isHybrid ? { ...hit, score_details: { similarity, keyword, relevance, importance } } : hit;
}
