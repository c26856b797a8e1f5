// Owns what a scan prepares for each query of a task: its columns, its words, and memory for bounds and candidates, which the next task
// uses again. Must never see a row.

import { rowsPerBlock } from "../limits.ts";
import { type QuantisedQuery, quantiseQuery } from "../quantisation.ts";
import { ScanCandidates } from "./scan-candidates.ts";
import { boundKeywords, type ScanKeywords, toScanKeywords } from "./scan-keywords.ts";
import type { ScannedBlock, ScanQuery } from "./scan-task.ts";

/** Queries of one task whose memory is used again; a task rarely has more. */
const keptQueriesMax = 16;

export interface PreparedQuery {
  readonly query: ScanQuery;
  readonly quantised: QuantisedQuery;
  readonly keywords: ScanKeywords | null;
  readonly candidates: ScanCandidates;
  /** For a block; null when the query has no words. */
  readonly keywordBounds: Float64Array | null;
}

interface QueryMemory {
  /** @param at the position of the query in its task. What was prepared for this position before is no longer valid. */
  prepare(query: ScanQuery, at: number): PreparedQuery;
}

export function createQueryMemory(): QueryMemory {
  const candidates: ScanCandidates[] = [];
  const keywordBounds: Float64Array[] = [];
  return {
    prepare(query, at) {
      const own = candidates[at] ?? new ScanCandidates();
      if (at < keptQueriesMax) candidates[at] = own;
      own.begin(query.topK, query.keywords !== null);
      const quantised = quantiseQuery(query.vector);
      if (query.keywords === null)
        return { query, quantised, keywords: null, candidates: own, keywordBounds: null };
      const bounds = keywordBounds[at] ?? new Float64Array(rowsPerBlock);
      if (at < keptQueriesMax) keywordBounds[at] = bounds;
      const keywords = toScanKeywords(query.keywords);
      return { query, quantised, keywords, candidates: own, keywordBounds: bounds };
    },
  };
}

/** [dimensions, 2 for each query] */
export function toColumns(prepared: readonly PreparedQuery[], dimensions: number): Int8Array {
  const count = prepared.length * 2;
  const columns = new Int8Array(dimensions * count);
  for (const [at, { quantised }] of prepared.entries()) {
    for (let index = 0; index < dimensions; index++) {
      columns[index * count + at * 2] = quantised.high[index] ?? 0;
      columns[index * count + at * 2 + 1] = quantised.low[index] ?? 0;
    }
  }
  return columns;
}

/** @returns at least the keyword score of each row of a block; null when the query has no words */
export function boundsOf({ keywords, keywordBounds }: PreparedQuery, { firstSlot, rows }: ScannedBlock) {
  if (keywords === null || keywordBounds === null) return null;
  // Whole words of bits: slots behind the last row are not eligible.
  const ofRows = keywordBounds.subarray(0, (rows + 31) & ~31);
  boundKeywords(keywords, firstSlot, ofRows);
  return ofRows;
}
