// Owns rate limits: one token bucket for each key, in memory only. A restart fills every bucket.

import { LRUCache } from "lru-cache";
import { Refusal } from "../platform/errors.ts";
import type { Plan } from "./plan.ts";

interface Bucket {
  tokens: number;
  filledAt: number;
}

export interface RateLimiter {
  /** Takes one token. @returns 0, or the seconds until a token is available */
  take(name: string, rate: Plan["rate"], nowMs: number): number;
}

export function createRateLimiter({ maxBuckets = 100_000 } = {}): RateLimiter {
  const buckets = new LRUCache<string, Bucket>({ max: maxBuckets });
  return {
    take(name, rate, nowMs) {
      if (rate === null) return 0;
      const bucket = buckets.get(name) ?? { tokens: rate.burst, filledAt: nowMs };
      const refill = (Math.max(0, nowMs - bucket.filledAt) / 1000) * rate.perSecond;
      bucket.tokens = Math.min(rate.burst, bucket.tokens + refill);
      bucket.filledAt = nowMs;
      buckets.set(name, bucket);
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / rate.perSecond));
      bucket.tokens -= 1;
      return 0;
    },
  };
}

/** 1429 */
export function tooManyCalls(waitSeconds: number): Refusal {
  return new Refusal(1429, `Too many calls. Retry after ${waitSeconds} s.`, {}, waitSeconds);
}
