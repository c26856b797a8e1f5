// Owns what becomes of calls without a valid key: some are recorded, the rest only counted, so that nobody fills the disk without a
// key. Counts networks and not addresses, because whoever has one address of a network often has all of them; and all networks
// together, because some callers have many.

import { LRUCache } from "lru-cache";
import { Refusal } from "../errors.ts";
import {
  unauthenticatedCountEveryMs,
  unauthenticatedNetworkRate,
  unauthenticatedNetworksMax,
  unauthenticatedRate,
} from "../limits.ts";
import { networkOf } from "../network.ts";
import { counted } from "../text/plural.ts";
import { createRateLimiter } from "./rate.ts";

export type UnauthenticatedVerdict =
  | { readonly kind: "record" }
  /** Refuse with 1429; where `uncounted` is given, record once how many calls were refused since the last such record. */
  | { readonly kind: "limit"; readonly waitSeconds: number; readonly uncounted: Uncounted | null };

export interface Uncounted {
  readonly calls: number;
  /** Null: of all networks together. */
  readonly network: string | null;
}

export type UnauthenticatedLimit = (address: string, nowMs: number) => UnauthenticatedVerdict;

interface Tally {
  calls: number;
  toldAt: number;
}

export function createUnauthenticatedLimit({
  maxNetworks = unauthenticatedNetworksMax,
} = {}): UnauthenticatedLimit {
  const limiter = createRateLimiter({ maxBuckets: maxNetworks });
  // By itself: no number of networks may push it out of memory.
  const limiterOfAll = createRateLimiter({ maxBuckets: 1 });
  const ofAll: Tally = { calls: 0, toldAt: Number.NEGATIVE_INFINITY };
  const tallies = new LRUCache<string, Tally>({
    max: maxNetworks,
    // What is forgotten of a network is still told of all.
    dispose: ({ calls }) => {
      ofAll.calls += calls;
    },
    noDisposeOnSet: true,
  });
  const waitForAll = (nowMs: number) => limiterOfAll.take("all", unauthenticatedRate, nowMs);
  const isDue = ({ toldAt }: Tally, nowMs: number) => nowMs - toldAt >= unauthenticatedCountEveryMs;

  const limitNetwork = (network: string, waitSeconds: number, nowMs: number): UnauthenticatedVerdict => {
    const tally = tallies.get(network) ?? { calls: 0, toldAt: Number.NEGATIVE_INFINITY };
    tally.calls += 1;
    tallies.set(network, tally);
    // A count is a record, too.
    if (!isDue(tally, nowMs) || waitForAll(nowMs) > 0) return { kind: "limit", waitSeconds, uncounted: null };
    return { kind: "limit", waitSeconds, uncounted: { calls: tell(tally, nowMs), network } };
  };
  const limitAll = (waitSeconds: number, nowMs: number): UnauthenticatedVerdict => {
    ofAll.calls += 1;
    if (!isDue(ofAll, nowMs)) return { kind: "limit", waitSeconds, uncounted: null };
    return { kind: "limit", waitSeconds, uncounted: { calls: tell(ofAll, nowMs), network: null } };
  };

  return (address, nowMs) => {
    const network = networkOf(address);
    const wait = limiter.take(network, unauthenticatedNetworkRate, nowMs);
    if (wait > 0) return limitNetwork(network, wait, nowMs);
    const waitAll = waitForAll(nowMs);
    return waitAll > 0 ? limitAll(waitAll, nowMs) : { kind: "record" };
  };
}

function tell(tally: Tally, nowMs: number): number {
  const { calls } = tally;
  tally.calls = 0;
  tally.toldAt = nowMs;
  return calls;
}

/** What the record says of calls that have none of their own. */
export function tooManyUnauthenticated({ calls, network }: Uncounted, waitSeconds: number): Refusal {
  const place = network === null ? "all networks" : `the network ${network}`;
  const sum = `${counted(calls, "call")} from ${place} ${calls === 1 ? "was" : "were"} refused without a record of ${calls === 1 ? "its" : "their"} own`;
  const message = `Too many calls without a valid key: ${sum}. Wait ${waitSeconds} s and use a valid key.`;
  return new Refusal(1429, message, { calls, network }, waitSeconds);
}
