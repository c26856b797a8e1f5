// Owns the keyword scores of rows during a scan: a bound for every row of a block, and the exact score of the few rows that may be among the
// best. Common words count little, so a bound for all of them together saves the work of adding their shares to most rows.

import type { WordHolders } from "./scan-task.ts";
import { addToMembers, hasMember } from "./slot-set.ts";

/** All words, in the order in which the shares of an exact score are added, and which of them are added to the rows of a block. */
export interface ScanKeywords {
  readonly all: readonly WordHolders[];
  readonly added: readonly WordHolders[];
  /** At least the sum of the shares of the others, and what rounding may add to a sum in another order. */
  readonly others: number;
}

/** The common words with the least shares are not added to rows, up to this sum: the bounds would exclude too few rows. */
const othersMax = 0.1;
/** More than the rounding of a sum of 64 numbers of 0..1. */
const rounding = 1e-12;

export function toScanKeywords(all: readonly WordHolders[]): ScanKeywords {
  const others = new Set<WordHolders>();
  let sum = 0;
  // A list is short, so its shares are added at once.
  for (const word of all.filter(({ holders }) => holders.kind === "bits").sort((a, b) => a.share - b.share)) {
    if (sum + word.share > othersMax) break;
    others.add(word);
    sum += word.share;
  }
  return { all, added: all.filter((word) => !others.has(word)), others: sum + rounding };
}

/**
 * Fills `bounds` with a number for each row that is at least its keyword score.
 *
 * @param first the slot of the first row, a multiple of 32
 * @param bounds as many as a multiple of 32
 */
export function boundKeywords({ added, others }: ScanKeywords, first: number, bounds: Float64Array): void {
  bounds.fill(others);
  for (const { share, holders } of added) addToMembers(holders, share, first, bounds);
}

/** The exact keyword score, as keyword-scores.ts defines it. */
export function keywordScoreAt({ all }: ScanKeywords, slot: number): number {
  let score = 0;
  for (const { share, holders } of all) if (hasMember(holders, slot)) score += share;
  return score;
}
