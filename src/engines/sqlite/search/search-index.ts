// Owns the search index of one project: a cache in memory of the data that ranking needs. Before every search the index reads the
// changes since its revision from the database, in the same read transaction, so every committed write is found.

import { type MemoryType, memoryTypes } from "../../../memory/memory.ts";
import type { SearchQuery } from "../../../memory/store.ts";
import type { Onnx } from "../../../native/onnx.ts";
import type { ApproximateRows } from "../../../ranking/candidates.ts";
import { keywordScores } from "../../../ranking/keyword-scores.ts";
import { Postings } from "../../../ranking/postings.ts";
import { VectorMatrix } from "../../../ranking/vector-matrix.ts";
import { queryWords } from "../../../ranking/words.ts";
import { toVector } from "../memories/memory-row.ts";
import type { ChangedRow, IndexStatements, Pool } from "./index-statements.ts";
import { type TagSet, TagSets } from "./tag-sets.ts";

interface IndexedMemory {
  readonly serial: number;
  /** The words of the memory belong to this revision of its content; a changed content gets a new IndexedMemory. */
  readonly contentRevision: number;
  /** -1 when it was removed. */
  row: number;
  type: MemoryType;
  importance: number;
  active: boolean;
  /** Infinity: permanent. */
  expiresAt: number;
  /** Null: no tags. */
  tags: TagSet | null;
}

/** Of an IndexedMemory with its entries in the maps; measured. */
export const bytesPerMemory = 224;

export class SearchIndex {
  readonly #project: number;
  readonly #statements: IndexStatements;
  readonly #matrix: VectorMatrix;
  /** Row n of the matrix is the vector of memory n. */
  readonly #memories: IndexedMemory[] = [];
  #bySerial = new Map<number, IndexedMemory>();
  #byContent = new Map<number, IndexedMemory>();
  readonly #postings: Postings<IndexedMemory>;
  #tagSets = new TagSets();
  #pools = new Map<MemoryType, Pool>();
  #revision = 0;

  constructor(project: number, statements: IndexStatements, onnx: Onnx, dimensions: number) {
    this.#project = project;
    this.#statements = statements;
    this.#matrix = new VectorMatrix(onnx, dimensions);
    this.#postings = new Postings((word, from) => statements.holders(project, word, from));
  }

  /** Estimated. */
  get byteLength(): number {
    const memories = this.#memories.length * (bytesPerMemory + this.tagBytesPerMemory);
    return this.#matrix.byteLength + this.#postings.byteLength + memories;
  }

  /** What the tags of a memory need in the mean, estimated. */
  get tagBytesPerMemory(): number {
    return this.#memories.length === 0 ? 0 : this.#tagSets.byteLength / this.#memories.length;
  }

  /** Call inside the read transaction of the search. */
  catchUp(): void {
    const pools = this.#statements.pools(this.#project);
    const buried = memoryTypes.filter((type) => this.#pools.get(type)?.epoch !== pools.get(type)?.epoch);
    if (buried.length > 0) this.#dropTypes(new Set(buried));
    this.#pools = pools;
    this.#readChanges();
    const alive = [...pools.values()].reduce((sum, { memories }) => sum + memories, 0);
    if (this.#memories.length === alive) return;
    // Rare: a memory changed its type and all memories of that type were deleted, or its removal is no longer stored. The index cannot
    // know which memory was removed, so it reads all of them again.
    this.#dropTypes(new Set(memoryTypes));
    this.#revision = 0;
    this.#readChanges();
  }

  #readChanges(): void {
    let newest = this.#revision;
    for (const row of this.#statements.changes(this.#project, this.#revision)) {
      this.#put(row);
      newest = Math.max(newest, row.revision);
    }
    for (const { memory, revision } of this.#statements.removals(this.#project, this.#revision)) {
      this.#drop(memory);
      newest = Math.max(newest, revision);
    }
    // Last, so that an interrupted update is repeated completely; adding and removing twice has no effect.
    this.#revision = newest;
  }

  /** Approximate similarities of all rows with the query, and their keyword scores; valid until the next call. */
  rows(query: SearchQuery): ApproximateRows {
    const memories = this.#memories;
    const eligible = this.#eligible(query);
    return {
      length: memories.length,
      similarities: this.#matrix.scores(query.vector),
      keywords: query.words === null ? null : this.#keywords(query.words, eligible),
      importanceOf: (row) => memories[row]?.importance ?? 0,
      isEligible: (row) => eligible[row] === 1,
    };
  }

  /** 1 for each row that the query can return, 0 for the others. */
  #eligible({ types, tags: filter, includeExpired, includeInactive, now }: SearchQuery): Uint8Array {
    const eligible = new Uint8Array(this.#memories.length);
    const wanted = filter === null ? null : this.#tagSets.mark(filter);
    let row = 0;
    for (const { type, active, expiresAt, tags } of this.#memories) {
      if (
        (wanted === null || tags?.matched === wanted) &&
        (types === null || types.includes(type)) &&
        (includeInactive || active) &&
        (includeExpired || expiresAt > now)
      )
        eligible[row] = 1;
      row += 1;
    }
    return eligible;
  }

  #keywords(words: string, eligible: Uint8Array): Float64Array {
    const find = (contentRevision: number) => this.#byContent.get(contentRevision);
    const holders = queryWords(words).map((word) => {
      const rows: number[] = [];
      for (const { row } of this.#postings.holdersOf(word, this.#revision, find))
        if (eligible[row] === 1) rows.push(row);
      return rows;
    });
    let searched = 0;
    for (const one of eligible) searched += one;
    return keywordScores(holders, eligible.length, searched);
  }

  /** For each vector: the rows of unexpired memories that are, or may be, more similar to it than `above`. */
  rowsAbove(above: number, vectors: readonly Float32Array[], now: number): number[][] {
    const isAlive = (row: number) => (this.#memories[row]?.expiresAt ?? 0) > now;
    return this.#matrix.rowsAbove(above, vectors).map((rows) => rows.filter(isAlive));
  }

  memoryAt(row: number): {
    readonly serial: number;
    readonly importance: number;
    readonly vector: Float32Array;
  } {
    const memory = this.#memories[row];
    if (memory === undefined)
      throw new RangeError(`Row ${row} is outside an index of ${this.#memories.length}.`);
    return { serial: memory.serial, importance: memory.importance, vector: this.#matrix.row(row) };
  }

  #put(row: ChangedRow): void {
    const before = this.#bySerial.get(row.serial);
    const isRewritten = before?.contentRevision !== row.content_revision;
    if (before !== undefined && isRewritten) this.#byContent.delete(before.contentRevision);
    const at = before?.row ?? this.#memories.length;
    if (before !== undefined && isRewritten) before.row = -1;
    const state = {
      row: at,
      type: row.memory_type,
      importance: row.importance,
      active: row.is_active === 1,
      expiresAt: row.expires_at ?? Number.POSITIVE_INFINITY,
      // The new ones first, so that equal tags keep their set.
      tags: this.#tagSets.add(row.tags),
    };
    this.#tagSets.remove(before?.tags ?? null);
    const memory =
      before === undefined || isRewritten
        ? { serial: row.serial, contentRevision: row.content_revision, ...state }
        : Object.assign(before, state);
    this.#matrix.set(at, toVector(row.embedding));
    this.#memories[at] = memory;
    this.#bySerial.set(memory.serial, memory);
    this.#byContent.set(memory.contentRevision, memory);
  }

  #drop(serial: number): void {
    const memory = this.#bySerial.get(serial);
    if (memory === undefined) return;
    this.#bySerial.delete(serial);
    this.#byContent.delete(memory.contentRevision);
    this.#tagSets.remove(memory.tags);
    this.#matrix.swapRemove(memory.row);
    const last = this.#memories.pop();
    if (last !== undefined && last !== memory) {
      this.#memories[memory.row] = last;
      last.row = memory.row;
    }
    memory.row = -1;
  }

  /** Processes the removed or the remaining rows, whichever are fewer, so that the first search after a bulk delete is fast. */
  #dropTypes(types: ReadonlySet<MemoryType>): void {
    this.#postings.clear();
    const staying = this.#memories.reduce((count, { type }) => count + (types.has(type) ? 0 : 1), 0);
    const isAnew = staying * 2 < this.#memories.length;
    if (isAnew) [this.#bySerial, this.#byContent, this.#tagSets] = [new Map(), new Map(), new TagSets()];
    let kept = 0;
    for (const [row, memory] of staying === 0 ? [] : this.#memories.entries()) {
      if (types.has(memory.type)) {
        this.#bySerial.delete(memory.serial);
        this.#byContent.delete(memory.contentRevision);
        if (!isAnew) this.#tagSets.remove(memory.tags);
        continue;
      }
      if (kept < row) {
        this.#matrix.set(kept, this.#matrix.row(row));
        this.#memories[kept] = memory;
        memory.row = kept;
      }
      if (isAnew) {
        memory.tags = this.#tagSets.add(memory.tags?.text ?? null);
        this.#bySerial.set(memory.serial, memory);
        this.#byContent.set(memory.contentRevision, memory);
      }
      kept += 1;
    }
    this.#memories.length = kept;
    this.#matrix.truncate(kept);
  }
}
