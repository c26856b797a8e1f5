// Proves that what threads find arrives unchanged, also without rows, and with and without words in one task.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { packFound, unpackFound } from "../../../src/memory/ranking/scan/packed-found.ts";

const row = fc.record({
  slot: fc.nat(),
  lower: fc.double({ noNaN: true }),
  upper: fc.double({ noNaN: true }),
  keyword: fc.double({ min: 0, max: 1, noNaN: true }),
});
const found = fc.record({ rows: fc.array(row, { maxLength: 5 }), hasWords: fc.boolean() }).map((query) => ({
  slots: Uint32Array.from(query.rows, ({ slot }) => slot),
  lower: Float64Array.from(query.rows, ({ lower }) => lower),
  upper: Float64Array.from(query.rows, ({ upper }) => upper),
  keywords: query.hasWords ? Float64Array.from(query.rows, ({ keyword }) => keyword) : null,
}));

test("unpacks what was packed", () => {
  const property = fc.property(fc.array(found, { maxLength: 10 }), (all) => {
    const queries = all.map(({ keywords }) => ({ keywords: keywords === null ? null : [] }));
    expect(unpackFound(structuredClone(packFound(all)), queries)).toEqual(all);
  });
  fc.assert(property);
});
