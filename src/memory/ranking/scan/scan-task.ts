// Owns what a scan is asked and what it answers: plain values over shared memory, which threads can send to each other.

import type { SlotSet } from "./slot-set.ts";

/** The rows 0 to rows - 1 of a block of row-block.ts; row r is slot firstSlot + r. */
export interface ScannedBlock {
  readonly buffer: SharedArrayBuffer;
  /** A multiple of 32. */
  readonly firstSlot: number;
  /** Rows that may be in use, 0 to the capacity of the block. */
  readonly rows: number;
}

/** The searched memories that contain one word of a query. Slots that are not eligible are ignored. */
export interface WordHolders {
  /** The weight of the word, relative to the sum of all weights (keyword-scores.ts). */
  readonly share: number;
  readonly holders: SlotSet;
}

export interface ScanQuery {
  /** [dimensions], L2-normalised. */
  readonly vector: Float32Array;
  /** The slots that the query can return, in shared memory: bit (slot & 31) of word (slot >>> 5). No free slot is among them. */
  readonly eligible: Uint32Array;
  /** In the order of the words of the query, in which their shares are added; null: by meaning alone. */
  readonly keywords: readonly WordHolders[] | null;
  /** Infinity: all rows above the threshold. */
  readonly topK: number;
  /** Cosine, 0..1; rows below it are excluded. */
  readonly minSimilarity: number;
  /** Rows whose relevance is below it are excluded; absent: 0. */
  readonly minRelevance?: number;
}

export interface ScanTask {
  readonly dimensions: number;
  readonly blocks: readonly ScannedBlock[];
  readonly queries: readonly ScanQuery[];
}

/** The rows of a task that may be among the `topK` of one query, in the order of their slots. All arrays have the same length. */
export interface ScanFound {
  readonly slots: Uint32Array;
  /** Bounds of the exact final score of each row, as scores.ts defines it. Rows whose upper bound is below the K-th best lower bound are left out. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Exact keyword scores; null when the query has no words. */
  readonly keywords: Float64Array | null;
}
