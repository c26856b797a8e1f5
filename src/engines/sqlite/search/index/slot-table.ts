// Owns the lookup of slots by a number of their rows, such as the serial of the memory: open addressing in one typed array, five to seven
// bytes for each row. The keys themselves are only in the rows. So an entry whose row has got another key is never found by a wrong key: it
// may stay where it is.

interface KeyedRows {
  /** All used slots are below it. */
  readonly end: number;
}

/** The key of a row, above 0; 0: the slot is free. */
type KeyOf = (slot: number) => number;

/** Above it lookups become slow; a larger table has the load of `newLoad`. */
const loadMax = 0.8;
const newLoad = 0.625;
const sizeMin = 16;

export class SlotTable {
  readonly #rows: KeyedRows;
  readonly #keyOf: KeyOf;
  /** Slot + 1; 0: empty. A key is at its home or, without an empty entry in between, behind it. */
  #entries = new Uint32Array(sizeMin);
  #count = 0;

  constructor(rows: KeyedRows, keyOf: KeyOf) {
    this.#rows = rows;
    this.#keyOf = keyOf;
  }

  get byteLength(): number {
    return this.#entries.byteLength;
  }

  /** Makes room for so many more rows, so that they can be added when all of them are written already. */
  reserve(rows: number): void {
    if (this.#count + rows > this.#entries.length * loadMax) this.#rebuild(this.#count + rows, -1);
  }

  /** The slot of the row with this key; -1: there is none. */
  find(key: number): number {
    const position = this.#positionOf(key);
    return position === -1 ? -1 : (this.#entries[position] ?? 0) - 1;
  }

  /** The row may be written already or later, but before the next call. `key` is not in the table. */
  add(key: number, slot: number): void {
    if (this.#count + 1 > this.#entries.length * loadMax) this.#rebuild(this.#count + 1, slot);
    this.#insert(key, slot);
    this.#count += 1;
  }

  /** Call it while the row still has its key. */
  remove(key: number): void {
    let hole = this.#positionOf(key);
    if (hole === -1) return;
    const entries = this.#entries;
    // The entries behind it move up to where they are still found, so that no entry is marked as deleted.
    for (let at = hole; ; ) {
      at = at + 1 === entries.length ? 0 : at + 1;
      const entry = entries[at] ?? 0;
      if (entry === 0) break;
      const home = homeOf(this.#keyOf(entry - 1), entries.length);
      const staysBehindHole = hole < at ? home > hole && home <= at : home > hole || home <= at;
      if (staysBehindHole) continue;
      entries[hole] = entry;
      hole = at;
    }
    entries[hole] = 0;
    this.#count -= 1;
  }

  /** Most entries are those of freed rows: frees their memory. Others stay until there is no room. @param count of the used rows */
  removeFreed(count: number): void {
    if (count * 3 < this.#count) this.#rebuild(count, -1);
  }

  /** Reads the keys of all rows again. @param count of rows that the table has to have room for */
  rebuild(count: number): void {
    this.#rebuild(count, -1);
  }

  #rebuild(room: number, except: number): void {
    this.#entries = new Uint32Array(Math.max(sizeMin, Math.ceil(room / newLoad)));
    this.#count = 0;
    const { end } = this.#rows;
    for (let slot = 0; slot < end; slot++) {
      const key = this.#keyOf(slot);
      if (key === 0 || slot === except) continue;
      this.#insert(key, slot);
      this.#count += 1;
    }
  }

  #insert(key: number, slot: number): void {
    const entries = this.#entries;
    let at = homeOf(key, entries.length);
    while (entries[at] !== 0) at = at + 1 === entries.length ? 0 : at + 1;
    entries[at] = slot + 1;
  }

  #positionOf(key: number): number {
    const entries = this.#entries;
    for (let at = homeOf(key, entries.length); ; at = at + 1 === entries.length ? 0 : at + 1) {
      const entry = entries[at] ?? 0;
      if (entry === 0) return -1;
      if (this.#keyOf(entry - 1) === key) return at;
    }
  }
}

/** Where a key belongs in a table of any size. Consecutive keys are spread by the finaliser of MurmurHash3. */
function homeOf(key: number, size: number): number {
  let hash = (key >>> 0) ^ Math.imul((key / 2 ** 32) >>> 0, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return Math.floor((((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32) * size);
}
