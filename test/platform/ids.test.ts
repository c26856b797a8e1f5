// Tests identifiers: their form is UUIDv7 without hyphens, and their order is that of creation whatever the clock does.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { createIdSource, toId } from "../../src/platform/ids.ts";

test("ids grow strictly, also when the clock stands still or steps back", () => {
  const steps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 5 })), {
    minLength: 2,
    maxLength: 300,
  });
  fc.assert(
    fc.property(steps, (changes) => {
      const createId = createIdSource();
      let now = 1_795_000_000_000;
      let last = "";
      for (const change of changes) {
        now += change;
        const id = createId(now);
        expect(id > last).toBe(true);
        expect(id).toMatch(/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
        last = id;
      }
    }),
  );
});

test("more ids than one millisecond has room for run ahead instead of repeating", () => {
  const createId = createIdSource();
  const ids = Array.from({ length: 10_000 }, () => createId(1_795_000_000_000));
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
  const aheadMs = Number.parseInt(ids.at(-1)?.slice(0, 12) ?? "", 16) - 1_795_000_000_000;
  expect(aheadMs).toBeLessThanOrEqual(3);
});

test("an id says its time", () => {
  expect(Number.parseInt(createIdSource()(1_795_000_000_123).slice(0, 12), 16)).toBe(1_795_000_000_123);
});

test.each([
  ["019a2b3c4d5e7f708192a3b4c5d6e7f8", true],
  ["019A2B3C4D5E7F708192A3B4C5D6E7F8", true],
  ["019a2b3c4d5e7f708192a3b4c5d6e7f", false],
  ["019a2b3c4d5e7f708192a3b4c5d6e7f80", false],
  ["019a2b3c-4d5e-7f70-8192-a3b4c5d6e7f8", false],
  ["019a2b3c4d5e7f708192a3b4c5d6e7f8\n", false],
  ["", false],
])("%j is an id: %p", (text, expected) => {
  expect(toId(text)).toBe(expected ? "019a2b3c4d5e7f708192a3b4c5d6e7f8" : null);
});
