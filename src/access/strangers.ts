// Owns what becomes of calls without a known key: a few a second are recorded, the rest only counted, so that nobody fills the
// disk without a key.

import { LRUCache } from "lru-cache";
import { strangerCountEveryMs, strangerRecordsPerSecond } from "../limits.ts";
import { createRateLimiter } from "./rate.ts";

export type StrangerVerdict =
  | { readonly kind: "record" }
  /** Refuse with 1429; where `uncounted` is given, record once how many calls were refused since the last such record. */
  | { readonly kind: "limit"; readonly waitSeconds: number; readonly uncounted: number | null };

interface Tally {
  calls: number;
  toldAt: number;
}

export function createStrangers({
  maxAddresses = 10_000,
} = {}): (address: string, nowMs: number) => StrangerVerdict {
  const limiter = createRateLimiter({ maxBuckets: maxAddresses });
  const tallies = new LRUCache<string, Tally>({ max: maxAddresses });
  const rate = { perSecond: strangerRecordsPerSecond, burst: strangerRecordsPerSecond };
  return (address, nowMs) => {
    const waitSeconds = limiter.take(address, rate, nowMs);
    if (waitSeconds === 0) return { kind: "record" };
    const tally = tallies.get(address) ?? { calls: 0, toldAt: Number.NEGATIVE_INFINITY };
    tally.calls += 1;
    tallies.set(address, tally);
    if (nowMs - tally.toldAt < strangerCountEveryMs) return { kind: "limit", waitSeconds, uncounted: null };
    const uncounted = tally.calls;
    tallies.set(address, { calls: 0, toldAt: nowMs });
    return { kind: "limit", waitSeconds, uncounted };
  };
}
