// Compares the bits of eligible slots with the plain condition, for any order of changes and times: clocks go backwards, too.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { Eligibility } from "../../../../../src/engines/sqlite/search/index/eligibility.ts";
import { memoryTypes } from "../../../../../src/memory/memory.ts";
import { rowsPerBlock } from "../../../../../src/memory/ranking/limits.ts";

const slotsMax = rowsPerBlock + 200;
const time = fc.integer({ min: 0, max: 30 });
const slot = fc.oneof(fc.nat({ max: 100 }), fc.integer({ min: rowsPerBlock - 20, max: slotsMax - 1 }));
const type = fc.constantFrom(...memoryTypes);
const expiry = fc.oneof(fc.constant(Number.POSITIVE_INFINITY), time);

const step = fc.oneof(
  fc.record({ set: slot, type, isActive: fc.boolean(), expiresAt: expiry }),
  fc.record({ clear: slot }),
  fc.record({
    types: fc.option(fc.uniqueArray(type)),
    includeExpired: fc.boolean(),
    includeInactive: fc.boolean(),
    now: time,
  }),
);

test("is what the condition says", () => {
  const property = fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
    const eligibility = new Eligibility();
    const expiries = [0, 1].map(() => new Float64Array(rowsPerBlock));
    const rows = new Map<
      number,
      { type: (typeof memoryTypes)[number]; isActive: boolean; expiresAt: number }
    >();
    let end = 0;
    for (const each of steps) {
      if ("set" in each) {
        const { set, ...row } = each;
        end = Math.max(end, set + 1);
        rows.set(set, row);
        const times = expiries[Math.floor(set / rowsPerBlock)];
        if (times !== undefined) times[set % rowsPerBlock] = row.expiresAt;
        eligibility.set(set, row.type, row.isActive, row.expiresAt);
      } else if ("clear" in each) {
        if (!rows.delete(each.clear)) continue;
        const times = expiries[Math.floor(each.clear / rowsPerBlock)];
        if (times !== undefined) times[each.clear % rowsPerBlock] = 0;
        eligibility.clear(each.clear);
      } else {
        const bits = new Uint32Array(Math.ceil(end / 32)).fill(0xffffffff);
        eligibility.fill(each, bits, (block) => expiries[block] ?? new Float64Array(0));
        const found = [...new Array(end).keys()].filter((at) => ((bits[at >>> 5] ?? 0) >>> (at & 31)) & 1);
        const expected = [...rows]
          .filter(
            ([, { type, isActive, expiresAt }]) =>
              (each.types === null || each.types.includes(type)) &&
              (each.includeInactive || isActive) &&
              (each.includeExpired || expiresAt > each.now),
          )
          .map(([at]) => at);
        expect(found).toEqual(expected.sort((a, b) => a - b));
      }
    }
  });
  fc.assert(property, { numRuns: 200 });
});
