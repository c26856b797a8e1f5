// Owns the order of memories when no query is given: the most important and most recent ones first. Every storage engine uses it.

const importanceWeight = 0.7;
const recencyWeight = 0.3;
/** After this time without a change, the recency of a memory is one half. */
const recencyHalfLifeMs = 30 * 86_400_000;

/** How recently a memory was created or changed, 0..1: 1 now (and for times in the future, after the clock was set back). */
export function recencyOf(updatedAt: number, now: number): number {
  return 2 ** (-Math.max(0, now - updatedAt) / recencyHalfLifeMs);
}

/**
 * The final score of a memory without a query, 0..1; importance and recency in 0..1. A sum, so that an important memory does not
 * disappear with time: at equal recency importance decides, and no age outweighs a difference in importance of more than 3/7.
 */
export function priority(importance: number, recency: number): number {
  return importance * importanceWeight + recency * recencyWeight;
}

interface Ranked {
  /** Increases with creation. */
  readonly serial: number;
  readonly importance: number;
  readonly updatedAt: number;
}

/** It pauses after so many rows: about a millisecond. */
const partRows = 1_000;

/**
 * The `topK` best rows, best first; of equal scores, the newest row is first. Takes one comparison for most rows. A generator, because
 * there may be a million rows: it pauses after each part.
 */
export function* highestPriority<Row extends Ranked>(
  rows: Iterable<Row>,
  topK: number,
  now: number,
): Generator<undefined, Row[], undefined> {
  let read = 0;
  const best: { readonly row: Row; readonly score: number }[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    read += 1;
    if (read % partRows === 0) yield;
    // Even a memory of this moment would not be among the best.
    if (priority(row.importance, 1) < least) continue;
    const score = priority(row.importance, recencyOf(row.updatedAt, now));
    if (score < least) continue;
    const at = best.findIndex(
      (other) => score > other.score || (score === other.score && row.serial > other.row.serial),
    );
    best.splice(at === -1 ? best.length : at, 0, { row, score });
    if (best.length > topK) best.pop();
    if (best.length === topK) least = best.at(-1)?.score ?? least;
  }
  return best.map(({ row }) => row);
}
