// Owns the memory of row blocks that no index uses at the moment, for the next block of the same size. The runtime frees shared memory
// late, in every thread that has seen it, so a left block is better used again.

import {
  bytesPerRow,
  createRowBlock,
  type RowBlock,
  viewRowBlock,
} from "../../../../memory/ranking/scan/row-block.ts";

export class BlockBuffers {
  /** By size in bytes. */
  readonly #left = new Map<number, SharedArrayBuffer[]>();
  readonly #onRelease: (buffer: SharedArrayBuffer) => void;
  #bytes = 0;

  /** @param onRelease called with each buffer that is left to the runtime */
  constructor(onRelease: (buffer: SharedArrayBuffer) => void = () => undefined) {
    this.#onRelease = onRelease;
  }

  /** Of all buffers that wait. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** A block whose rows are all free. @param capacity a value of `blockCapacity` */
  take(dimensions: number, capacity: number): RowBlock {
    const buffer = this.#left.get(capacity * bytesPerRow(dimensions))?.pop();
    if (buffer === undefined) return createRowBlock(dimensions, capacity);
    this.#bytes -= buffer.byteLength;
    new Uint8Array(buffer).fill(0);
    return viewRowBlock(buffer, dimensions);
  }

  /** No thread may read the block any more. */
  leave({ buffer }: RowBlock): void {
    const same = this.#left.get(buffer.byteLength) ?? [];
    same.push(buffer);
    this.#left.set(buffer.byteLength, same);
    this.#bytes += buffer.byteLength;
  }

  /** Leaves buffers to the runtime, the largest first, until at most so many bytes wait. */
  keepAtMost(bytes: number): void {
    for (const size of [...this.#left.keys()].toSorted((a, b) => b - a)) {
      const same = this.#left.get(size) ?? [];
      for (; this.#bytes > bytes; this.#bytes -= size) {
        const buffer = same.pop();
        if (buffer === undefined) break;
        this.#onRelease(buffer);
      }
      if (same.length === 0) this.#left.delete(size);
    }
  }
}
