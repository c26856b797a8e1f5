// Owns which slots of a search index a query can return, apart from tags: bits for each kind, for active memories and for expired ones,
// which are combined 32 at a time.

import type { SearchQuery } from "../../../../calls/storage/memory-store.ts";
import { type Kind, kinds, kindsOf } from "../../../../memory/kind.ts";
import { rowsPerBlock } from "../../../../memory/ranking/limits.ts";
import { isActiveState, kindOfState, type RowBlock } from "../../../../memory/ranking/scan/row-block.ts";
import { largerBits, setBit } from "./slot-bits.ts";

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

export type EligibilityQuery = Pick<
  SearchQuery,
  "types" | "origin" | "includeExpired" | "includeInactive" | "now"
>;

export class Eligibility {
  readonly #ofKind: Record<Kind, Uint32Array> = {
    rule: new Uint32Array(0),
    fact: new Uint32Array(0),
    context: new Uint32Array(0),
    passage: new Uint32Array(0),
  };
  #active = new Uint32Array(0);
  #expired = new Uint32Array(0);
  /** By block. */
  readonly #expiries: Expiries[] = [];
  /** How many times the bits of expired rows were computed again. */
  #expiredUpdates = 0;

  get byteLength(): number {
    return (kinds.length + 2) * this.#active.byteLength;
  }

  set(slot: number, kind: Kind, isActive: boolean, expiresAt: number): void {
    if (slot >>> 5 >= this.#active.length) this.#grow((slot >>> 5) + 1);
    for (const each of kinds) setBit(this.#ofKind[each], slot, each === kind);
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
    const ofKind = kinds.map((kind) => this.#ofKind[kind]);
    const expiries = this.#expiriesOf(Math.floor(firstSlot / rowsPerBlock));
    for (let word = firstWord; word < words; word++) {
      const kindBits = kinds.map(() => 0);
      let [active, expired] = [0, 0];
      const first = (word - firstWord) * 32;
      for (let row = first; row < Math.min(first + 32, rows); row++) {
        if (serials[row] === 0) continue;
        const bit = 1 << (row & 31);
        const state = states[row] ?? 0;
        const kind = kindOfState(state);
        kindBits[kind] = (kindBits[kind] ?? 0) | bit;
        if (isActiveState(state)) active |= bit;
        const expiresAt = times[row] ?? 0;
        if (expiresAt <= expiries.from) expired |= bit;
        else if (expiresAt < expiries.to) expiries.to = expiresAt;
      }
      for (const [kind, bits] of ofKind.entries()) bits[word] = kindBits[kind] ?? 0;
      this.#active[word] = active;
      this.#expired[word] = expired;
    }
  }

  /** The slot is free. */
  clear(slot: number): void {
    for (const each of kinds) setBit(this.#ofKind[each], slot, false);
  }

  /** All slots of a kind are free. */
  clearKind(kind: Kind): void {
    this.#ofKind[kind].fill(0);
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
    { types, origin, includeExpired, includeInactive, now }: EligibilityQuery,
    eligible: Uint32Array,
    expiriesOf: (block: number) => Float64Array,
  ): void {
    if (!includeExpired) this.#updateExpired(now, expiriesOf);
    const mask = (isWanted: boolean) => (isWanted ? -1 : 0);
    const wanted = kindsOf(types, origin);
    const isWanted = (kind: Kind) => mask(wanted === null || wanted.includes(kind));
    const [wantsRules, wantsFacts] = [isWanted("rule"), isWanted("fact")];
    const [wantsContexts, wantsPassages] = [isWanted("context"), isWanted("passage")];
    const [wantsInactive, wantsExpired] = [mask(includeInactive), mask(includeExpired)];
    const { rule: rules, fact: facts, context: contexts, passage: passages } = this.#ofKind;
    for (let at = 0; at < eligible.length; at++) {
      eligible[at] =
        (((rules[at] ?? 0) & wantsRules) |
          ((facts[at] ?? 0) & wantsFacts) |
          ((contexts[at] ?? 0) & wantsContexts) |
          ((passages[at] ?? 0) & wantsPassages)) &
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
    for (const kind of kinds) this.#ofKind[kind] = largerBits(this.#ofKind[kind], words);
    this.#active = largerBits(this.#active, words);
    this.#expired = largerBits(this.#expired, words);
  }
}
