// Owns when a thread that sees the shared memory of indexes collects its garbage. The runtime counts shared memory as memory of each thread
// that sees it, and lets garbage grow in proportion: hundreds of megabytes in each thread for an index of a million memories. Must never be
// used in a thread that sees no index, where the runtime collects at the right times.

import { fullGC } from "bun:jsc";

interface Collections {
  /** Frees what was allocated since the last collection and is not in use. What is in use counts as old then, and is not checked again. */
  young(): void;
  /** Frees everything that is not in use. */
  all(): void;
}

/** Rarely enough that collecting, which takes milliseconds, takes less than a hundredth of the time. */
const collectEveryMs = 1_000;
/** Of which a thread knows that it made them. */
const garbageBytesMax = 32 * 1024 ** 2;
/** The groups that are open during a collection of young garbage become old garbage. */
const collectAllEvery = 4;

/**
 * @returns what to call after each piece of work, with the bytes that it has left as garbage, as far as they are many; an idle thread makes
 * no garbage
 */
export function createGarbageCollection(
  { young, all }: Collections = { young: () => Bun.gc(false), all: fullGC },
  nowMs: () => number = () => performance.now(),
): (garbageBytes?: number) => void {
  let collectedAtMs = nowMs();
  let collections = 0;
  let waitingBytes = 0;
  return (garbageBytes = 0) => {
    waitingBytes += garbageBytes;
    if (nowMs() - collectedAtMs < collectEveryMs && waitingBytes < garbageBytesMax) return;
    collections += 1;
    if (collections % collectAllEvery === 0) all();
    else young();
    collectedAtMs = nowMs();
    waitingBytes = 0;
  };
}
