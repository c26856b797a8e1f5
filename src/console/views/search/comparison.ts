// Owns what the search lab asks and compares: both modes, a wider search that also returns what the modes exclude, and an injection. Must
// never rank anything itself: scores and orders are those of the server.

import type { Memledger } from "../../../../clients/typescript/src/client.ts";
import type {
  AgentMemory,
  Injection,
  MemorySearchRequest,
  SearchMode,
  SearchResult,
} from "../../../../clients/typescript/src/index.ts";

/** What the address asks for. */
export interface Asked {
  readonly query: string;
  /** "": every type. */
  readonly type: string;
  readonly tags: readonly string[];
  readonly count: number;
  /** The lowest similarity; null: the default of each call. */
  readonly floor: number | null;
}

/** Parts of a final score: their sum is the score. */
export interface Parts {
  readonly similarity: number;
  readonly words: number;
  readonly importance: number;
}

export interface Hit {
  readonly memory: AgentMemory;
  readonly score: number;
  readonly similarity: number;
  /** Null: the mode reads no words. */
  readonly keyword: number | null;
  readonly parts: Parts;
}

/** A memory that the mode did not return. */
export interface Miss extends Hit {
  readonly reason: string;
}

export interface Column {
  readonly hits: readonly Hit[];
  readonly misses: readonly Miss[];
}

export interface Comparison {
  readonly semantic: Column;
  readonly hybrid: Column;
  readonly injection: Injection;
}

const importanceWeight = 0.3;
const relevanceWeight = 1 - importanceWeight;
/** How many memories more than asked for the wider search returns. */
const widerBy = 15;
const countMax = 50;
const missesMax = 6;

/** @throws MemledgerError of the first call that fails */
export async function compare(
  client: Memledger,
  asked: Asked,
  atMs: number,
  signal: AbortSignal,
): Promise<Comparison> {
  const { query, type, tags, count, floor } = asked;
  const filter = {
    query,
    top_k: count,
    ...(type === "" ? {} : { memory_type: toType(type) }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(floor === null ? {} : { min_similarity: floor }),
  } satisfies MemorySearchRequest;
  const { memory_type: _, ...injected } = filter;
  const options = { signal };
  const [semantic, hybrid, wider, injection] = await Promise.all([
    client.memories.search({ ...filter, mode: "semantic" }, options),
    client.memories.search({ ...filter, mode: "hybrid" }, options),
    client.memories.search(
      {
        query,
        mode: "hybrid",
        top_k: Math.min(countMax, count + widerBy),
        include_expired: true,
        include_inactive: true,
      },
      options,
    ),
    client.memories.inject(injected, options),
  ]);
  const found = { semantic: semantic.results, hybrid: hybrid.results };
  const columnOf = (mode: SearchMode): Column => {
    const hits = found[mode].map((result) => toHit(result, mode));
    return { hits, misses: missesOf(wider.results, hits, mode, asked, atMs) };
  };
  return { semantic: columnOf("semantic"), hybrid: columnOf("hybrid"), injection };
}

export function toType(text: string): AgentMemory["memory_type"] {
  return text === "rule" || text === "context" ? text : "fact";
}

function toHit({ memory, similarity, score_details }: SearchResult, mode: SearchMode): Hit {
  const details = mode === "hybrid" ? score_details : undefined;
  const relevance = details?.relevance ?? similarity;
  const parts = {
    similarity: relevanceWeight * similarity,
    words: relevanceWeight * (relevance - similarity),
    importance: importanceWeight * memory.importance,
  };
  return {
    memory,
    similarity,
    keyword: details?.keyword ?? null,
    parts,
    score: parts.similarity + parts.words + parts.importance,
  };
}

function missesOf(
  wider: readonly SearchResult[],
  hits: readonly Hit[],
  mode: SearchMode,
  asked: Asked,
  atMs: number,
): Miss[] {
  const found = new Set(hits.map(({ memory }) => memory.id));
  return wider
    .filter(({ memory }) => !found.has(memory.id))
    .map((result) => toHit(result, mode))
    .sort((left, right) => right.score - left.score)
    .slice(0, missesMax)
    .map((hit) => ({ ...hit, reason: reasonOf(hit, asked, atMs) }));
}

/** Why a memory that matches the query about as well as the hits is not among them. */
function reasonOf({ memory, similarity }: Hit, { type, tags, count, floor }: Asked, atMs: number): string {
  if (!memory.is_active) return "inactive";
  if (memory.expires_at !== null && Date.parse(memory.expires_at) <= atMs) return "expired";
  if (type !== "" && memory.memory_type !== type) return `a ${memory.memory_type}`;
  const missing = tags.find((tag) => memory.tags?.includes(tag) !== true);
  if (missing !== undefined) return `without the tag ${missing}`;
  if (floor !== null && similarity < floor) return "below the floor";
  return `not among the first ${count}`;
}
