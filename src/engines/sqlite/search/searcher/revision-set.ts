// Owns sets of content revisions, as bits. Pure. Revisions may be large and far apart, so bits are kept for those ranges only in which there
// are members.

/** Revisions of one range, a multiple of 32. */
const rangeSize = 32_768;

export class RevisionSet {
  readonly #ranges = new Map<number, Uint32Array>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(revision: number): boolean {
    const at = revision % rangeSize;
    const word = this.#ranges.get((revision - at) / rangeSize)?.[at >>> 5] ?? 0;
    return ((word >>> (at & 31)) & 1) === 1;
  }

  add(revision: number): void {
    const at = revision % rangeSize;
    const number = (revision - at) / rangeSize;
    const range = this.#ranges.get(number) ?? new Uint32Array(rangeSize / 32);
    const word = range[at >>> 5] ?? 0;
    const bit = 1 << (at & 31);
    if ((word & bit) !== 0) return;
    range[at >>> 5] = word | bit;
    this.#ranges.set(number, range);
    this.#size += 1;
  }
}
