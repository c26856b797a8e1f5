// Owns what the search lab asks: both modes and an injection, each with what it has not returned and why. Must never rank anything itself:
// scores, orders and reasons are those of the server.

import type {
  AgentMemory,
  Injection,
  MemorySearchRequest,
  MissedMemory,
  SearchResult,
  SearchResults,
} from "../../../../clients/typescript/src/index.ts";
import type { ProjectClient } from "../../api/calls.ts";

/** What the address asks for. */
export interface Asked {
  readonly query: string;
  /** "": every type. */
  readonly type: string;
  readonly tags: readonly string[];
  /** Whether one of the tags is enough. */
  readonly isAnyTag: boolean;
  readonly count: number;
  /** The lowest similarity; null: the default of each call. */
  readonly floor: number | null;
  /** Whether the calls are as those of other callers, who get reranked answers unless they ask for others. */
  readonly isReranked: boolean;
}

export interface Comparison {
  readonly semantic: SearchResults;
  readonly hybrid: SearchResults;
  readonly injection: Injection;
}

/** Parts of a final score: their sum is the score. */
export interface Parts {
  readonly similarity: number;
  readonly words: number;
  readonly importance: number;
}

const importanceWeight = 0.3;
const relevanceWeight = 1 - importanceWeight;

/** @throws MemledgerError of the first call that fails */
export async function compare(client: ProjectClient, asked: Asked, signal: AbortSignal): Promise<Comparison> {
  const { memory_type, ...injected } = toSearch(asked);
  const rerank = asked.isReranked ? undefined : "off";
  const filter = { ...injected, top_k: asked.count, explain: true, rerank } satisfies MemorySearchRequest;
  const search = (mode: "semantic" | "hybrid") =>
    client.memories.search({ ...filter, memory_type, mode }, { signal });
  const [semantic, hybrid, injection] = await Promise.all([
    search("semantic"),
    search("hybrid"),
    client.memories.inject(filter, { signal }),
  ]);
  return { semantic, hybrid, injection };
}

/** The query and its filters, as searches and checks have them. */
export function toSearch({ query, type, tags, isAnyTag, floor }: Asked) {
  return {
    query,
    memory_type: type === "" ? undefined : toType(type),
    tags: tags.length === 0 ? undefined : tags,
    tags_match: tags.length > 1 && isAnyTag ? ("any" as const) : undefined,
    min_similarity: floor ?? undefined,
  };
}

function toType(text: string): AgentMemory["memory_type"] {
  return text === "rule" || text === "context" ? text : "fact";
}

export function partsOf({ memory, similarity, score_details }: SearchResult): Parts {
  const relevance = score_details?.rerank?.relevance ?? score_details?.relevance ?? similarity;
  return {
    similarity: relevanceWeight * Math.min(similarity, relevance),
    words: relevanceWeight * Math.max(relevance - similarity, 0),
    importance: importanceWeight * memory.importance,
  };
}

/** Why a memory was not returned, a text for each condition that it does not meet. */
export function reasonsOf({ memory, reasons }: MissedMemory, { tags, isAnyTag, count }: Asked): string[] {
  const missing = tags.filter((tag) => memory.tags?.includes(tag) !== true).join(", ");
  const texts = {
    type: `a ${memory.memory_type}`,
    origin: memory.origin === "conversation" ? "a passage" : "not a passage",
    tags: isAnyTag ? "without one of the tags" : `without the tag ${missing}`,
    metadata: "without the metadata",
    inactive: "inactive",
    expired: "expired",
    below_floor: "below the minimum",
    rank: `not among the first ${count}`,
    budget: "does not fit",
  } satisfies Readonly<Record<MissedMemory["reasons"][number], string>>;
  return reasons.map((reason) => texts[reason]);
}
