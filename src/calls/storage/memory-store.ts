// Owns the interface that memories need from a storage engine.

import type { Project } from "../../access/project.ts";
import type { MadeMemory } from "../../audit/parts/made-of.ts";
import type { MemoryStatistics, TagPage, TagQuery } from "../../memory/counts.ts";
import type { Kind } from "../../memory/kind.ts";
import type { ContentClaim, Memory, MemoryOrigin, MemoryType } from "../../memory/memory.ts";
import type { Owner } from "../../memory/owner.ts";
import type { PromptPlace } from "../../memory/search/example-prompts.ts";
import type { ExportPage, ExportQuery } from "../../memory/search/export-query.ts";
import type { ListQuery, MemoryPage } from "../../memory/search/list-query.ts";
import type { MetadataFilter } from "../../memory/search/metadata-filter.ts";
import type { TagFilter } from "../../memory/tags.ts";
import type { defaults } from "../../memory/values.ts";

export interface SearchQuery {
  /** Float32Array [dimensions], L2-normalised. */
  readonly vector: Float32Array;
  /** Text whose keywords also affect the ranking; null: ranked by meaning alone. No part of it is query syntax. */
  readonly words: string | null;
  /** Null: all types. */
  readonly types: readonly MemoryType[] | null;
  /** Null or absent: both. */
  readonly origin?: MemoryOrigin | null;
  readonly tags: TagFilter | null;
  /** Null or absent: whatever the metadata is. */
  readonly metadata?: MetadataFilter | null;
  readonly topK: number;
  /** Cosine, 0..1; and least of SearchHit.relevance, 0..1, absent: 0. */
  readonly minSimilarity: number;
  readonly minRelevance?: number;
  readonly includeExpired: boolean;
  readonly includeInactive: boolean;
  /** Whether the memories of the project itself are searched, too, if the owner is a subject; absent: no. */
  readonly withProject?: boolean;
  readonly now: number;
}

export interface SearchHit {
  readonly memory: Memory;
  /** Cosine, limited to 0..1; also for hits that were found by their keywords. */
  readonly similarity: number;
  /** Keyword score, 0..1; 0 when the query has no words. */
  readonly keyword: number;
  /** Similarity and keyword score combined, 0..1; the similarity itself when the query has no words. */
  readonly relevance: number;
}

/** `prompt` null: the floor is not asked for. */
export type InjectionQuery = SearchQuery & { readonly prompt: PromptPlace | null };

/** The rules and hits for an injection, read in one transaction. */
export interface InjectionCandidates {
  /** By importance, then oldest first. */
  readonly rules: readonly Memory[];
  readonly hits: readonly SearchHit[];
  /** No hit is below it: what is less relevant is about as relevant as memories of this project are to unrelated prompts (ranking/relevance-floor.ts); 0 if not asked for. */
  readonly floor: number;
}

/** The most important and most recent memories (ranking/priority.ts), for an injection without a query. */
export interface TopMemoriesQuery
  extends Pick<SearchQuery, "origin" | "tags" | "metadata" | "topK" | "withProject" | "now"> {
  readonly types: readonly MemoryType[];
}

/** What an injection without a query injects, read in one transaction. */
export interface TopMemories {
  /** By importance, then oldest first. */
  readonly rules: readonly Memory[];
  /** Active and unexpired; by priority, then newest first. */
  readonly memories: readonly Memory[];
}

/** The embedding of a memory: Float32Array [dimensions], L2-normalised. */
export interface MemoryVector {
  readonly id: string;
  readonly vector: Float32Array;
}

export interface SimilarMemory {
  readonly id: string;
  /** Cosine of the two vectors, clamped to 0..1. */
  readonly similarity: number;
}

/** Finds what is kept, never passages. */
export interface SimilarityQuery {
  /** Items of one call: Float32Array [dimensions] each, L2-normalised. */
  readonly vectors: readonly Float32Array[];
  /** The earlier items of the call, in their order: Float32Array [items x dimensions], in shared memory so that it is not copied. */
  readonly earlier: Float32Array;
  /** Cosine, excluded. */
  readonly above: number;
  /** Canonical. Memories that have all of them are found separately from the others. */
  readonly tags: readonly string[];
  readonly now: number;
}

export interface SimilarMemories {
  /** The revision that was read; later changes are not included. */
  readonly revision: number;
  /**
   * For each vector: the most similar active, unexpired memories first; at most `similarMemoriesMax` of those that have all of the tags,
   * and as many of the others.
   */
  readonly found: readonly (readonly SimilarMemory[])[];
  /** For each vector: the similar items before it in the call. */
  readonly similarItems: readonly SimilarItems[];
}

/** Similar items of the same call. Typed arrays, because there may be many. */
export interface SimilarItems {
  /** Positions in the call. */
  readonly items: Uint32Array;
  /** Cosine of each, clamped to 0..1. */
  readonly similarities: Float64Array;
}

/** A memory as it was at one moment. */
export interface MemoryVersion {
  readonly memory: Memory;
  /** Every change of the memory gives it another one; `last_accessed_at` alone does not. */
  readonly revision: number;
}

export interface HeldQuery {
  readonly id: string | null;
  readonly contentKey: Uint8Array;
}

/**
 * A query whose `signal` is aborted while it waits is not executed. All methods throw Refusal 1503 then, and 1429 or 1503 when too many
 * queries wait.
 */
export interface MemoryReader {
  /** Null when the owner has no such memory. Waits for no turn: it takes microseconds. */
  find(owner: Owner, id: string): Promise<MemoryVersion | null>;
  /** For each item, whether the owner has a memory with its id, or an unexpired one with its content key. Waits for no turn. */
  findHeld(owner: Owner, items: readonly HeldQuery[], now: number): Promise<readonly boolean[]>;
  /** Null: the cursor belongs to another list. */
  list(owner: Owner, query: ListQuery, signal: AbortSignal): Promise<MemoryPage | null>;
  /** Null: the cursor belongs to another list. */
  listTags(owner: Owner, query: TagQuery, signal: AbortSignal): Promise<TagPage | null>;
  /** Never reads all memories. */
  statistics(owner: Owner, now: number, signal: AbortSignal): Promise<MemoryStatistics>;
  /** A memory that exists all the time is on exactly one page. Null: the cursor belongs to another list, or to a previous process. */
  exportPage(owner: Owner, query: ExportQuery, signal: AbortSignal): Promise<ExportPage | null>;
  /**
   * A search of the owner follows when its query is embedded: searches that come at the same time are answered together. Dispose of the
   * result when the query is embedded, or when no search follows.
   */
  expectSearch(owner: Owner): Disposable;
  /** The `topK` best of **all** matching memories by final score; equal scores are ordered by newest, then by id. */
  search(owner: Owner, query: SearchQuery, signal: AbortSignal): Promise<readonly SearchHit[]>;
  /** All active, unexpired rules, and the hits of a search, without those below the floor. */
  readForInjection(owner: Owner, query: InjectionQuery, signal: AbortSignal): Promise<InjectionCandidates>;
  /** All active, unexpired rules, and the `topK` best of **all** active, unexpired memories of the types by priority. */
  readTopMemories(owner: Owner, query: TopMemoriesQuery, signal: AbortSignal): Promise<TopMemories>;
  /** The similar memories of several vectors at once. */
  findSimilar(owner: Owner, query: SimilarityQuery, signal: AbortSignal): Promise<SimilarMemories>;
}

/** What is absent is as in `defaults`. */
export interface NewMemory
  extends Pick<Memory, "content" | "type">,
    Partial<Pick<Memory, Exclude<keyof typeof defaults, "supersededBy">>> {
  readonly contentKey: Uint8Array;
  readonly vector: Float32Array;
  /** An id that no memory has; null or absent: a new one. */
  readonly id?: string | null;
}

/** `contentKey` is null unless the content has changed, and `vector` unless the content or `lead` has. */
export interface MemoryChange {
  readonly memory: Memory;
  readonly contentKey: Uint8Array | null;
  readonly vector: Float32Array | null;
}

/** Which memories are wanted. Null: the property does not matter. */
export interface MemorySelection {
  readonly tags: TagFilter | null;
  readonly metadata: MetadataFilter | null;
}

export interface MemoryTransaction {
  find(owner: Owner, id: string): Promise<Memory | null>;
  /** The embedding of a memory that was found in the same transaction. */
  vectorOf(owner: Owner, id: string): Promise<Float32Array>;
  /** Whether the owner still has this version of the memory. */
  hasVersion(owner: Owner, id: string, revision: number): Promise<boolean>;
  /** What is kept and was created or changed after this revision of SimilarMemories. */
  changedSince(owner: Owner, revision: number): Promise<readonly MemoryVector[]>;
  /** Null when there is no such memory. */
  ownerOf(id: string): Promise<Owner | null>;
  /**
   * Number of memories that the project and all of its subjects have of an origin, including expired and inactive ones; read from a
   * counter, in constant time.
   */
  count(project: Project, origin: MemoryOrigin): Promise<number>;
  /**
   * The id of the memory that holds this content key, or null. If the holder has expired or was superseded, or is inactive and the claim is
   * `fromInactive`, and is not `exceptId`, it loses the key and null is returned, so that another memory can have the same content.
   */
  claimContent(
    owner: Owner,
    contentKey: Uint8Array,
    now: number,
    claim?: ContentClaim,
  ): Promise<string | null>;
  insert(owner: Owner, memory: NewMemory, now: number): Promise<Memory>;
  update(owner: Owner, change: MemoryChange): Promise<void>;
  /** Null: nobody knows. Of a memory that was found in the same transaction. */
  madeOf(owner: Owner, id: string): Promise<Omit<MadeMemory, "memory"> | null>;
  /** Of a memory that was created in the same transaction. */
  setMadeOf(made: MadeMemory): Promise<void>;
  /** @returns whether the memory existed. */
  remove(owner: Owner, id: string, now: number): Promise<boolean>;
  /** Removes the oldest passages of the project and all of its subjects. */
  removeOldestPassages(project: Project, count: number, now: number): Promise<void>;
  /** Hides all memories of the kinds (null: of the owner) immediately; returns their number. `purge_memories` deletes them later. */
  removeAll(owner: Owner, kinds: readonly Kind[] | null): Promise<number>;
  /** As removeAll, of the project and all of its subjects. */
  removeAllOf(project: Project): Promise<number>;
  /** As removeAll, of the memories that match. */
  removeSelected(
    owner: Owner,
    kinds: readonly Kind[] | null,
    by: MemorySelection,
    now: number,
  ): Promise<number>;
}
