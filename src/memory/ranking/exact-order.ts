// Owns the last step of an exact search: the best rows by exact score, out of candidates of which only bounds are known (the threshold
// algorithm of Fagin, Lotem and Naor 2003). Pure. It asks for the exact score of no more rows than any method with these bounds must.

import { LowestOfBest } from "./scan/lowest-of-best.ts";
import type { ScanFound } from "./scan/scan-task.ts";

/** A row whose exact score is known. */
interface Scored {
  /** Increases with creation: of equal scores, the newest row is first. */
  readonly serial: number;
  readonly similarity: number;
  readonly relevance: number;
  readonly score: number;
}

interface Candidate {
  readonly slot: number;
  /** Undefined when the query has no words. */
  readonly keyword: number | undefined;
}

/** Candidates; all arrays have the same length. */
export interface Rest {
  readonly slots: Uint32Array;
  readonly uppers: Float64Array;
  readonly keywords: Float64Array | null;
}

/** The upper bound of a candidate that was returned. */
const taken = Number.NEGATIVE_INFINITY;

interface OrderLimits {
  /** Infinity: all rows above the threshold. */
  readonly topK: number;
  /** Cosine, 0..1; rows below it are excluded. */
  readonly minSimilarity: number;
  /** Rows of less relevance are excluded; absent: 0. */
  readonly minRelevance?: number | undefined;
}

/** Use it as `for (let next = order.next(); next !== null; next = order.next()) order.add(score(next))`. */
export class ExactOrder<Row extends Scored> {
  readonly #topK: number;
  readonly #minSimilarity: number;
  readonly #minRelevance: number;
  /** The K-th best lower bound. */
  readonly #leastScore: number;
  readonly #slots: Uint32Array;
  readonly #uppers: Float64Array;
  readonly #keywords: Float64Array | null;
  /** Positions in the arrays, a heap with the greatest upper bound first; null until the first one is taken. */
  #heap: Uint32Array | null = null;
  #waiting: number;
  readonly #count: number;
  #scored = 0;
  #best: Row[] = [];

  /** @param found the candidates of each part of the rows, all with keyword scores or all without */
  constructor(found: readonly ScanFound[], { topK, minSimilarity, minRelevance = 0 }: OrderLimits) {
    this.#topK = topK;
    this.#minSimilarity = minSimilarity;
    this.#minRelevance = minRelevance;
    this.#leastScore = leastScoreOf(found, topK);
    const count = found.reduce((sum, { slots }) => sum + slots.length, 0);
    this.#slots = new Uint32Array(count);
    this.#uppers = new Float64Array(count);
    this.#keywords = found.some(({ keywords }) => keywords !== null) ? new Float64Array(count) : null;
    let kept = 0;
    for (const { slots, upper, keywords } of found) {
      for (let at = 0; at < slots.length; at++) {
        const bound = upper[at] ?? 0;
        if (bound < this.#leastScore) continue;
        this.#slots[kept] = slots[at] ?? 0;
        this.#uppers[kept] = bound;
        if (this.#keywords !== null) this.#keywords[kept] = keywords?.[at] ?? 0;
        kept += 1;
      }
    }
    this.#waiting = kept;
    this.#count = kept;
  }

  /** At most so many candidates need an exact score. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many exact scores were needed so far. */
  get scored(): number {
    return this.#scored;
  }

  /** The candidate whose exact score is needed next; null: `best` is final. */
  next(): Candidate | null {
    this.#heap ??= this.#createHeap();
    const heap = this.#heap;
    const top = heap[0] ?? 0;
    if (this.#waiting === 0 || (this.#uppers[top] ?? 0) < this.floor) return null;
    this.#waiting -= 1;
    heap[0] = heap[this.#waiting] ?? 0;
    this.#sink(heap, 0);
    const keyword = this.#keywords?.[top];
    this.#uppers[top] = taken;
    return { slot: this.#slots[top] ?? 0, keyword };
  }

  /**
   * All candidates whose exact score is still needed, in the order of the parts; `next` returns none of them any more. Add the best of them
   * with `addBest`.
   */
  takeRest(): Rest {
    const { floor } = this;
    const slots = this.#slots.slice();
    const uppers = this.#uppers.slice();
    const keywords = this.#keywords?.slice() ?? null;
    let count = 0;
    for (let at = 0; at < this.#count; at++) {
      const upper = uppers[at] ?? taken;
      if (upper < floor || upper === taken) continue;
      slots[count] = slots[at] ?? 0;
      uppers[count] = upper;
      if (keywords !== null) keywords[count] = keywords[at] ?? 0;
      count += 1;
    }
    this.#waiting = 0;
    return {
      slots: slots.subarray(0, count),
      uppers: uppers.subarray(0, count),
      keywords: keywords?.subarray(0, count) ?? null,
    };
  }

  /** The best `topK` of so many rows whose exact scores were computed elsewhere. */
  addBest(rows: readonly Row[], scored: number): void {
    for (const row of rows) this.add(row);
    this.#scored += scored - rows.length;
  }

  /** The exact score of the candidate that `next` returned. */
  add(row: Row): void {
    this.#scored += 1;
    if (row.similarity < this.#minSimilarity || row.relevance < this.#minRelevance) return;
    if (this.#topK === Number.POSITIVE_INFINITY) {
      this.#best.push(row);
      return;
    }
    // At most 50 rows, so insertion is faster than a heap.
    let at = this.#best.length;
    for (let before = this.#best[at - 1]; before !== undefined; before = this.#best[at - 1]) {
      if (byScore(before, row) <= 0) break;
      at -= 1;
    }
    this.#best.splice(at, 0, row);
    if (this.#best.length > this.#topK) this.#best.pop();
  }

  /** The rows that were added, at most `topK`, best first. */
  get best(): readonly Row[] {
    if (this.#topK === Number.POSITIVE_INFINITY) this.#best.sort(byScore);
    return this.#best;
  }

  /** A row with a lower score is not among the best. One with the same score is if it is newer. */
  get floor(): number {
    const last = this.#best.length < this.#topK ? undefined : this.#best.at(-1);
    return last === undefined ? this.#leastScore : Math.max(last.score, this.#leastScore);
  }

  #createHeap(): Uint32Array {
    const heap = Uint32Array.from({ length: this.#count }, (_, position) => position);
    for (let position = (heap.length >>> 1) - 1; position >= 0; position--) this.#sink(heap, position);
    return heap;
  }

  #sink(heap: Uint32Array, from: number): void {
    const moving = heap[from] ?? 0;
    const upper = this.#uppers[moving] ?? 0;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#waiting) break;
      const upperAt = (position: number) => this.#uppers[heap[position] ?? 0] ?? 0;
      if (child + 1 < this.#waiting && upperAt(child + 1) > upperAt(child)) child += 1;
      if (upperAt(child) <= upper) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = moving;
  }
}

/** So many rows that pass the threshold certainly reach it. */
function leastScoreOf(found: readonly ScanFound[], topK: number): number {
  const best = new LowestOfBest(topK);
  let least = Number.NEGATIVE_INFINITY;
  for (const { lower } of found) for (const bound of lower) if (bound > least) least = best.add(bound);
  return least;
}

/** The best of several parts whose best are known, best first. */
export function mergeBest<Row extends Scored>(
  parts: readonly (readonly Row[])[],
  topK: number,
): readonly Row[] {
  if (parts.length < 2) return parts[0] ?? [];
  return parts.flat().sort(byScore).slice(0, topK);
}

function byScore(a: Scored, b: Scored): number {
  return b.score - a.score || b.serial - a.serial;
}
