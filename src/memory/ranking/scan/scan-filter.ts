// Owns the first step of the scan of a block: it chooses the few rows whose bounds reach the least score that can be among the results. Each
// of its loops does nothing else, because every row passes them, and the compiler keeps the values of so small a loop in registers. They
// read the high column of the query only, and add the most that the low one can change. Must never leave out a row that reaches the least
// score.

import { finalScore, relevanceAtMost } from "../scores.ts";
import type { RowBlock } from "./row-block.ts";

/** Where the products of one query are: of a row, scale * highStep * (product - excess) is its similarity without the low column. */
export interface HighProducts {
  /** [rows, count]; the column `first` is the high one of the query. */
  readonly results: Int32Array;
  readonly count: number;
  readonly first: number;
  readonly highStep: number;
  readonly excess: number;
}

/** Which rows of a block are filtered. */
export interface FilteredRows {
  /** Bits of the slots that the query can return. Only words without any bit are passed over here. */
  readonly eligible: Uint32Array;
  readonly firstSlot: number;
  /** A multiple of 32. */
  readonly from: number;
  readonly to: number;
}

/**
 * The rows whose similarity without the low column, plus `reach`, is at least `cut`.
 *
 * @param reach of each row
 * @param chosen gets the rows, ascending
 * @returns how many they are
 */
export function chooseByReach(
  { results, count, first, highStep, excess }: HighProducts,
  { scales }: RowBlock,
  reach: Float64Array,
  cut: number,
  { eligible, firstSlot, from, to }: FilteredRows,
  chosen: Uint32Array,
): number {
  let length = 0;
  for (let start = from; start < to; start += 32) {
    if ((eligible[(firstSlot + start) >>> 5] ?? 0) === 0) continue;
    const end = Math.min(to, start + 32);
    for (let row = start, at = start * count + first; row < end; row++, at += count) {
      const steps = ((results[at] ?? 0) - excess) | 0;
      if ((scales[row] ?? 0) * highStep * steps + (reach[row] ?? 0) < cut) continue;
      chosen[length++] = row;
    }
  }
  return length;
}

/** What bounds the final score of a row of a query that has words. */
interface KeywordBounds {
  /** At least the keyword score of each row. */
  readonly keywords: Float64Array;
  /** The similarity of a row is at most that without the low column + its residual * length + constant. */
  readonly length: number;
  readonly constant: number;
}

/** As `chooseByReach`: the rows whose bound, with their keyword scores, is at least `floor`. */
export function chooseByKeywords(
  { results, count, first, highStep, excess }: HighProducts,
  { scales, residuals, importances }: RowBlock,
  { keywords, length, constant }: KeywordBounds,
  floor: number,
  { eligible, firstSlot, from, to }: FilteredRows,
  chosen: Uint32Array,
): number {
  let found = 0;
  for (let start = from; start < to; start += 32) {
    if ((eligible[(firstSlot + start) >>> 5] ?? 0) === 0) continue;
    const end = Math.min(to, start + 32);
    for (let row = start, at = start * count + first; row < end; row++, at += count) {
      const steps = ((results[at] ?? 0) - excess) | 0;
      const greatest = (scales[row] ?? 0) * highStep * steps + (residuals[row] ?? 0) * length + constant;
      // At least 0. Half of the rows are on either side of it, and a branch would often be mispredicted.
      const most = (greatest + Math.abs(greatest)) / 2;
      if (finalScore(relevanceAtMost(most, keywords[row] ?? 0), importances[row] ?? 0) < floor) continue;
      chosen[found++] = row;
    }
  }
  return found;
}
