// Owns which slots of a search index a query can return, apart from tags: bits for each type, for active memories and for expired ones,
// which are combined 32 at a time.

import { type MemoryType, memoryTypes } from "../../../../memory/memory.ts";
import type { SearchQuery } from "../../../../memory/store.ts";
import { rowsPerBlock } from "../../../../ranking/limits.ts";
import { isActiveState, type RowBlock, typeOfState } from "../../../../ranking/row-block.ts";
import { largerBits, setBit } from "./slot-bits.ts";

const [rule, fact, context] = memoryTypes;
const wordsPerBlock = rowsPerBlock / 32;

/** The bits of expired rows of a block are those of each time from `from` to before `to`. */
interface Expiries {
  /** The latest time at which one of the expired rows has expired. */
  from: number;
  /** The earliest time at which another row expires. */
  to: number;
}

/** Without a row that expires. */
const always: Expiries = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

export type EligibilityQuery = Pick<SearchQuery, "types" | "includeExpired" | "includeInactive" | "now">;

export class Eligibility {
  readonly #ofType: Record<MemoryType, Uint32Array> = {
    rule: new Uint32Array(0),
    fact: new Uint32Array(0),
    context: new Uint32Array(0),
  };
  #active = new Uint32Array(0);
  #expired = new Uint32Array(0);
  /** By block. */
  readonly #expiries: Expiries[] = [];
  /** How many times the bits of expired rows were computed again. */
  #expiredUpdates = 0;

  get byteLength(): number {
    return (memoryTypes.length + 2) * this.#active.byteLength;
  }

  set(slot: number, type: MemoryType, isActive: boolean, expiresAt: number): void {
    if (slot >>> 5 >= this.#active.length) this.#grow((slot >>> 5) + 1);
    for (const each of memoryTypes) setBit(this.#ofType[each], slot, each === type);
    setBit(this.#active, slot, isActive);
    const expiries = this.#expiriesOf(Math.floor(slot / rowsPerBlock));
    setBit(this.#expired, slot, expiresAt <= expiries.from);
    if (expiresAt > expiries.from) expiries.to = Math.min(expiries.to, expiresAt);
  }

  /** The same for all rows of a block that was added, 32 at a time. */
  setBlock(firstSlot: number, { serials, states, expiries: times }: RowBlock): void {
    const rows = states.length;
    const firstWord = firstSlot >>> 5;
    const words = firstWord + Math.ceil(rows / 32);
    if (words > this.#active.length) this.#grow(words);
    const ofType = memoryTypes.map((type) => this.#ofType[type]);
    const expiries = this.#expiriesOf(Math.floor(firstSlot / rowsPerBlock));
    for (let word = firstWord; word < words; word++) {
      const typeBits = [0, 0, 0];
      let [active, expired] = [0, 0];
      const first = (word - firstWord) * 32;
      for (let row = first; row < Math.min(first + 32, rows); row++) {
        if (serials[row] === 0) continue;
        const bit = 1 << (row & 31);
        const state = states[row] ?? 0;
        const type = typeOfState(state);
        typeBits[type] = (typeBits[type] ?? 0) | bit;
        if (isActiveState(state)) active |= bit;
        const expiresAt = times[row] ?? 0;
        if (expiresAt <= expiries.from) expired |= bit;
        else if (expiresAt < expiries.to) expiries.to = expiresAt;
      }
      for (const [type, bits] of ofType.entries()) bits[word] = typeBits[type] ?? 0;
      this.#active[word] = active;
      this.#expired[word] = expired;
    }
  }

  /** The slot is free. */
  clear(slot: number): void {
    for (const each of memoryTypes) setBit(this.#ofType[each], slot, false);
  }

  /** All slots of a type are free. */
  clearType(type: MemoryType): void {
    this.#ofType[type].fill(0);
  }

  /** Which rows have expired at a time: the same number means the same rows, unless a row was changed. @param expiriesOf as of `fill` */
  expiredState(now: number, expiriesOf: (block: number) => Float64Array): number {
    this.#updateExpired(now, expiriesOf);
    return this.#expiredUpdates;
  }

  /**
   * @param eligible [words], is overwritten
   * @param expiriesOf times at which the rows of a block expire
   */
  fill(
    { types, includeExpired, includeInactive, now }: EligibilityQuery,
    eligible: Uint32Array,
    expiriesOf: (block: number) => Float64Array,
  ): void {
    if (!includeExpired) this.#updateExpired(now, expiriesOf);
    const mask = (isWanted: boolean) => (isWanted ? -1 : 0);
    const isWanted = (type: MemoryType) => mask(types === null || types.includes(type));
    const [wantsRules, wantsFacts, wantsContexts] = [isWanted(rule), isWanted(fact), isWanted(context)];
    const [wantsInactive, wantsExpired] = [mask(includeInactive), mask(includeExpired)];
    const { rule: rules, fact: facts, context: contexts } = this.#ofType;
    for (let at = 0; at < eligible.length; at++) {
      eligible[at] =
        (((rules[at] ?? 0) & wantsRules) |
          ((facts[at] ?? 0) & wantsFacts) |
          ((contexts[at] ?? 0) & wantsContexts)) &
        ((this.#active[at] ?? 0) | wantsInactive) &
        (~(this.#expired[at] ?? 0) | wantsExpired);
    }
  }

  /** Compares times only in blocks in which a memory has expired since the last time, or the clock was set back before such a time. */
  #updateExpired(now: number, expiriesOf: (block: number) => Float64Array): void {
    for (const [block, expiries] of this.#expiries.entries()) {
      if (now >= expiries.from && now < expiries.to) continue;
      this.#expiredUpdates += 1;
      let [from, to] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
      this.#expired.fill(0, block * wordsPerBlock, (block + 1) * wordsPerBlock);
      const times = expiriesOf(block);
      for (let row = 0; row < times.length; row++) {
        const expiresAt = times[row] ?? 0;
        if (expiresAt <= now) setBit(this.#expired, block * rowsPerBlock + row, true);
        if (expiresAt <= now) from = Math.max(from, expiresAt);
        else to = Math.min(to, expiresAt);
      }
      expiries.from = from;
      expiries.to = to;
    }
  }

  #expiriesOf(block: number): Expiries {
    while (this.#expiries.length < block) this.#expiries.push({ ...always });
    const expiries = this.#expiries[block] ?? { ...always };
    this.#expiries[block] = expiries;
    return expiries;
  }

  #grow(words: number): void {
    for (const type of memoryTypes) this.#ofType[type] = largerBits(this.#ofType[type], words);
    this.#active = largerBits(this.#active, words);
    this.#expired = largerBits(this.#expired, words);
  }
}
