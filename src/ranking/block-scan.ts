// Owns the scan of row blocks: it chooses the rows that can be among the results of some queries, by bounds of their final scores. It reads
// shared memory only, so any thread can scan any block. Must never leave out a row that belongs to a result.

import type { Onnx } from "../native/onnx.ts";
import { type BlockProduct, createBlockProduct } from "./block-product.ts";
import { rowsPerBlock } from "./limits.ts";
import { errorOf, lowStepsPerHigh, type QuantisedQuery, quantiseQuery } from "./quantisation.ts";
import { type RowBlock, viewRowBlock } from "./row-block.ts";
import { ScanCandidates } from "./scan-candidates.ts";
import { boundKeywords, keywordScoreAt, type ScanKeywords, toScanKeywords } from "./scan-keywords.ts";
import type { ScanFound, ScannedBlock, ScanQuery, ScanTask } from "./scan-task.ts";
import { finalScore, importanceWeight, relevance, relevanceAtMost, relevanceWeight } from "./scores.ts";

/** Queries of one task whose candidates reuse memory; a task rarely has more. */
const keptCandidatesMax = 8;

/** For each query of a task the rows that may be among its results. Blocks its thread: 100,000 rows of 384 take some 6 ms. */
export type BlockScan = (task: ScanTask) => ScanFound[];

/** Rows that all queries scan before the next ones, a multiple of 32: the products of so many stay in the nearest cache. */
const rowsAtOnce = 256;

/** More than the roundings of the sums that a scan compares with `cut`, which are below 4. */
const comparisonError = 1e-12;

/** One for each thread. It keeps a session and buffers for each number of dimensions, and memory for candidates, which the next task overwrites. */
export function createBlockScan(onnx: Onnx): BlockScan {
  const products = new Map<number, BlockProduct>();
  const reach = new Float64Array(rowsPerBlock);
  /** By the position of the query in its task. */
  const candidates: ScanCandidates[] = [];
  const candidatesAt = (at: number): ScanCandidates => {
    const known = candidates[at] ?? new ScanCandidates();
    if (at < keptCandidatesMax) candidates[at] = known;
    return known;
  };
  return ({ dimensions, blocks, queries }) => {
    const product = products.get(dimensions) ?? createBlockProduct(onnx, dimensions);
    products.set(dimensions, product);
    const prepared = queries.map((query, at) => prepare(query, candidatesAt(at)));
    const columns = toColumns(prepared, dimensions);
    const count = prepared.length * 2;
    for (const scanned of blocks) {
      if (count === 0 || scanned.rows === 0) continue;
      const block = viewRowBlock(scanned.buffer, dimensions);
      const results = product(block.codes, scanned.rows, columns, count);
      const importanceMost = measureReach(block, scanned.rows, prepared, reach);
      const parts = prepared.map((query, at) => {
        const bounds = boundsOf(query, scanned);
        return { query, results: { results, count, first: at * 2, bounds, reach, importanceMost } };
      });
      for (let start = 0; start < scanned.rows; start += rowsAtOnce) {
        const end = Math.min(scanned.rows, start + rowsAtOnce);
        for (const part of parts) scanRows(block, scanned, part.query, part.results, start, end);
      }
    }
    return prepared.map(({ candidates }) => candidates.found());
  };
}

interface PreparedQuery {
  readonly query: ScanQuery;
  readonly quantised: QuantisedQuery;
  readonly keywords: ScanKeywords | null;
  readonly candidates: ScanCandidates;
  /** For a block; empty when the query has no words. */
  readonly keywordBounds: Float64Array;
}

function prepare(query: ScanQuery, candidates: ScanCandidates): PreparedQuery {
  candidates.begin(query.topK, query.keywords !== null);
  return {
    query,
    quantised: quantiseQuery(query.vector),
    keywords: query.keywords === null ? null : toScanKeywords(query.keywords),
    candidates,
    keywordBounds: new Float64Array(query.keywords === null ? 0 : rowsPerBlock),
  };
}

/** [dimensions, 2 for each query] */
function toColumns(prepared: readonly PreparedQuery[], dimensions: number): Int8Array {
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
function boundsOf({ keywords, keywordBounds }: PreparedQuery, { firstSlot, rows }: ScannedBlock) {
  if (keywords === null) return null;
  // Whole words of bits: slots behind the last row are not eligible.
  const ofRows = keywordBounds.subarray(0, (rows + 31) & ~31);
  boundKeywords(keywords, firstSlot, ofRows);
  return ofRows;
}

/**
 * What a row adds, beside its approximate similarity, to the greatest similarity plus the importance in units of relevance: the same for
 * all queries, so it is computed once.
 *
 * @returns the greatest importance of a row
 */
function measureReach(
  { residuals, importances }: RowBlock,
  rows: number,
  prepared: readonly PreparedQuery[],
  reach: Float64Array,
): number {
  let length = 0;
  for (const { quantised } of prepared) length = Math.max(length, quantised.errorBound.length);
  let most = 0;
  for (let row = 0; row < rows; row++) {
    const importance = importances[row] ?? 0;
    reach[row] = (residuals[row] ?? 0) * length + importance * (importanceWeight / relevanceWeight);
    if (importance > most) most = importance;
  }
  return most;
}

interface BlockResults {
  /** [rows, count]; the columns `first` and `first` + 1 belong to the query. */
  readonly results: Int32Array;
  readonly count: number;
  readonly first: number;
  /** At least the keyword score of each row. */
  readonly bounds: Float64Array | null;
  /** Of each row, see `measureReach`. */
  readonly reach: Float64Array;
  readonly importanceMost: number;
}

/**
 * One row takes a few nanoseconds, because hardly any is a candidate: first the least that excludes the others, without a branch that
 * depends on the row. Without words, a sum that was prepared for the row excludes nearly all of them. The sum has no lower limit for the
 * similarity, so it is used when no row reaches the floor by its importance alone.
 */
function scanRows(
  { scales, residuals, importances }: RowBlock,
  { firstSlot }: ScannedBlock,
  { query, quantised, keywords, candidates }: PreparedQuery,
  { results, count, first, bounds, reach, importanceMost }: BlockResults,
  from: number,
  rows: number,
): void {
  const { eligible, minSimilarity } = query;
  const { step, excess } = quantised;
  const { length, constant } = quantised.errorBound;
  let { floor } = candidates;
  const cutOf = (least: number): number =>
    bounds === null && importanceMost * importanceWeight < least - comparisonError
      ? least / relevanceWeight - constant - comparisonError
      : Number.NEGATIVE_INFINITY;
  let cut = cutOf(floor);
  for (let start = from; start < rows; start += 32) {
    const bits = (eligible[(firstSlot + start) >>> 5] ?? 0) | 0;
    if (bits === 0) continue;
    const end = Math.min(rows, start + 32);
    for (let row = start; row < end; row++) {
      const at = row * count + first;
      const steps = lowStepsPerHigh * (results[at] ?? 0) + (results[at + 1] ?? 0) - excess;
      const similarity = (scales[row] ?? 0) * step * steps;
      if (similarity + (reach[row] ?? 0) < cut) continue;
      const residual = residuals[row] ?? 0;
      const greatest = similarity + residual * length + constant;
      // At least 0. Half of the rows are on either side of it, and a branch would often be mispredicted.
      const most = (greatest + Math.abs(greatest)) / 2;
      const relevant = bounds === null ? most : relevanceAtMost(most, bounds[row] ?? 0);
      const importance = importances[row] ?? 0;
      if (finalScore(relevant, importance) < floor || ((bits >>> (row & 31)) & 1) === 0) continue;
      const error = errorOf(quantised.errorBound, similarity, residual);
      const keyword = keywords === null ? 0 : keywordScoreAt(keywords, firstSlot + row);
      const upper = finalScore(relevance(limited(similarity + error), keyword), importance);
      if (upper < floor) continue;
      if (similarity + error < minSimilarity && minSimilarity > 0) continue;
      // A row that may be below the threshold does not raise the floor.
      const isCertain = minSimilarity <= 0 || similarity - error >= minSimilarity;
      const lower = isCertain
        ? finalScore(relevance(limited(similarity - error), keyword), importance)
        : Number.NEGATIVE_INFINITY;
      candidates.add(firstSlot + row, lower, upper, keyword);
      if (floor === candidates.floor) continue;
      floor = candidates.floor;
      cut = cutOf(floor);
    }
  }
}

/** To 0..1, as the exact similarity is. */
function limited(similarity: number): number {
  return Math.min(1, Math.max(0, similarity));
}
