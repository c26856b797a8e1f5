// Owns what memories need from a storage engine.

import type { Project } from "../access/project.ts";
import type { Memory, MemoryType } from "./memory.ts";

export interface ListQuery {
  readonly type: MemoryType | null;
  readonly sortBy: "created_at" | "updated_at" | "importance";
  readonly direction: "asc" | "desc";
  readonly limit: number;
  readonly offset: number;
}

export interface MemoryPage {
  readonly memories: readonly Memory[];
  readonly total: number;
}

export interface SearchQuery {
  /** Float32Array [dimensions], L2-normalised. */
  readonly vector: Float32Array;
  /** Text whose words join the ranking; null: ranked by meaning alone. Any text: none of it is query syntax. */
  readonly words: string | null;
  /** Null is all. */
  readonly types: readonly MemoryType[] | null;
  readonly topK: number;
  /** Cosine, 0..1. */
  readonly minSimilarity: number;
  readonly includeExpired: boolean;
  readonly includeInactive: boolean;
  readonly now: number;
}

export interface SearchHit {
  readonly memory: Memory;
  /** Cosine, clamped to 0..1; also of hits that only their words brought here. */
  readonly similarity: number;
  /** How well the words of the query are met, 0..1; 0 when the query has none. */
  readonly keyword: number;
  /** Both together, 0..1; the similarity itself when the query has no words. What the final score is made of. */
  readonly relevance: number;
}

/** What an injection chooses from, as of one moment. */
export interface InjectionCandidates {
  /** By importance, then newest first. */
  readonly rules: readonly Memory[];
  readonly hits: readonly SearchHit[];
}

/** A memory's place among the others: Float32Array [dimensions], L2-normalised. */
export interface MemoryVector {
  readonly id: string;
  readonly vector: Float32Array;
}

export interface SimilarMemory {
  readonly id: string;
  /** Cosine of the two vectors, clamped to 0..1. */
  readonly similarity: number;
}

export interface SimilarityQuery {
  /** Items of one call: Float32Array [dimensions] each, L2-normalised. */
  readonly vectors: readonly Float32Array[];
  /** The items of the call before these, in their order: Float32Array [items x dimensions]; in shared memory no question copies it. */
  readonly earlier: Float32Array;
  /** Cosine, excluded. */
  readonly above: number;
  readonly now: number;
}

export interface SimilarMemories {
  /** Changes with a higher revision are not seen. */
  readonly revision: number;
  /** For each vector the most similar memories first, inactive ones too, expired ones not; at most `similarMemoriesMax`. */
  readonly found: readonly (readonly SimilarMemory[])[];
  /** For each vector the similar ones among the items before it. */
  readonly similarItems: readonly SimilarItems[];
}

/** Items of the same call that are similar. Typed arrays, because there may be many. */
export interface SimilarItems {
  /** Positions in the call. */
  readonly items: Uint32Array;
  /** Cosine of each, clamped to 0..1. */
  readonly similarities: Float64Array;
}

/**
 * A question whose `signal` is aborted before its turn is not asked. All throw Refusal 1503 then, and 1429 or 1503 when too many wait.
 */
export interface MemoryReader {
  list(project: Project, query: ListQuery, signal: AbortSignal): Promise<MemoryPage>;
  /** The `topK` best of **all** matching memories by final score; ties by newest, then id. */
  search(project: Project, query: SearchQuery, signal: AbortSignal): Promise<readonly SearchHit[]>;
  /** All active rules that have not expired, and the hits of a search. */
  readForInjection(project: Project, query: SearchQuery, signal: AbortSignal): Promise<InjectionCandidates>;
  /** What says nearly the same, for several vectors at once. */
  findSimilar(project: Project, query: SimilarityQuery, signal: AbortSignal): Promise<SimilarMemories>;
}

export interface NewMemory {
  readonly content: string;
  readonly contentKey: Uint8Array;
  readonly type: MemoryType;
  readonly importance: number;
  readonly expiresAt: number | null;
  readonly vector: Float32Array;
}

/** `contentKey` and `vector` come with a changed content and are null otherwise. */
export interface MemoryChange {
  readonly memory: Memory;
  readonly contentKey: Uint8Array | null;
  readonly vector: Float32Array | null;
}

export interface MemoryTransaction {
  find(project: Project, id: string): Promise<Memory | null>;
  /** Memories that are new or have changed since this revision, as SimilarMemories tells it. */
  changedSince(project: Project, revision: number): Promise<readonly MemoryVector[]>;
  /** Id of the project that has this memory; null when there is none. */
  ownerOf(id: string): Promise<string | null>;
  /** All memories of the project, expired and inactive ones too; kept in a counter, so it costs nothing. */
  count(project: Project): Promise<number>;
  /**
   * The memory that holds this content key, or null. An expired holder other than `exceptId` gives the key up
   * and null is returned: an expired memory does not forbid its successor.
   */
  claimContent(
    project: Project,
    contentKey: Uint8Array,
    now: number,
    exceptId: string | null,
  ): Promise<string | null>;
  insert(project: Project, memory: NewMemory, now: number): Promise<Memory>;
  update(project: Project, change: MemoryChange): Promise<void>;
  /** Whether there was such a memory. */
  remove(project: Project, id: string, now: number): Promise<boolean>;
  /** Hides all memories of the type (null: of the project) at once; returns their number. `purge_memories` deletes them later. */
  removeAll(project: Project, type: MemoryType | null): Promise<number>;
}
