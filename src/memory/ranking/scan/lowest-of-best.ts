// Owns the K-th best of a sequence of numbers.

/** The K best values so far, of which only the lowest is needed. K is at most 50, so insertion is faster than a heap. */
export class LowestOfBest {
  readonly #ascending: Float64Array;

  /** @param capacity K; Infinity: there is never a K-th best value */
  constructor(capacity: number) {
    const length = capacity === Number.POSITIVE_INFINITY ? 0 : capacity;
    this.#ascending = new Float64Array(length).fill(Number.NEGATIVE_INFINITY);
  }

  /** @param value more than the K-th best one  @returns the K-th best value now, or minus infinity while there are fewer than K */
  add(value: number): number {
    const ascending = this.#ascending;
    if (ascending.length === 0) return Number.NEGATIVE_INFINITY;
    let at = 1;
    for (; at < ascending.length; at++) {
      const next = ascending[at] ?? 0;
      if (next >= value) break;
      ascending[at - 1] = next;
    }
    ascending[at - 1] = value;
    return ascending[0] ?? 0;
  }
}
