// Owns the rows of one search index, and everything that finds them: tables, bits and numbers of tags, which change together with a row.
// Must never read the database.

import type { SearchQuery } from "../../../../calls/storage/memory-store.ts";
import { type Kind, kinds } from "../../../../memory/kind.ts";
import type { Reading } from "../../../../memory/ranking/query-keywords.ts";
import { isActiveState, kindOfState, type RowBlock } from "../../../../memory/ranking/scan/row-block.ts";
import type { MetadataCondition } from "../../../../memory/search/metadata-filter.ts";
import type { BlockBuffers } from "./block-buffers.ts";
import { Eligibility, type EligibilityQuery } from "./eligibility.ts";
import { EligibleSets } from "./eligible-sets.ts";
import type { ChangedRow } from "./index-statements.ts";
import { writeValues, writeVector } from "./row-writing.ts";
import { SeenSerials } from "./seen-serials.ts";
import { setBit } from "./slot-bits.ts";
import { SlotTable } from "./slot-table.ts";
import { rowOf, Slots } from "./slots.ts";
import { TagSets } from "./tag-sets.ts";

/** Some rows of a block that others have written. The number that a row has is the position of its tags + 1. */
export interface AdoptedRows {
  readonly firstRow: number;
  readonly rows: number;
  readonly tagTexts: readonly string[];
}

export type EligibleQuery = EligibilityQuery & Pick<SearchQuery, "tags" | "metadata">;

/** Serials of memories that have a member as the condition says, as the index is. */
type ReadDescribed = (condition: MetadataCondition) => Iterable<number>;

/** Reading them takes a millisecond. */
const serialsPerPart = 1_000;

export class IndexedRows {
  readonly slots: Slots;
  readonly tagSets = new TagSets();
  readonly #bySerial: SlotTable;
  readonly #byContent: SlotTable;
  readonly #eligibility = new Eligibility();
  readonly #eligibleSets = new EligibleSets();
  /** By filter. */
  readonly #eligibleOfGroup = new Map<string, Uint32Array>();
  readonly #expiriesOf = (block: number) => this.slots.expiriesOf(block);
  /** Of the blocks that an empty index adopts; null: any memory may be in the index already. */
  #seen: SeenSerials | null = null;

  constructor(dimensions: number, buffers: BlockBuffers) {
    const slots = new Slots(dimensions, buffers);
    this.slots = slots;
    this.#bySerial = new SlotTable(slots, (slot) => slots.serialAt(slot));
    this.#byContent = new SlotTable(slots, (slot) => slots.contentRevisionAt(slot));
  }

  /** Of all parts; that of tags is estimated. */
  get byteLength(): number {
    const tables = this.#bySerial.byteLength + this.#byContent.byteLength;
    const bits = this.#eligibility.byteLength + this.#eligibleSets.byteLength;
    return this.slots.byteLength + tables + bits + this.tagSets.byteLength;
  }

  /** The slot of the memory with this content; -1: there is none. */
  slotOfContent(contentRevision: number): number {
    return this.#byContent.find(contentRevision);
  }

  /**
   * The slots that the query can return, as bits in shared memory, until `endGroup`. Queries with the same filter get the same ones, so
   * that they are computed and passed to other threads once. Must not be changed.
   */
  *eligible(query: EligibleQuery, described: ReadDescribed): Reading<Uint32Array> {
    const { types, origin = null, tags, metadata = null, includeInactive, includeExpired, now } = query;
    const expired = includeExpired ? null : this.#eligibility.expiredState(now, this.#expiriesOf);
    const filter = JSON.stringify([types, origin, tags, metadata, includeInactive, expired]);
    const eligible = this.#eligibleOfGroup.get(filter) ?? (yield* this.#computeEligible(query, described));
    this.#eligibleOfGroup.set(filter, eligible);
    return eligible;
  }

  *#computeEligible(query: EligibleQuery, described: ReadDescribed): Reading<Uint32Array> {
    const eligible = this.#eligibleSets.take(Math.ceil(this.slots.end / 32));
    const isMatch = query.tags === null ? null : this.tagSets.matching(query.tags);
    if (query.tags !== null && isMatch === null) return eligible;
    this.#eligibility.fill(query, eligible, this.#expiriesOf);
    if (isMatch !== null) this.slots.keepTagged(eligible, isMatch);
    for (const condition of query.metadata ?? []) {
      const found = yield* this.#slotsOf(described(condition), eligible.length);
      const mask = condition.isWanted ? 0 : -1;
      for (let at = 0; at < found.length; at++)
        eligible[at] = (eligible[at] ?? 0) & ((found[at] ?? 0) ^ mask);
    }
    return eligible;
  }

  /** The slots of memories as bits. Pauses, because there may be a million. */
  *#slotsOf(serials: Iterable<number>, words: number): Reading<Uint32Array> {
    const bits = new Uint32Array(words);
    let read = 0;
    for (const serial of serials) {
      const slot = this.#bySerial.find(serial);
      if (slot !== -1) setBit(bits, slot, true);
      read += 1;
      if (read % serialsPerPart === 0) yield;
    }
    return bits;
  }

  /** The results of `eligible` are not used any more. */
  endGroup(): void {
    this.#eligibleOfGroup.clear();
    this.#eligibleSets.returnAll();
  }

  /** A memory that is new or changed. @returns whether it got another slot: a content that is the same has the same vector */
  put(row: ChangedRow): boolean {
    let slot = this.#bySerial.find(row.serial);
    if (slot !== -1 && this.slots.contentRevisionAt(slot) !== row.content_revision) {
      this.#drop(slot);
      slot = -1;
    }
    const isPlaced = slot === -1;
    if (isPlaced) slot = this.#takeFor(row);
    this.slots.touch(slot);
    const block = this.slots.blockOf(slot);
    // The new tags first, so that equal ones keep their number.
    const tagSet = this.tagSets.add(row.tags);
    this.tagSets.remove(block.tagSets[rowOf(slot)] ?? 0);
    writeValues(block, rowOf(slot), row, tagSet);
    this.#setEligibility(slot, block, rowOf(slot));
    return isPlaced;
  }

  #setEligibility(slot: number, { states, expiries }: RowBlock, row: number): void {
    const state = states[row] ?? 0;
    const kind = kinds[kindOfState(state)];
    if (kind !== undefined) this.#eligibility.set(slot, kind, isActiveState(state), expiries[row] ?? 0);
  }

  #takeFor(row: ChangedRow): number {
    const slot = this.slots.take();
    try {
      writeVector(this.slots.blockOf(slot), rowOf(slot), row);
    } catch (error) {
      this.slots.free(slot);
      throw error;
    }
    this.#bySerial.add(row.serial, slot);
    this.#byContent.add(row.content_revision, slot);
    return slot;
  }

  /** A memory that was removed; one that is not in the index is ignored. */
  drop(serial: number): void {
    const slot = this.#bySerial.find(serial);
    if (slot !== -1) this.#drop(slot);
  }

  #drop(slot: number): void {
    this.#bySerial.remove(this.slots.serialAt(slot));
    this.#byContent.remove(this.slots.contentRevisionAt(slot));
    this.tagSets.remove(this.slots.blockOf(slot).tagSets[rowOf(slot)] ?? 0);
    this.#eligibility.clear(slot);
    this.slots.free(slot);
  }

  /** Drops all memories of these kinds at once. */
  dropKinds(dropped: ReadonlySet<Kind>): void {
    for (const kind of dropped) this.#eligibility.clearKind(kind);
    const isDropped = kinds.map((kind) => dropped.has(kind));
    this.slots.freeAll(({ states, tagSets }, row) => {
      if (isDropped[kindOfState(states[row] ?? 0)] !== true) return false;
      const tagSet = tagSets[row] ?? 0;
      if (tagSet > 0) this.tagSets.remove(tagSet);
      return true;
    });
    this.#bySerial.removeFreed(this.slots.count);
    this.#byContent.removeFreed(this.slots.count);
  }

  /** Call it before the blocks are adopted. @param rows of all blocks, at least those that are used */
  reserve(rows: number, blocks: readonly RowBlock[]): void {
    this.#seen = this.slots.count === 0 ? SeenSerials.of(blocks, rows) : null;
    this.#bySerial.reserve(rows);
    this.#byContent.reserve(rows);
  }

  /** Adds the rows of a block, in place of older ones of the same memories. The numbers of tags become those of the index. */
  adopt(block: RowBlock, parts: readonly AdoptedRows[]): void {
    for (const serial of block.serials)
      if (serial !== 0 && this.#seen?.add(serial) !== false) this.drop(serial);
    const firstSlot = this.slots.adopt(block);
    for (const part of parts) this.#adoptTags(block, part);
    for (let row = 0; row < block.capacity; row++) {
      const serial = block.serials[row] ?? 0;
      if (serial === 0) continue;
      this.#bySerial.add(serial, firstSlot + row);
      this.#byContent.add(block.contentRevisions[row] ?? 0, firstSlot + row);
    }
    this.#eligibility.setBlock(firstSlot, block);
  }

  #adoptTags({ serials, tagSets }: RowBlock, { firstRow, rows, tagTexts }: AdoptedRows): void {
    // By the number in the block; 0: it has not occurred yet.
    const numbers = new Uint32Array(tagTexts.length + 1);
    for (let row = firstRow; row < firstRow + rows; row++) {
      const tagSet = tagSets[row] ?? 0;
      if (tagSet === 0 || serials[row] === 0) continue;
      const known = numbers[tagSet] ?? 0;
      const number = known === 0 ? this.tagSets.add(tagTexts[tagSet - 1] ?? null) : known;
      if (known === 0) numbers[tagSet] = number;
      else this.tagSets.addTo(number);
      tagSets[row] = number;
    }
  }

  /** Moves memories to other slots, so that fewer blocks are scanned. */
  compact(): void {
    this.slots.compact((from, to) => {
      this.#setEligibility(to, this.slots.blockOf(to), rowOf(to));
      this.#eligibility.clear(from);
    });
    this.#bySerial.rebuild(this.slots.count);
    this.#byContent.rebuild(this.slots.count);
  }
}
