// Owns the slots of one search index: its row blocks, and which of their rows are used. A memory keeps its slot until it is removed or its
// content changes. Must not know what is in a row.

import { rowsPerBlock } from "../../../../memory/ranking/limits.ts";
import {
  blockCapacity,
  clearAllRows,
  clearRow,
  copyRow,
  copyRows,
  type RowBlock,
} from "../../../../memory/ranking/scan/row-block.ts";
import type { ScannedBlock } from "../../../../memory/ranking/scan/scan-task.ts";
import type { BlockBuffers } from "./block-buffers.ts";
import { largerBits, setBit } from "./slot-bits.ts";

/** How many freed slots are remembered. */
const freedMax = 65_536;

export class Slots {
  readonly #dimensions: number;
  readonly #buffers: BlockBuffers;
  #blocks: RowBlock[] = [];
  /** By block. */
  #rowsOf: number[] = [];
  #changesOf: number[] = [];
  #used = new Uint32Array(0);
  #count = 0;
  #end = 0;
  /** No slot of a word before this one of `#used` is free. */
  #firstWithFree = 0;
  #freed: number[] = [];
  #freedBefore = 0;

  constructor(dimensions: number, buffers: BlockBuffers) {
    this.#dimensions = dimensions;
    this.#buffers = buffers;
  }

  /** Of used slots. */
  get count(): number {
    return this.#count;
  }

  /** All used slots are below it. */
  get end(): number {
    return this.#end;
  }

  /** Of the blocks and the bits. */
  get byteLength(): number {
    return this.#blocks.reduce((sum, { buffer }) => sum + buffer.byteLength, this.#used.byteLength);
  }

  /** How many slots were freed so far. */
  get freed(): number {
    return this.#freedBefore + this.#freed.length;
  }

  /** The block of a used slot; its row is `rowOf(slot)`. */
  blockOf(slot: number): RowBlock {
    const block = this.#blocks[Math.floor(slot / rowsPerBlock)];
    if (block === undefined) throw new RangeError(`Slot ${slot} is outside an index of ${this.#end}.`);
    return block;
  }

  serialAt(slot: number): number {
    return this.#blocks[Math.floor(slot / rowsPerBlock)]?.serials[slot % rowsPerBlock] ?? 0;
  }

  contentRevisionAt(slot: number): number {
    return this.#blocks[Math.floor(slot / rowsPerBlock)]?.contentRevisions[slot % rowsPerBlock] ?? 0;
  }

  /** The blocks that have used rows. */
  scanned(): ScannedBlock[] {
    return this.#blocks.flatMap(({ buffer, capacity }, at) => {
      const firstSlot = at * rowsPerBlock;
      const rows = Math.min(capacity, this.#end - firstSlot);
      return this.#rowsOf[at] === 0 ? [] : [{ buffer, firstSlot, rows }];
    });
  }

  /** Takes the first free slot, in which the caller writes a row. */
  take(): number {
    let word = this.#firstWithFree;
    while (this.#used[word] === 0xffffffff) word += 1;
    this.#firstWithFree = word;
    if (word >= this.#used.length) this.#used = largerBits(this.#used, word + 1);
    const used = this.#used[word] ?? 0;
    const slot = word * 32 + 31 - Math.clz32(~used & (used + 1));
    this.#used[word] = used | (1 << (slot & 31));
    this.#makeRoom(slot);
    const block = Math.floor(slot / rowsPerBlock);
    this.#rowsOf[block] = (this.#rowsOf[block] ?? 0) + 1;
    this.#count += 1;
    this.#end = Math.max(this.#end, slot + 1);
    return slot;
  }

  /** A block that is none of the index yet, with room for so many rows. */
  takeBlock(rows: number): RowBlock {
    return this.#buffers.take(this.#dimensions, blockCapacity(rows));
  }

  /** Adds a block whose rows were written already. @returns its first slot */
  adopt(block: RowBlock): number {
    const at = this.#blocks.length;
    const first = at * rowsPerBlock;
    const words = (first + rowsPerBlock) >>> 5;
    if (this.#used.length < words) this.#used = largerBits(this.#used, words);
    let rows = 0;
    for (let row = 0; row < block.capacity; row++) {
      if (block.serials[row] === 0) continue;
      setBit(this.#used, first + row, true);
      rows += 1;
      this.#end = first + row + 1;
    }
    this.#blocks.push(block);
    this.#rowsOf.push(rows);
    this.#changesOf.push(1);
    this.#count += rows;
    return first;
  }

  /** Call it before a row is changed. */
  touch(slot: number): void {
    const block = Math.floor(slot / rowsPerBlock);
    this.#changesOf[block] = (this.#changesOf[block] ?? 0) + 1;
  }

  /** Overwrites the row. */
  free(slot: number): void {
    this.touch(slot);
    clearRow(this.blockOf(slot), rowOf(slot));
    const [block, word] = [Math.floor(slot / rowsPerBlock), slot >>> 5];
    this.#rowsOf[block] = (this.#rowsOf[block] ?? 0) - 1;
    this.#used[word] = (this.#used[word] ?? 0) & ~(1 << (slot & 31));
    this.#firstWithFree = Math.min(this.#firstWithFree, word);
    this.#count -= 1;
    this.#freed.push(slot);
    if (this.#freed.length < 2 * freedMax) return;
    this.#freedBefore += freedMax;
    this.#freed = this.#freed.slice(freedMax);
  }

  /** Frees all slots that the condition names, and forgets which ones were freed before. It is called once for each used slot. */
  freeAll(isFreed: (block: RowBlock, row: number) => boolean): void {
    this.#freedBefore += this.#freed.length;
    this.#freed = [];
    this.#firstWithFree = 0;
    for (const [at, block] of this.#blocks.entries()) {
      const freed: number[] = [];
      for (let row = 0; row < block.capacity; row++)
        if (block.serials[row] !== 0 && isFreed(block, row)) freed.push(row);
      if (freed.length === 0) continue;
      for (const row of freed) setBit(this.#used, at * rowsPerBlock + row, false);
      if (freed.length === this.#rowsOf[at]) clearAllRows(block);
      else for (const row of freed) clearRow(block, row);
      this.#rowsOf[at] = (this.#rowsOf[at] ?? 0) - freed.length;
      this.#changesOf[at] = (this.#changesOf[at] ?? 0) + 1;
      this.#count -= freed.length;
      this.#freedBefore += freed.length;
    }
  }

  /** The slots that were freed since `freed` had this value, some more than once; null: they are no longer known. */
  freedSince(freed: number): readonly number[] | null {
    return freed < this.#freedBefore ? null : this.#freed.slice(freed - this.#freedBefore);
  }

  /** Many blocks are scanned for few rows. */
  get isSparse(): boolean {
    return this.#end > rowsPerBlock && this.#count * 2 < this.#end;
  }

  /** When the rows of a block expire; empty: there is no such block. */
  expiriesOf(block: number): Float64Array {
    return this.#blocks[block]?.expiries ?? new Float64Array(0);
  }

  /** Clears the bits of slots whose set of tags has a 0 in `isMatch`. */
  keepTagged(bits: Uint32Array, isMatch: Uint8Array): void {
    for (let word = 0; word < bits.length; word++) {
      let kept = (bits[word] ?? 0) | 0;
      if (kept === 0) continue;
      const { tagSets } = this.blockOf(word * 32);
      const firstRow = rowOf(word * 32);
      for (let left = kept; left !== 0; left &= left - 1) {
        const bit = 31 - Math.clz32(left & -left);
        if (isMatch[tagSets[firstRow + bit] ?? 0] !== 1) kept &= ~(1 << bit);
      }
      bits[word] = kept;
    }
  }

  /** Moves the last rows to free slots until none is left between the others, and returns the blocks behind them. */
  compact(moved: (from: number, to: number) => void): void {
    for (let from = this.#end - 1; from >= this.#count; from--) {
      if (this.serialAt(from) === 0) continue;
      const to = this.take();
      this.touch(to);
      copyRow(this.blockOf(from), rowOf(from), this.blockOf(to), rowOf(to));
      moved(from, to);
      this.free(from);
    }
    this.#end = this.#count;
    const needed = Math.ceil(this.#end / rowsPerBlock);
    for (const block of this.#blocks.splice(needed)) this.#buffers.leave(block);
    this.#rowsOf.length = needed;
    this.#changesOf.length = needed;
  }

  /** All blocks, in the order of their slots. */
  get blocks(): readonly RowBlock[] {
    return this.#blocks;
  }

  /** How often each block was changed. */
  get changes(): readonly number[] {
    return this.#changesOf;
  }

  /** The index is not used any more. */
  leave(): void {
    for (const block of this.#blocks) this.#buffers.leave(block);
    this.#blocks = [];
  }

  /** The last block grows in steps, because most projects are small. */
  #makeRoom(slot: number): void {
    const at = Math.floor(slot / rowsPerBlock);
    const block = this.#blocks[at];
    if (block !== undefined && rowOf(slot) < block.capacity) return;
    const larger = this.#buffers.take(this.#dimensions, blockCapacity(rowOf(slot) + 1));
    if (block !== undefined) {
      copyRows(block, larger);
      this.#buffers.leave(block);
    }
    this.#blocks[at] = larger;
    this.#rowsOf[at] ??= 0;
    this.#changesOf[at] = (this.#changesOf[at] ?? 0) + 1;
  }
}

/** The row of a slot in its block. */
export function rowOf(slot: number): number {
  return slot % rowsPerBlock;
}
