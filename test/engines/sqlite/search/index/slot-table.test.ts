// Compares the table of slots with a Map, whatever is added and removed, also when many keys have the same place.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { SlotTable } from "../../../../../src/engines/sqlite/search/index/slot-table.ts";

/** Rows of which only the keys are known. */
function createRows() {
  const keys: number[] = [];
  const rows = {
    keys,
    get end() {
      return keys.length;
    },
  };
  return { keys, table: new SlotTable(rows, (slot) => keys[slot] ?? 0) };
}

const key = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
const step = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), key }),
  fc.record({ kind: fc.constant("remove" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("rebuild" as const), at: fc.nat() }),
);

test("finds what a map finds", () => {
  const property = fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
    const { keys, table } = createRows();
    const map = new Map<number, number>();
    for (const each of steps) {
      if (each.kind === "add" && !map.has(each.key)) {
        const free = keys.indexOf(0);
        const slot = free === -1 ? keys.length : free;
        // Before or after the row is written: both are allowed.
        if (slot % 2 === 0) keys[slot] = each.key;
        table.add(each.key, slot);
        keys[slot] = each.key;
        map.set(each.key, slot);
      }
      const [known, slot] = [...map][each.kind === "remove" ? each.at % Math.max(1, map.size) : 0] ?? [0, 0];
      if (each.kind === "remove" && known > 0) {
        table.remove(known);
        table.remove(known);
        map.delete(known);
        keys[slot] = 0;
      }
      if (each.kind === "rebuild") table.rebuild(map.size);
      for (const [wanted, at] of map) expect(table.find(wanted)).toBe(at);
      for (const missing of [61, 2 ** 40 + 7]) if (!map.has(missing)) expect(table.find(missing)).toBe(-1);
    }
  });
  fc.assert(property, { numRuns: 100 });
});

test("finds consecutive keys in a few bytes each", () => {
  const { keys, table } = createRows();
  for (let slot = 0; slot < 100_000; slot++) {
    table.add(2 ** 33 + slot, slot);
    keys[slot] = 2 ** 33 + slot;
    if (slot > 1_000) expect(table.byteLength / slot).toBeLessThan(6.6);
  }
  for (let slot = 0; slot < 100_000; slot += 2) {
    table.remove(2 ** 33 + slot);
    keys[slot] = 0;
  }
  for (let slot = 0; slot < 100_000; slot++)
    expect(table.find(2 ** 33 + slot)).toBe(slot % 2 === 0 ? -1 : slot);
});
