// Owns the candidates of one query during a scan: the rows that can still be among its top K, and the floor below which no row can. Must
// never know where bounds come from.

import { LowestOfBest } from "./lowest-of-best.ts";
import type { ScanFound } from "./scan-task.ts";

const firstCapacity = 1_024;

/**
 * `floor` is the K-th best lower bound so far: a row whose upper bound is below it has K rows above it, whatever the exact scores are.
 * Rows that come before the floor has risen are left out when room is needed, and at the end.
 */
export class ScanCandidates {
  floor = Number.NEGATIVE_INFINITY;
  readonly #best: LowestOfBest;
  #length = 0;
  #slots = new Uint32Array(firstCapacity);
  #lower = new Float64Array(firstCapacity);
  #upper = new Float64Array(firstCapacity);
  #keywords: Float64Array | null;

  /** @param topK Infinity: the floor never rises */
  constructor(topK: number, hasKeywords: boolean) {
    this.#best = new LowestOfBest(topK);
    this.#keywords = hasKeywords ? new Float64Array(firstCapacity) : null;
  }

  /** Call it in the order of the slots. @param upper at least `floor` */
  add(slot: number, lower: number, upper: number, keyword: number): void {
    if (this.#length === this.#slots.length) this.#makeRoom();
    const at = this.#length;
    this.#slots[at] = slot;
    this.#lower[at] = lower;
    this.#upper[at] = upper;
    if (this.#keywords !== null) this.#keywords[at] = keyword;
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
      keywords: this.#keywords?.slice(0, length) ?? null,
    };
  }

  #makeRoom(): void {
    this.#removeBelowFloor();
    if (this.#length <= this.#slots.length / 2) return;
    const capacity = this.#slots.length * 2;
    this.#slots = enlarged(this.#slots, new Uint32Array(capacity));
    this.#lower = enlarged(this.#lower, new Float64Array(capacity));
    this.#upper = enlarged(this.#upper, new Float64Array(capacity));
    if (this.#keywords !== null) this.#keywords = enlarged(this.#keywords, new Float64Array(capacity));
  }

  #removeBelowFloor(): void {
    const { floor } = this;
    let kept = 0;
    for (let at = 0; at < this.#length; at++) {
      if ((this.#upper[at] ?? 0) < floor) continue;
      this.#slots[kept] = this.#slots[at] ?? 0;
      this.#lower[kept] = this.#lower[at] ?? 0;
      this.#upper[kept] = this.#upper[at] ?? 0;
      if (this.#keywords !== null) this.#keywords[kept] = this.#keywords[at] ?? 0;
      kept += 1;
    }
    this.#length = kept;
  }
}

function enlarged<Values extends Uint32Array | Float64Array>(values: Values, larger: Values): Values {
  larger.set(values);
  return larger;
}
