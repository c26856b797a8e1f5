// Tests the token bucket alone, with a clock made of numbers.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createRateLimiter } from "../../src/access/rate.ts";

const rate = { perSecond: 5, burst: 10 };

describe("a bucket", () => {
  test("lets its burst through at once, then its rate", () => {
    const limiter = createRateLimiter();
    const at = (ms: number, calls: number) =>
      Array.from({ length: calls }, () => limiter.take("key", rate, ms)).filter((wait) => wait === 0).length;
    expect(at(1_000, 20)).toBe(10);
    expect(at(1_100, 5)).toBe(0);
    expect(at(1_200, 5)).toBe(1);
    expect(at(2_200, 20)).toBe(5);
    expect(at(3_600_000, 20)).toBe(10);
  });

  test("says how long to wait, and that is enough", () => {
    const limiter = createRateLimiter();
    const slow = { perSecond: 0.25, burst: 1 };
    expect(limiter.take("key", slow, 0)).toBe(0);
    const wait = limiter.take("key", slow, 0);
    expect(wait).toBe(4);
    expect(limiter.take("key", slow, wait * 1_000 - 1)).toBe(1);
    expect(limiter.take("key", slow, wait * 1_000)).toBe(0);
  });

  test("is not filled, and not emptied, by a clock that steps back", () => {
    const limiter = createRateLimiter();
    for (let call = 0; call < 10; call++) expect(limiter.take("key", rate, 10_000)).toBe(0);
    expect(limiter.take("key", rate, 1_000)).toBeGreaterThan(0);
    expect(limiter.take("key", rate, 1_200)).toBe(0);
  });

  test("belongs to one name", () => {
    const limiter = createRateLimiter();
    for (let call = 0; call < 11; call++) limiter.take("one", rate, 0);
    expect(limiter.take("one", rate, 0)).toBeGreaterThan(0);
    expect(limiter.take("two", rate, 0)).toBe(0);
  });

  test("without a rate is endless", () => {
    const limiter = createRateLimiter();
    for (let call = 0; call < 10_000; call++) expect(limiter.take("key", null, 0)).toBe(0);
  });

  test("that shrank with the plan shrinks at once", () => {
    const limiter = createRateLimiter();
    limiter.take("key", { perSecond: 100, burst: 1_000 }, 0);
    const allowed = Array.from({ length: 100 }, () => limiter.take("key", rate, 1)).filter(
      (wait) => wait === 0,
    );
    expect(allowed).toHaveLength(10);
  });
});

test("never more than burst and rate allow, whenever the calls come", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500), { minLength: 1, maxLength: 300 }), (pauses) => {
      const limiter = createRateLimiter();
      let now = 0;
      let allowed = 0;
      for (const pause of pauses) {
        now += pause;
        if (limiter.take("key", rate, now) === 0) allowed += 1;
        expect(allowed).toBeLessThanOrEqual(rate.burst + (now / 1_000) * rate.perSecond + 1e-6);
      }
    }),
  );
});
