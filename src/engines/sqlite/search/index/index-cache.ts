// Owns which projects have a search index in memory: those that were searched most recently, in a number of bytes for all of them.

import type { ModelBinding } from "../../../../calls/storage/model-change-store.ts";
import { rowsPerBlock } from "../../../../memory/ranking/limits.ts";
import type { SharedBuffers } from "../steps/shared-buffers.ts";
import { BlockBuffers } from "./block-buffers.ts";
import { bytesPerMemory, SearchIndex } from "./search-index.ts";

/** Older indexes are built again: removals are stored for one hour only. */
const indexLifeMs = 1_800_000;

interface Entry {
  readonly index: SearchIndex;
  readonly model: VectorModel;
  bytes: number;
  usedAtMs: number;
  /** A group uses it, and scanners may read its memory. */
  isInUse: boolean;
}

/** An index in memory, for those who read all of them. */
export type LoadedIndex = Pick<Entry, "index" | "model" | "isInUse"> & {
  /** Serial of the project. */
  readonly project: number;
};

type VectorModel = Pick<ModelBinding, "sha256" | "dimensions">;

export class IndexCache {
  readonly #maxBytes: number;
  readonly #buffers: BlockBuffers;
  /** By the serial of the project, the one that was used least recently first. */
  readonly #entries = new Map<number, Entry>();
  readonly #searched = new Set<number>();
  #bytes = 0;

  constructor(maxBytes: number, shared: Pick<SharedBuffers, "release">) {
    this.#maxBytes = maxBytes;
    this.#buffers = new BlockBuffers((buffer) => shared.release(buffer));
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

  has(project: number): boolean {
    return this.#entries.has(project);
  }

  /** Whether an index of so many bytes fits beside all others. */
  hasRoom(bytes: number): boolean {
    return this.byteLength + bytes <= this.#maxBytes;
  }

  /** The index of a project that has none, which nobody has searched: it is the first one to leave. `settle` must follow. */
  add(project: number, model: VectorModel): SearchIndex {
    const others = [...this.#entries];
    this.#entries.clear();
    const entry = this.#createEntry(project, model);
    for (const [each, other] of others) this.#entries.set(each, other);
    return entry.index;
  }

  /** The projects that were searched since the last call. */
  takeSearched(): readonly number[] {
    const searched = [...this.#searched];
    this.#searched.clear();
    return searched;
  }

  /** The index of a project, which is not yet current. It stays until `settle`, which must follow. */
  use(project: number, model: VectorModel): SearchIndex {
    const nowMs = performance.now();
    this.#searched.add(project);
    this.#leavePreviousModels(model);
    const known = this.#entries.get(project);
    const isUsable = known?.model.sha256 === model.sha256 && nowMs - known.usedAtMs <= indexLifeMs;
    if (known !== undefined && !isUsable) this.#leave(project, known);
    const entry = this.#entries.get(project) ?? this.#createEntry(project, model);
    entry.usedAtMs = nowMs;
    entry.isInUse = true;
    this.#entries.delete(project); // to the end
    this.#entries.set(project, entry);
    return entry.index;
  }

  #createEntry(project: number, model: VectorModel): Entry {
    const index = new SearchIndex(project, model.dimensions, this.#buffers);
    const entry: Entry = { index, model, bytes: 0, usedAtMs: performance.now(), isInUse: true };
    this.#entries.set(project, entry);
    return entry;
  }

  /** The one that was used least recently first. */
  *loaded(): Iterable<LoadedIndex> {
    for (const [project, { index, model, isInUse }] of this.#entries)
      yield { project, index, model, isInUse };
  }

  /** Leaves indexes that are not in use until so many bytes more can be allocated, or all are left. */
  makeRoom(bytes: number): void {
    for (const [project, entry] of this.#entries) {
      if (this.#bytes + bytes <= this.#maxBytes) return;
      if (!entry.isInUse) this.#leave(project, entry);
    }
  }

  /** Nothing reads the index any more until its next use. Counts its memory again, and makes room for it. */
  settle(project: number): void {
    const entry = this.#entries.get(project);
    if (entry === undefined) return;
    entry.isInUse = false;
    this.#count(entry);
    for (const [each, other] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break;
      if (other !== entry && !other.isInUse) this.#leave(each, other);
    }
    if (this.#bytes > this.#maxBytes) {
      entry.index.dropPostings();
      this.#count(entry);
    }
    this.#buffers.keepAtMost(Math.max(0, this.#maxBytes - this.#bytes));
  }

  #leavePreviousModels({ sha256 }: VectorModel): void {
    for (const [project, entry] of this.#entries)
      if (entry.model.sha256 !== sha256 && !entry.isInUse) this.#leave(project, entry);
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
