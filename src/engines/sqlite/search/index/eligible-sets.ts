// Owns the memory of the bits that say which slots the queries of a group can return. One group after another uses it: shared memory that is
// allocated for each query is freed late, in every thread that has seen it. Must never know what the bits mean.

import { groupVectorsMax } from "../limits.ts";

export class EligibleSets {
  readonly #sets: Uint32Array[] = [];
  #taken = 0;

  /** Of the sets that are kept. */
  get byteLength(): number {
    return this.#sets.reduce((sum, set) => sum + set.byteLength, 0);
  }

  /** A set of this many words, all zero, in shared memory, until `returnAll`. */
  take(words: number): Uint32Array {
    const known = this.#sets[this.#taken];
    const set = known !== undefined && known.length >= words ? known : createSet(words);
    if (this.#taken < groupVectorsMax) this.#sets[this.#taken] = set;
    this.#taken += 1;
    return set.subarray(0, words).fill(0);
  }

  /**
   * The group has ended. A scanner may still read its sets if the group was given up; nobody waits for what it finds then.
   */
  returnAll(): void {
    this.#taken = 0;
  }
}

/** With room for more slots, so that a growing project does not get another one for each new memory. */
function createSet(words: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(Math.ceil(words * 1.25) * Uint32Array.BYTES_PER_ELEMENT));
}
