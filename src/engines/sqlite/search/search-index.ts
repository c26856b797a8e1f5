// Owns the search index of one project: a cache in memory of the data that ranking needs. Before every search the index reads the
// changes since its revision from the database, in the same read transaction, so every committed write is found.

import { type MemoryType, memoryTypes } from "../../../memory/memory.ts";
import type { SearchQuery } from "../../../memory/store.ts";
import { PostingLists, type WordReader } from "../../../ranking/posting-lists.ts";
import { quantiseRow } from "../../../ranking/quantisation.ts";
import { keywordsOf } from "../../../ranking/query-keywords.ts";
import {
  isActiveState,
  metadataBytesPerRow,
  rowState,
  setRowValues,
  typeOfState,
} from "../../../ranking/row-block.ts";
import type { ScannedBlock } from "../../../ranking/scan-task.ts";
import { countBits } from "../../../ranking/slot-set.ts";
import { toVector } from "../memories/memory-row.ts";
import type { BlockBuffers } from "./block-buffers.ts";
import { Eligibility, type EligibilityQuery } from "./eligibility.ts";
import type { IndexContent } from "./index-content.ts";
import type { ChangedRow, IndexStatements, Pool } from "./index-statements.ts";
import { SlotTable } from "./slot-table.ts";
import { rowOf, Slots } from "./slots.ts";
import { TagSets } from "./tag-sets.ts";

/** Of a memory without tags, beside the codes of its vector, at most: its row, its bits, and its entries in the tables. */
export const bytesPerMemory = metadataBytesPerRow + 16;

export class SearchIndex {
  readonly #project: number;
  readonly #slots: Slots;
  readonly #bySerial: SlotTable;
  readonly #byContent: SlotTable;
  readonly #eligibility = new Eligibility();
  readonly #tagSets = new TagSets();
  readonly #postings: PostingLists;
  #pools = new Map<MemoryType, Pool>();
  #revision = 0;
  #moves = 0;
  /** The newest one that was ever read. */
  #newestContentRevision = 0;

  constructor(project: number, dimensions: number, buffers: BlockBuffers) {
    this.#project = project;
    const slots = new Slots(dimensions, buffers);
    this.#slots = slots;
    this.#bySerial = new SlotTable(slots, (slot) => slots.serialAt(slot));
    this.#byContent = new SlotTable(slots, (slot) => slots.contentRevisionAt(slot));
    const newestContentRevision = () => this.#newestContentRevision;
    this.#postings = new PostingLists({
      get end() {
        return slots.end;
      },
      get freed() {
        return slots.freed;
      },
      get newestContentRevision() {
        return newestContentRevision();
      },
      freedSince: (freed) => slots.freedSince(freed),
      slotOf: (contentRevision) => this.#byContent.find(contentRevision),
    });
  }

  /** Of all of its parts; tags and postings are estimated. */
  get byteLength(): number {
    return (
      this.#slots.byteLength +
      this.#bySerial.byteLength +
      this.#byContent.byteLength +
      this.#eligibility.byteLength +
      this.#tagSets.byteLength +
      this.#postings.byteLength
    );
  }

  /** What the tags of a memory need in the mean, estimated. */
  get tagBytesPerMemory(): number {
    return this.#slots.count === 0 ? 0 : this.#tagSets.byteLength / this.#slots.count;
  }

  /** The blocks to scan. Valid until the next call that changes the index. */
  get blocks(): readonly ScannedBlock[] {
    return this.#slots.scanned();
  }

  /** @param statements of a connection inside the read transaction of the search */
  catchUp(statements: IndexStatements): void {
    const pools = statements.pools(this.#project);
    const buried = memoryTypes.filter((type) => this.#pools.get(type)?.epoch !== pools.get(type)?.epoch);
    if (buried.length > 0) this.#dropTypes(new Set(buried));
    this.#pools = pools;
    this.#readChanges(statements);
    const alive = [...pools.values()].reduce((sum, { memories }) => sum + memories, 0);
    if (this.#slots.count !== alive) {
      // Rare: a memory changed its type and all memories of that type were deleted, or its removal is no longer stored. The index cannot
      // know which memory was removed, so it reads all of them again.
      this.#dropTypes(new Set(memoryTypes));
      this.#moves += 1;
      this.#revision = 0;
      this.#readChanges(statements);
    }
    if (this.#slots.isSparse) this.#compact();
  }

  /** The slots that the query can return, as bits in shared memory. */
  eligible(query: EligibilityQuery & Pick<SearchQuery, "tags">): Uint32Array {
    const words = Math.ceil(this.#slots.end / 32);
    const eligible = new Uint32Array(new SharedArrayBuffer(words * Uint32Array.BYTES_PER_ELEMENT));
    const isMatch = query.tags === null ? null : this.#tagSets.matching(query.tags);
    if (query.tags !== null && isMatch === null) return eligible;
    this.#eligibility.fill(query, eligible, (block) => this.#slots.expiriesOf(block));
    if (isMatch !== null) this.#slots.keepTagged(eligible, isMatch);
    return eligible;
  }

  /** As keywordsOf: it pauses after each part. @param statements as of `catchUp` */
  keywordsOf(
    statements: IndexStatements,
    words: string,
    eligible: Uint32Array,
  ): ReturnType<typeof keywordsOf> {
    const read: WordReader = (word, from, limit) => statements.holders(this.#project, word, from, limit);
    return keywordsOf(words, (word) => this.#postings.holdersOf(word, read), eligible, countBits(eligible));
  }

  memoryAt(slot: number): { readonly serial: number; readonly importance: number } {
    const { serials, importances } = this.#slots.blockOf(slot);
    return { serial: serials[rowOf(slot)] ?? 0, importance: importances[rowOf(slot)] ?? 0 };
  }

  /** What cache files contain. Valid until the next call that changes the index. */
  get content(): IndexContent {
    const epochs = Object.fromEntries(this.#pools.values().map((pool) => [pool.memory_type, pool.epoch]));
    const { blocks, changes } = this.#slots;
    return {
      revision: this.#revision,
      epochs,
      tagSets: this.#tagSets.entries(),
      blocks,
      changes,
      moves: this.#moves,
    };
  }

  /** Words are read from the database again. */
  dropPostings(): void {
    this.#postings.clear();
  }

  /** The index is not used any more, and its memory serves another one. */
  leave(): void {
    this.#slots.leave();
  }

  #readChanges(statements: IndexStatements): void {
    let newest = this.#revision;
    let newestContent = this.#newestContentRevision;
    for (const row of statements.changes(this.#project, this.#revision)) {
      this.#put(row);
      newest = Math.max(newest, row.revision);
      newestContent = Math.max(newestContent, row.content_revision);
    }
    this.#newestContentRevision = newestContent;
    for (const { memory, revision } of statements.removals(this.#project, this.#revision)) {
      this.#drop(this.#bySerial.find(memory));
      newest = Math.max(newest, revision);
    }
    // Last, so that an interrupted update is repeated completely; adding and removing twice has no effect.
    this.#revision = newest;
  }

  #put(row: ChangedRow): void {
    let slot = this.#bySerial.find(row.serial);
    if (slot !== -1 && this.#slots.contentRevisionAt(slot) !== row.content_revision) {
      this.#drop(slot);
      slot = -1;
    }
    // A content that is the same has the same vector.
    if (slot === -1) slot = this.#takeFor(row);
    this.#slots.touch(slot);
    const block = this.#slots.blockOf(slot);
    // The new tags first, so that equal ones keep their number.
    const tagSet = this.#tagSets.add(row.tags);
    this.#tagSets.remove(block.tagSets[rowOf(slot)] ?? 0);
    const [isActive, expiresAt] = [row.is_active === 1, row.expires_at ?? Number.POSITIVE_INFINITY];
    setRowValues(block, rowOf(slot), {
      serial: row.serial,
      contentRevision: row.content_revision,
      importance: row.importance,
      expiresAt,
      tagSet,
      state: rowState(memoryTypes.indexOf(row.memory_type), isActive),
    });
    this.#eligibility.set(slot, row.memory_type, isActive, expiresAt);
  }

  #takeFor(row: ChangedRow): number {
    const slot = this.#slots.take();
    try {
      quantiseRow(toVector(row.embedding), this.#slots.blockOf(slot), rowOf(slot));
    } catch (error) {
      this.#slots.free(slot);
      throw error;
    }
    // Posting lists were read without it.
    if (row.content_revision <= this.#newestContentRevision) this.#postings.clear();
    this.#bySerial.add(row.serial, slot);
    this.#byContent.add(row.content_revision, slot);
    return slot;
  }

  /** @param slot -1: none */
  #drop(slot: number): void {
    if (slot === -1) return;
    this.#bySerial.remove(this.#slots.serialAt(slot));
    this.#byContent.remove(this.#slots.contentRevisionAt(slot));
    this.#free(slot);
  }

  #free(slot: number): void {
    this.#tagSets.remove(this.#slots.blockOf(slot).tagSets[rowOf(slot)] ?? 0);
    this.#eligibility.clear(slot);
    this.#slots.free(slot);
  }

  #dropTypes(types: ReadonlySet<MemoryType>): void {
    this.#postings.clear();
    for (const type of types) this.#eligibility.clearType(type);
    const isDropped = memoryTypes.map((type) => types.has(type));
    this.#slots.freeAll(({ states, tagSets }, row) => {
      if (isDropped[typeOfState(states[row] ?? 0)] !== true) return false;
      const tagSet = tagSets[row] ?? 0;
      if (tagSet > 0) this.#tagSets.remove(tagSet);
      return true;
    });
    this.#bySerial.removeFreed(this.#slots.count);
    this.#byContent.removeFreed(this.#slots.count);
  }

  /** Lists of postings name slots, so they are read again. */
  #compact(): void {
    this.#moves += 1;
    this.#postings.clear();
    this.#slots.compact((from, to) => {
      const { states, expiries } = this.#slots.blockOf(to);
      const state = states[rowOf(to)] ?? 0;
      const type = memoryTypes[typeOfState(state)];
      if (type !== undefined) this.#eligibility.set(to, type, isActiveState(state), expiries[rowOf(to)] ?? 0);
      this.#eligibility.clear(from);
    });
    this.#bySerial.rebuild(this.#slots.count);
    this.#byContent.rebuild(this.#slots.count);
  }
}
