// Owns when a thread that sees the shared memory of indexes collects its garbage. The runtime counts shared memory as memory of each thread
// that sees it, and lets garbage grow in proportion: hundreds of megabytes in each thread for an index of a million memories. Must never be
// used in a thread that sees no index, which the runtime judges well.

/** Rarely enough that collecting, which takes milliseconds, takes less than a hundredth of the time. */
const collectEveryMs = 1_000;

/** @returns what to call after each piece of work; an idle thread makes no garbage */
export function createGarbageCollection(
  collect: () => void = () => Bun.gc(false),
  nowMs: () => number = () => performance.now(),
): () => void {
  let collectedAtMs = nowMs();
  return () => {
    if (nowMs() - collectedAtMs < collectEveryMs) return;
    collect();
    collectedAtMs = nowMs();
  };
}
