// Compares searches of a server that met a crash or a fault of its disk with the naive ranking of what its database holds. Creates one
// memory, whose vector is that of the queries: the model gives a text the same vector as a query. Must never touch the cache.

import type { SearchQuery } from "../../src/calls/storage/memory-store.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { readStoredMemories } from "../engines/sqlite/naive-memories.ts";
import { rankNaively } from "../memory/ranking/naive-ranking.ts";
import type { Call, Load, Target } from "./load.ts";

export interface SearchedProject extends Target {
  readonly projectId: string;
  /** Path of the database. */
  readonly database: string;
}

/** @param load sends the memory @returns one sentence per answer that is not the naive ranking */
export async function findInexact(project: SearchedProject, load: Load): Promise<string[]> {
  const created = await load.send(project, "memory.create");
  if (created.status !== 201) return [`before a search, a create was answered ${describe(created)}`];
  const faults = [];
  for (const topK of [1, 7, 50]) faults.push(...(await compare(project, created.data, topK)));
  return faults;
}

async function compare(
  { url, key, projectId, database }: SearchedProject,
  created: JsonObject,
  topK: number,
): Promise<string[]> {
  const input = { query: created.content, mode: "semantic", top_k: topK, min_similarity: 0 };
  const response = await fetch(`${url}/v1/memories/search`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(input),
  });
  const text = await response.text();
  if (response.status !== 200) return [`a search was answered ${response.status}: ${text}`];
  using stored = readStoredMemories(database);
  const memories = stored.of(projectId);
  const vector = memories.find(({ id }) => id === created.id)?.vector;
  if (vector === undefined) return [`the memory ${String(created.id)} has no vector`];
  const query: SearchQuery = {
    vector,
    words: null,
    types: null,
    tags: null,
    topK,
    minSimilarity: 0,
    includeExpired: false,
    includeInactive: false,
    now: Date.now(),
  };
  const expected = rankNaively(memories, query).map(({ id, similarity, score }) => ({
    id,
    similarity,
    final_score: score,
  }));
  const envelope: unknown = JSON.parse(text);
  const found = resultsOf(envelope);
  if (Bun.deepEquals(found, expected, true)) return [];
  return [
    `a search for ${topK} of ${memories.length} memories found ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`,
  ];
}

function resultsOf(envelope: unknown): unknown[] {
  const data = isObject(envelope) && isObject(envelope.data) ? envelope.data : {};
  const results: unknown[] = Array.isArray(data.results) ? data.results : [];
  return results.filter(isObject).map(({ memory, similarity, final_score }) => ({
    id: isObject(memory) ? memory.id : null,
    similarity,
    final_score,
  }));
}

function describe({ status, code }: Call): string {
  return `${status} with code ${code}`;
}
