// Owns which memories were seen while an empty index adopts blocks: one bit for each serial of their range. A lookup in the table of slots
// would read a row somewhere in memory for each of them, although almost none is there twice.

import type { RowBlock } from "../../../../memory/ranking/scan/row-block.ts";

/** Bits for each row, at most. Serials of other projects lie in between. */
const bitsPerRowMax = 64;

export class SeenSerials {
  readonly #first: number;
  readonly #bits: Uint32Array;

  private constructor(first: number, last: number) {
    this.#first = first;
    this.#bits = new Uint32Array(Math.ceil((last - first + 1) / 32));
  }

  /** @returns null if the range is too large for `rows`, or nothing is in the blocks */
  static of(blocks: readonly RowBlock[], rows: number): SeenSerials | null {
    let [first, last] = [Number.POSITIVE_INFINITY, 0];
    for (const { serials } of blocks) {
      for (const serial of serials) {
        if (serial === 0) continue;
        if (serial < first) first = serial;
        if (serial > last) last = serial;
      }
    }
    if (last === 0 || last - first >= rows * bitsPerRowMax) return null;
    return new SeenSerials(first, last);
  }

  /** @returns whether the serial, which must be one of the blocks, was added before */
  add(serial: number): boolean {
    const at = serial - this.#first;
    const word = Math.floor(at / 32);
    const bits = this.#bits[word] ?? 0;
    const bit = 1 << (at & 31);
    this.#bits[word] = bits | bit;
    return (bits & bit) !== 0;
  }
}
