// Owns the numbers of the buffers that the searcher shares with the scanners. Must never keep a buffer that was released.

import type { BufferChanges, SharedBuffer } from "./group-steps.ts";

export interface SharedBuffers {
  /** The number by which tasks name the buffer; scanners receive the buffer before the next task. */
  numberOf(buffer: SharedArrayBuffer): number;
  /**
   * The buffer is not used any more, and scanners forget it. One that a task has written to may be used for something else only after
   * the result of this task was received: its scanner may hang, and write later.
   */
  release(buffer: SharedArrayBuffer): void;
  /** What has changed since the last call; null: nothing. */
  takeChanges(): BufferChanges | null;
}

export function createSharedBuffers(): SharedBuffers {
  const numbers = new Map<SharedArrayBuffer, number>();
  let shared: SharedBuffer[] = [];
  let forgotten: number[] = [];
  let last = 0;
  return {
    numberOf(buffer) {
      const known = numbers.get(buffer);
      if (known !== undefined) return known;
      last += 1;
      numbers.set(buffer, last);
      shared.push({ number: last, buffer });
      return last;
    },
    release(buffer) {
      const number = numbers.get(buffer);
      if (number === undefined) return;
      numbers.delete(buffer);
      forgotten.push(number);
    },
    takeChanges() {
      if (shared.length === 0 && forgotten.length === 0) return null;
      const changes = { shared, forgotten };
      shared = [];
      forgotten = [];
      return changes;
    },
  };
}
