// Owns the limit on calls without a valid key: some are recorded, the others only counted, so that calls without a key cannot fill the
// disk. It limits networks instead of addresses, because a caller often has all addresses of a network, and all networks together,
// because some callers have many networks.

import { LRUCache } from "lru-cache";
import { Refusal } from "../platform/errors.ts";
import {
  unauthenticatedCountEveryMs,
  unauthenticatedNetworkRate,
  unauthenticatedNetworksMax,
  unauthenticatedRate,
} from "../platform/limits.ts";
import { networkOf } from "../platform/network.ts";
import { counted } from "../platform/text/plural.ts";
import { createRateLimiter } from "./rate.ts";

type UnauthenticatedVerdict =
  | { readonly kind: "record" }
  /** Refuse with 1429. If `unrecorded` is set, record how many calls were refused since the last such record. */
  | { readonly kind: "limit"; readonly waitSeconds: number; readonly unrecorded: UnrecordedCalls | null };

interface UnrecordedCalls {
  readonly calls: number;
  /** Null: all networks together. */
  readonly network: string | null;
}

type UnauthenticatedLimit = (address: string, nowMs: number) => UnauthenticatedVerdict;

interface Counter {
  calls: number;
  recordedAt: number;
}

export function createUnauthenticatedLimit({
  maxNetworks = unauthenticatedNetworksMax,
} = {}): UnauthenticatedLimit {
  const limiter = createRateLimiter({ maxBuckets: maxNetworks });
  // A separate limiter, so that many networks cannot evict its bucket.
  const limiterOfAll = createRateLimiter({ maxBuckets: 1 });
  const ofAll: Counter = { calls: 0, recordedAt: Number.NEGATIVE_INFINITY };
  const counters = new LRUCache<string, Counter>({
    max: maxNetworks,
    // The count of an evicted network is added to the count of all networks.
    dispose: ({ calls }) => {
      ofAll.calls += calls;
    },
    noDisposeOnSet: true,
  });
  const waitForAll = (nowMs: number) => limiterOfAll.take("all", unauthenticatedRate, nowMs);
  const isDue = ({ recordedAt }: Counter, nowMs: number) => nowMs - recordedAt >= unauthenticatedCountEveryMs;

  const limitNetwork = (network: string, waitSeconds: number, nowMs: number): UnauthenticatedVerdict => {
    const counter = counters.get(network) ?? { calls: 0, recordedAt: Number.NEGATIVE_INFINITY };
    counter.calls += 1;
    counters.set(network, counter);
    // The count is written as a record, which is limited too.
    if (!isDue(counter, nowMs) || waitForAll(nowMs) > 0)
      return { kind: "limit", waitSeconds, unrecorded: null };
    return { kind: "limit", waitSeconds, unrecorded: { calls: takeCount(counter, nowMs), network } };
  };
  const limitAll = (waitSeconds: number, nowMs: number): UnauthenticatedVerdict => {
    ofAll.calls += 1;
    if (!isDue(ofAll, nowMs)) return { kind: "limit", waitSeconds, unrecorded: null };
    return { kind: "limit", waitSeconds, unrecorded: { calls: takeCount(ofAll, nowMs), network: null } };
  };

  return (address, nowMs) => {
    const network = networkOf(address);
    const wait = limiter.take(network, unauthenticatedNetworkRate, nowMs);
    if (wait > 0) return limitNetwork(network, wait, nowMs);
    const waitAll = waitForAll(nowMs);
    return waitAll > 0 ? limitAll(waitAll, nowMs) : { kind: "record" };
  };
}

function takeCount(counter: Counter, nowMs: number): number {
  const { calls } = counter;
  counter.calls = 0;
  counter.recordedAt = nowMs;
  return calls;
}

/** The record about calls without records of their own. */
export function tooManyUnauthenticated({ calls, network }: UnrecordedCalls, waitSeconds: number): Refusal {
  const source = network === null ? "all networks" : `the network ${network}`;
  const sum = `${counted(calls, "call")} from ${source} ${calls === 1 ? "was" : "were"} refused without a separate record`;
  const message = `Too many calls without a valid key: ${sum}. Wait ${waitSeconds} s and use a valid key.`;
  return new Refusal(1429, message, { calls, network }, waitSeconds);
}
