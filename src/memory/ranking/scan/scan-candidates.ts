// Owns the candidates of one query during a scan: the rows that can still be among its top K, and the floor below which no row can. Must
// never know where bounds come from.

import { LowestOfBest } from "./lowest-of-best.ts";
import type { ScanFound } from "./scan-task.ts";

const firstCapacity = 1_024;
/** Larger arrays are not kept for the next query. */
const keptCapacityMax = 16_384;

/**
 * `floor` is the K-th best lower bound so far: a row whose upper bound is below it has K rows above it, whatever the exact scores are.
 * Rows that come before the floor has risen are left out when room is needed, and at the end.
 *
 * The arrays are used for one query after another: new ones for each would be tens of kilobytes of garbage for each query of a task, which
 * collects in every scanning thread.
 */
export class ScanCandidates {
  floor = Number.NEGATIVE_INFINITY;
  #best = new LowestOfBest(0);
  #hasKeywords = false;
  #length = 0;
  #slots = new Uint32Array(0);
  #lower = new Float64Array(0);
  #upper = new Float64Array(0);
  #keywords = new Float64Array(0);

  /** Forgets the rows of the query before. @param topK Infinity: the floor never rises */
  begin(topK: number, hasKeywords: boolean): void {
    this.floor = Number.NEGATIVE_INFINITY;
    this.#best = new LowestOfBest(topK);
    this.#hasKeywords = hasKeywords;
    this.#length = 0;
    if (this.#slots.length === 0 || this.#slots.length > keptCapacityMax) this.#allocate(firstCapacity);
  }

  /** Call it in the order of the slots. @param upper at least `floor` */
  add(slot: number, lower: number, upper: number, keyword: number): void {
    if (this.#length === this.#slots.length) this.#makeRoom();
    const at = this.#length;
    this.#slots[at] = slot;
    this.#lower[at] = lower;
    this.#upper[at] = upper;
    this.#keywords[at] = keyword;
    this.#length = at + 1;
    if (lower > this.floor) this.floor = this.#best.add(lower);
  }

  /** The rows that remain, in arrays of their own. */
  found(): ScanFound {
    this.#removeBelowFloor();
    const length = this.#length;
    return {
      slots: this.#slots.slice(0, length),
      lower: this.#lower.slice(0, length),
      upper: this.#upper.slice(0, length),
      keywords: this.#hasKeywords ? this.#keywords.slice(0, length) : null,
    };
  }

  #makeRoom(): void {
    this.#removeBelowFloor();
    if (this.#length <= this.#slots.length / 2) return;
    const [slots, lower, upper, keywords] = [this.#slots, this.#lower, this.#upper, this.#keywords];
    this.#allocate(slots.length * 2);
    this.#slots.set(slots);
    this.#lower.set(lower);
    this.#upper.set(upper);
    this.#keywords.set(keywords);
  }

  #allocate(capacity: number): void {
    this.#slots = new Uint32Array(capacity);
    this.#lower = new Float64Array(capacity);
    this.#upper = new Float64Array(capacity);
    this.#keywords = new Float64Array(capacity);
  }

  #removeBelowFloor(): void {
    const { floor } = this;
    let kept = 0;
    for (let at = 0; at < this.#length; at++) {
      if ((this.#upper[at] ?? 0) < floor) continue;
      this.#slots[kept] = this.#slots[at] ?? 0;
      this.#lower[kept] = this.#lower[at] ?? 0;
      this.#upper[kept] = this.#upper[at] ?? 0;
      this.#keywords[kept] = this.#keywords[at] ?? 0;
      kept += 1;
    }
    this.#length = kept;
  }
}
