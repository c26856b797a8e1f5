// Owns the search index of one project: a cache in memory of what ranking needs. The database is the truth; before every
// search the index catches up with it by revision, in the same read transaction, so a committed write is always found.

import type { Project } from "../access/project.ts";
import type { ApproximateRows } from "../memory/candidates.ts";
import { type MemoryType, memoryTypes } from "../memory/memory.ts";
import type { SearchQuery } from "../memory/store.ts";
import type { Onnx } from "../native/onnx.ts";
import type { Database } from "../native/sqlite.ts";
import { aliveJoin, toVector } from "./memory.ts";
import { VectorMatrix } from "./vector-matrix.ts";

interface ChangedRow {
  serial: number;
  revision: number;
  memory_type: MemoryType;
  importance: number;
  is_active: number;
  expires_at: number | null;
  embedding: Uint8Array;
}

interface RemovedRow {
  memory: number;
  revision: number;
}

interface Pool {
  memory_type: MemoryType;
  epoch: number;
  memories: number;
}

/** What the index reads; prepared once per connection. */
export interface IndexStatements {
  pools(project: number): Map<MemoryType, Pool>;
  changes(project: number, afterRevision: number): Iterable<ChangedRow>;
  removals(project: number, afterRevision: number): Iterable<RemovedRow>;
}

export function createIndexStatements(database: Database): IndexStatements {
  const pools = database.prepare<[number], Pool>(
    "SELECT memory_type, epoch, memories FROM pool WHERE project = ?",
  );
  const changes = database.prepare<[number, number], ChangedRow>(
    `SELECT m.serial, m.revision, m.memory_type, m.importance, m.is_active, m.expires_at, v.embedding
     FROM memory m ${aliveJoin} JOIN memory_vector v ON v.memory = m.serial
     WHERE m.project = ? AND m.revision > ?`,
  );
  const removals = database.prepare<[number, number], RemovedRow>(
    "SELECT memory, revision FROM memory_removal WHERE project = ? AND revision > ?",
  );
  return {
    pools: (project) => new Map(pools.all(project).map((row) => [row.memory_type, row])),
    changes: (project, afterRevision) => changes.iterate(project, afterRevision),
    removals: (project, afterRevision) => removals.iterate(project, afterRevision),
  };
}

interface IndexedMemory {
  serial: number;
  type: MemoryType;
  importance: number;
  active: boolean;
  /** Infinity when permanent. */
  expiresAt: number;
}

/** An IndexedMemory and its place in the map, measured. */
export const bytesPerMemory = 128;

export class SearchIndex {
  readonly #project: number;
  readonly #statements: IndexStatements;
  readonly #matrix: VectorMatrix;
  /** Row n of the matrix is the vector of memory n. */
  readonly #memories: IndexedMemory[] = [];
  #rowOf = new Map<number, number>();
  #pools = new Map<MemoryType, Pool>();
  #revision = 0;

  constructor(project: Project, statements: IndexStatements, onnx: Onnx, dimensions: number) {
    this.#project = project.serial;
    this.#statements = statements;
    this.#matrix = new VectorMatrix(onnx, dimensions);
  }

  /** Bytes held, estimated. */
  get byteLength(): number {
    return this.#matrix.byteLength + this.#memories.length * bytesPerMemory;
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
    // Rare: a memory took another type that was then deleted as a whole, or its removal is forgotten. Nothing here tells
    // which one is gone, so everything is read again.
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
    // Last, so that an interrupted catch-up is repeated as a whole; putting and dropping again changes nothing.
    this.#revision = newest;
  }

  /** Approximate similarities of all rows with the query; valid until the next call. */
  rows(query: SearchQuery): ApproximateRows {
    const memories = this.#memories;
    const { types, includeExpired, includeInactive, now } = query;
    return {
      length: memories.length,
      similarities: this.#matrix.scores(query.vector),
      importanceOf: (row) => memories[row]?.importance ?? 0,
      isEligible: (row) => {
        const memory = memories[row];
        return (
          memory !== undefined &&
          (types === null || types.includes(memory.type)) &&
          (includeInactive || memory.active) &&
          (includeExpired || memory.expiresAt > now)
        );
      },
    };
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
    const memory: IndexedMemory = {
      serial: row.serial,
      type: row.memory_type,
      importance: row.importance,
      active: row.is_active === 1,
      expiresAt: row.expires_at ?? Number.POSITIVE_INFINITY,
    };
    const at = this.#rowOf.get(row.serial) ?? this.#memories.length;
    this.#matrix.set(at, toVector(row.embedding));
    this.#memories[at] = memory;
    this.#rowOf.set(row.serial, at);
  }

  #drop(serial: number): void {
    const row = this.#rowOf.get(serial);
    if (row === undefined) return;
    this.#rowOf.delete(serial);
    this.#matrix.swapRemove(row);
    const last = this.#memories.pop();
    if (last === undefined || last.serial === serial) return;
    this.#memories[row] = last;
    this.#rowOf.set(last.serial, row);
  }

  /** Works on what stays or on what goes, whichever is less: after a bulk delete of 200,000 the next search still answers at once. */
  #dropTypes(types: ReadonlySet<MemoryType>): void {
    const staying = this.#memories.reduce((count, { type }) => count + (types.has(type) ? 0 : 1), 0);
    if (staying * 2 < this.#memories.length) this.#rowOf = new Map();
    let kept = 0;
    for (const [row, memory] of staying === 0 ? [] : this.#memories.entries()) {
      if (types.has(memory.type)) {
        this.#rowOf.delete(memory.serial);
        continue;
      }
      if (kept < row) {
        this.#matrix.set(kept, this.#matrix.row(row));
        this.#memories[kept] = memory;
      }
      if (this.#rowOf.get(memory.serial) !== kept) this.#rowOf.set(memory.serial, kept);
      kept += 1;
    }
    this.#memories.length = kept;
    this.#matrix.truncate(kept);
  }
}
