// Owns the scan of row blocks: it chooses the rows that can be among the results of some queries, by bounds of their final scores. It reads
// shared memory only, so any thread can scan any block. Must never leave out a row that belongs to a result.

import type { Onnx } from "../../../platform/native/onnx.ts";
import { rowsPerBlock } from "../limits.ts";
import { errorOf, lowStepsPerHigh } from "../quantisation.ts";
import { finalScore, importanceWeight, relevance, relevanceAtMost, relevanceWeight } from "../scores.ts";
import { type BlockProduct, createBlockProduct } from "./block-product.ts";
import { type RowBlock, viewRowBlock } from "./row-block.ts";
import { chooseByKeywords, chooseByReach, type FilteredRows, type HighProducts } from "./scan-filter.ts";
import { keywordScoreAt } from "./scan-keywords.ts";
import { boundsOf, createQueryMemory, type PreparedQuery, toColumns } from "./scan-queries.ts";
import type { ScanFound, ScanTask } from "./scan-task.ts";

/** For each query of a task the rows that may be among its results. Blocks its thread: 100,000 rows of 384 take some 6 ms. */
export type BlockScan = (task: ScanTask) => ScanFound[];

/** Rows that all queries scan before the next ones, a multiple of 32: the products of so many stay in the nearest cache. */
const rowsAtOnce = 256;

/** More than the roundings of the sums that a scan compares with `cut`, which are below 4, and of relevances. */
const comparisonError = 1e-12;

/** One for each thread. It keeps a session and buffers for each number of dimensions, and memory for candidates, which the next task overwrites. */
export function createBlockScan(onnx: Onnx): BlockScan {
  const products = new Map<number, BlockProduct>();
  const reach = new Float64Array(rowsPerBlock);
  const chosen = new Uint32Array(rowsAtOnce);
  const memory = createQueryMemory();
  return ({ dimensions, blocks, queries }) => {
    const product = products.get(dimensions) ?? createBlockProduct(onnx, dimensions);
    products.set(dimensions, product);
    const prepared = queries.map((query, at) => memory.prepare(query, at));
    const columns = toColumns(prepared, dimensions);
    const count = prepared.length * 2;
    for (const scanned of blocks) {
      if (count === 0 || scanned.rows === 0) continue;
      const block = viewRowBlock(scanned.buffer, dimensions);
      const results = product(block.codes, scanned.rows, columns, count);
      const importanceMost = measureReach(block, scanned.rows, prepared, reach);
      const parts = prepared.map((query, at) => {
        const { step, highExcess: excess } = query.quantised;
        const products = { results, count, first: at * 2, highStep: lowStepsPerHigh * step, excess };
        return { query, results: { products, bounds: boundsOf(query, scanned), reach, importanceMost } };
      });
      for (let start = 0; start < scanned.rows; start += rowsAtOnce) {
        const to = Math.min(scanned.rows, start + rowsAtOnce);
        for (const { query, results: of } of parts) {
          const range = { eligible: query.query.eligible, firstSlot: scanned.firstSlot, from: start, to };
          const length = chooseRows(block, query, of, range, chosen);
          if (length > 0) addCandidates(block, scanned.firstSlot, query, of, chosen, length);
        }
      }
    }
    return prepared.map(({ candidates }) => candidates.found());
  };
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
  readonly products: HighProducts;
  /** At least the keyword score of each row. */
  readonly bounds: Float64Array | null;
  /** Of each row, see `measureReach`. */
  readonly reach: Float64Array;
  readonly importanceMost: number;
}

/**
 * Without words, a sum that was prepared for each row excludes nearly all of them. The sum has no lower limit for the similarity, so it is
 * used when no row reaches the floor by its importance alone.
 *
 * @param chosen gets rows that can reach the floor, of which some are not eligible
 * @returns how many they are
 */
function chooseRows(
  block: RowBlock,
  { quantised, candidates: { floor } }: PreparedQuery,
  { products, bounds, reach, importanceMost }: BlockResults,
  rows: FilteredRows,
  chosen: Uint32Array,
): number {
  const { length } = quantised.errorBound;
  const constant = quantised.errorBound.constant + quantised.lowMost;
  if (bounds !== null)
    return chooseByKeywords(products, block, { keywords: bounds, length, constant }, floor, rows, chosen);
  const isBySum = importanceMost * importanceWeight < floor - comparisonError;
  const cut = isBySum ? floor / relevanceWeight - constant - comparisonError : Number.NEGATIVE_INFINITY;
  return chooseByReach(products, block, reach, cut, rows, chosen);
}

/** Bounds the final scores of a few rows of a block closely, and adds those that can be among the results. @param length of `chosen` */
function addCandidates(
  { scales, residuals, importances }: RowBlock,
  firstSlot: number,
  { query: { eligible, minSimilarity, minRelevance = 0 }, quantised, keywords, candidates }: PreparedQuery,
  { products: { results, count, first }, bounds }: BlockResults,
  chosen: Uint32Array,
  length: number,
): void {
  const { step, excess } = quantised;
  for (let index = 0; index < length; index++) {
    const row = chosen[index] ?? 0;
    const slot = firstSlot + row;
    if ((((eligible[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 0) continue;
    const at = row * count + first;
    const steps = lowStepsPerHigh * (results[at] ?? 0) + (results[at + 1] ?? 0) - excess;
    const similarity = (scales[row] ?? 0) * step * steps;
    const importance = importances[row] ?? 0;
    const error = errorOf(quantised.errorBound, similarity, residuals[row] ?? 0);
    const greatest = limited(similarity + error);
    const keywordMost = bounds === null ? 0 : (bounds[row] ?? 0);
    if (finalScore(relevanceAtMost(greatest, keywordMost), importance) < candidates.floor) continue;
    const keyword = keywords === null ? 0 : keywordScoreAt(keywords, slot);
    const most = relevance(greatest, keyword);
    const upper = finalScore(most, importance);
    if (upper < candidates.floor || most < minRelevance - comparisonError) continue;
    if (similarity + error < minSimilarity && minSimilarity > 0) continue;
    const least = relevance(limited(similarity - error), keyword);
    // A row that may be below a threshold does not raise the floor.
    const isCertain =
      (minSimilarity <= 0 || similarity - error >= minSimilarity) &&
      (minRelevance <= 0 || least >= minRelevance + comparisonError);
    const lower = isCertain ? finalScore(least, importance) : Number.NEGATIVE_INFINITY;
    candidates.add(slot, lower, upper, keyword);
  }
}

/** To 0..1, as the exact similarity is. */
function limited(similarity: number): number {
  return Math.min(1, Math.max(0, similarity));
}
