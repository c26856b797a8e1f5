// Owns the search index of one project: a cache in memory of the data that ranking needs. Before every search the index reads the
// changes since its revision from the database, in the same read transaction, so every committed write is found.

import { type Kind, kinds } from "../../../../memory/kind.ts";
import { PostingLists, type WordReader } from "../../../../memory/ranking/posting-lists.ts";
import {
  countSlots,
  type Reading,
  type ReadNearWords,
  type SearchedOwner,
} from "../../../../memory/ranking/query-keywords.ts";
import { metadataBytesPerRow, type RowBlock } from "../../../../memory/ranking/scan/row-block.ts";
import type { ScannedBlock } from "../../../../memory/ranking/scan/scan-task.ts";
import { countBits, type SlotSet } from "../../../../memory/ranking/scan/slot-set.ts";
import type { CacheManifest } from "../../search-cache/manifest.ts";
import { readAloneMax } from "../limits.ts";
import type { Pause } from "../steps/pause.ts";
import type { GroupSteps } from "../steps/turns.ts";
import type { BlockBuffers } from "./block-buffers.ts";
import type { IndexContent } from "./index-content.ts";
import type { IndexStatements, Pool } from "./index-statements.ts";
import { type AdoptedRows, type EligibleQuery, IndexedRows } from "./indexed-rows.ts";
import { rowOf } from "./slots.ts";

/** Of a memory without tags, beside the codes of its vector, at most: its row, its bits, and its entries in the tables. */
export const bytesPerMemory = metadataBytesPerRow + 16;

export class SearchIndex {
  readonly #project: number;
  readonly #rows: IndexedRows;
  readonly #postings: PostingLists;
  #pools = new Map<Kind, Pool>();
  #revision = 0;
  #moves = 0;
  /** The newest one that was ever read. */
  #newestContentRevision = 0;

  constructor(project: number, dimensions: number, buffers: BlockBuffers) {
    this.#project = project;
    const rows = new IndexedRows(dimensions, buffers);
    this.#rows = rows;
    const newestContentRevision = () => this.#newestContentRevision;
    this.#postings = new PostingLists({
      get end() {
        return rows.slots.end;
      },
      get freed() {
        return rows.slots.freed;
      },
      get newestContentRevision() {
        return newestContentRevision();
      },
      freedSince: (freed) => rows.slots.freedSince(freed),
      slotOf: (contentRevision) => rows.slotOfContent(contentRevision),
    });
  }

  /** Of all of its parts; tags and postings are estimated. */
  get byteLength(): number {
    return this.#rows.byteLength + this.#postings.byteLength;
  }

  /** What the tags of a memory need in the mean, estimated. */
  get tagBytesPerMemory(): number {
    const { slots, tagSets } = this.#rows;
    return slots.count === 0 ? 0 : tagSets.byteLength / slots.count;
  }

  /** The blocks to scan. Valid until the next call that changes the index. */
  get blocks(): readonly ScannedBlock[] {
    return this.#rows.slots.scanned();
  }

  /** All changes through this one are in the index. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * Reads what has changed until the read transaction of the group.
   * @param statements of its connection
   * @param readMany reads many changes since `revision` with other threads, and begins a new transaction
   */
  *catchUp(statements: IndexStatements, pause: Pause, readMany: () => GroupSteps<void>): GroupSteps<void> {
    this.#dropDeletedKinds(statements);
    if (statements.isBehind(this.#project, this.#revision, readAloneMax)) {
      yield* readMany();
      this.#dropDeletedKinds(statements);
    }
    yield* this.#readChanges(statements, pause);
    const alive = [...this.#pools.values()].reduce((sum, { memories }) => sum + memories, 0);
    if (this.#rows.slots.count !== alive) {
      // Rare: a memory changed its kind and all memories of that kind were deleted, or its removal is no longer stored. The index cannot
      // know which memory was removed, so it reads all of them again.
      this.#postings.clear();
      this.#rows.dropKinds(new Set(kinds));
      this.#moves += 1;
      this.#revision = 0;
      yield* this.#readChanges(statements, pause);
    }
    if (!this.#rows.slots.isSparse) return;
    // Posting lists name slots, so they are read again.
    this.#postings.clear();
    this.#rows.compact();
    this.#moves += 1;
  }

  /** Whether nothing was ever read. */
  get isNew(): boolean {
    return this.#revision === 0 && this.#rows.slots.count === 0;
  }

  /** Begins with what files have beside their blocks, which are adopted next. The index must be new. */
  beginRestore({ epochs, tagSets }: Pick<CacheManifest, "epochs" | "tagSets">): void {
    for (const memory_type of kinds) {
      const epoch = epochs[memory_type];
      if (epoch !== undefined) this.#pools.set(memory_type, { memory_type, epoch, memories: 0 });
    }
    this.#rows.tagSets.restore(tagSets);
  }

  /** A block for rows that are written by others, until `adopt`. */
  takeBlock(rows: number): RowBlock {
    return this.#rows.slots.takeBlock(rows);
  }

  /** As IndexedRows.reserve. */
  reserve(rows: number, blocks: readonly RowBlock[]): void {
    this.#rows.reserve(rows, blocks);
  }

  /** As IndexedRows.adopt. */
  adopt(block: RowBlock, parts: readonly AdoptedRows[]): void {
    this.#postings.clear();
    this.#rows.adopt(block, parts);
  }

  /** As IndexedRows.eligible. @param statements as of `catchUp` */
  eligible(statements: IndexStatements, query: EligibleQuery): Reading<Uint32Array> {
    return this.#rows.eligible(query, (condition) => statements.described(this.#project, condition));
  }

  /** As IndexedRows.endGroup. */
  endGroup(): void {
    this.#rows.endGroup();
  }

  /** The adopted rows have all changes through this revision. */
  assume(revision: number, newestContentRevision: number): void {
    this.#revision = revision;
    this.#newestContentRevision = Math.max(this.#newestContentRevision, newestContentRevision);
  }

  /** @param statements as of `catchUp` @param eligible as of `eligible` */
  searched(
    statements: IndexStatements,
    eligible: Uint32Array,
    nearWords: ReadNearWords,
  ): SearchedOwner<SlotSet> {
    const read: WordReader = (anyOf, from, limit) => statements.holders(this.#project, anyOf, from, limit);
    const holdersOf = (anyOf: string) => this.#postings.holdersOf(anyOf, read);
    return { count: countSlots(holdersOf, eligible), nearWords, searched: countBits(eligible) };
  }

  memoryAt(slot: number): { readonly serial: number; readonly importance: number } {
    const { serials, importances } = this.#rows.slots.blockOf(slot);
    return { serial: serials[rowOf(slot)] ?? 0, importance: importances[rowOf(slot)] ?? 0 };
  }

  /** What cache files contain. Valid until the next call that changes the index. */
  get content(): IndexContent {
    const epochs = Object.fromEntries(this.#pools.values().map((pool) => [pool.memory_type, pool.epoch]));
    const { blocks, changes } = this.#rows.slots;
    return {
      revision: this.#revision,
      epochs,
      tagSets: this.#rows.tagSets.entries(),
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
    this.#rows.slots.leave();
  }

  #dropDeletedKinds(statements: IndexStatements): void {
    const pools = statements.pools(this.#project);
    const deleted = kinds.filter((kind) => this.#pools.get(kind)?.epoch !== pools.get(kind)?.epoch);
    this.#pools = pools;
    if (deleted.length === 0) return;
    this.#postings.clear();
    this.#rows.dropKinds(new Set(deleted));
  }

  *#readChanges(statements: IndexStatements, pause: Pause): GroupSteps<void> {
    let newest = this.#revision;
    let newestContent = this.#newestContentRevision;
    for (const row of statements.changes(this.#project, this.#revision, Number.MAX_SAFE_INTEGER)) {
      const isPlaced = this.#rows.put(row);
      // Posting lists were read without it.
      if (isPlaced && row.content_revision <= this.#newestContentRevision) this.#postings.clear();
      newest = Math.max(newest, row.revision);
      newestContent = Math.max(newestContent, row.content_revision);
      yield* pause.ifDue();
    }
    for (const { memory, revision } of statements.removals(this.#project, this.#revision)) {
      this.#rows.drop(memory);
      newest = Math.max(newest, revision);
      yield* pause.ifDue();
    }
    // Last, so that an interrupted update is repeated completely; adding and removing twice has no effect.
    this.#newestContentRevision = newestContent;
    this.#revision = newest;
  }
}
