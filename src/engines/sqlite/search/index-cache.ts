// Owns which projects have a search index in memory: those that were searched most recently, in a number of bytes for all of them.

import { rowsPerBlock } from "../../../ranking/limits.ts";
import { BlockBuffers } from "./block-buffers.ts";
import type { IndexStatements } from "./index-statements.ts";
import { bytesPerMemory, SearchIndex } from "./search-index.ts";

/** Older indexes are built again: removals are stored for one hour only. */
const indexLifeMs = 1_800_000;

interface Entry {
  readonly index: SearchIndex;
  bytes: number;
  usedAtMs: number;
}

export class IndexCache {
  readonly #maxBytes: number;
  readonly #statements: IndexStatements;
  readonly #buffers = new BlockBuffers();
  /** By the serial of the project, the one that was used least recently first. */
  readonly #entries = new Map<number, Entry>();
  #bytes = 0;

  constructor(maxBytes: number, statements: IndexStatements) {
    this.#maxBytes = maxBytes;
    this.#statements = statements;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Of all indexes, and of memory that waits for the next one. */
  get byteLength(): number {
    return this.#bytes + this.#buffers.byteLength;
  }

  /** Whether an index of so many memories fits, alone. @param tagBytes what the tags of a memory need in the mean */
  fits(memories: number, dimensions: number, tagBytes: number): boolean {
    return (memories + rowsPerBlock) * (dimensions + bytesPerMemory + tagBytes) <= this.#maxBytes;
  }

  /** The index of a project, which is not yet current. Call `settle` after it was changed. */
  use(project: number, dimensions: number): SearchIndex {
    const nowMs = performance.now();
    const known = this.#entries.get(project);
    if (known !== undefined && nowMs - known.usedAtMs > indexLifeMs) this.#leave(project, known);
    const entry = this.#entries.get(project) ?? {
      index: new SearchIndex(project, this.#statements, dimensions, this.#buffers),
      bytes: 0,
      usedAtMs: nowMs,
    };
    entry.usedAtMs = nowMs;
    this.#entries.delete(project); // to the end
    this.#entries.set(project, entry);
    return entry.index;
  }

  /** Counts the memory of an index again, and makes room for it. */
  settle(project: number): void {
    const entry = this.#entries.get(project);
    if (entry === undefined) return;
    this.#count(entry);
    for (const [each, other] of this.#entries) {
      if (this.#bytes <= this.#maxBytes || other === entry) break;
      this.#leave(each, other);
    }
    if (this.#bytes > this.#maxBytes) {
      entry.index.dropPostings();
      this.#count(entry);
    }
    this.#buffers.keepAtMost(Math.max(0, this.#maxBytes - this.#bytes));
  }

  clear(): void {
    for (const [project, entry] of this.#entries) this.#leave(project, entry);
    this.#buffers.keepAtMost(0);
  }

  #count(entry: Entry): void {
    const bytes = entry.index.byteLength;
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
  }

  #leave(project: number, { index, bytes }: Entry): void {
    index.leave();
    this.#bytes -= bytes;
    this.#entries.delete(project);
  }
}
