// Compares the slots of an index with a plain model: whatever is taken, freed and compacted, rows stay what they are.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { BlockBuffers } from "../../../../../src/engines/sqlite/search/index/block-buffers.ts";
import { rowOf, Slots } from "../../../../../src/engines/sqlite/search/index/slots.ts";
import { rowsPerBlock } from "../../../../../src/memory/ranking/limits.ts";
import { codesOf, setRowValues } from "../../../../../src/memory/ranking/scan/row-block.ts";

const dimensions = 8;

function write(slots: Slots, serial: number): number {
  const slot = slots.take();
  slots.touch(slot);
  const block = slots.blockOf(slot);
  const values = {
    contentRevision: serial + 1,
    importance: 1,
    expiresAt: serial,
    tagSet: serial % 5,
    state: 1,
  };
  setRowValues(block, rowOf(slot), { ...values, serial });
  codesOf(block, rowOf(slot)).fill(serial % 251);
  return slot;
}

function expectRow(slots: Slots, slot: number, serial: number): void {
  const block = slots.blockOf(slot);
  expect([slots.serialAt(slot), slots.contentRevisionAt(slot)]).toEqual([serial, serial + 1]);
  expect(block.tagSets[rowOf(slot)]).toBe(serial % 5);
  expect([...codesOf(block, rowOf(slot))]).toEqual(new Array<number>(dimensions).fill(serial % 251));
}

function usedOf(slots: Slots): number[] {
  return [...new Array(slots.end).keys()].filter((slot) => slots.serialAt(slot) !== 0);
}

/** Steps: how many rows to write, or which rows to free. */
const step = fc.oneof(
  fc.record({ write: fc.integer({ min: 1, max: 300 }) }),
  fc.record({ freeEvery: fc.integer({ min: 1, max: 4 }), from: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ freeAll: fc.integer({ min: 1, max: 3 }) }),
  fc.constant({ compact: true }),
);

test("rows stay what they are", () => {
  const property = fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
    const buffers = new BlockBuffers();
    const slots = new Slots(dimensions, buffers);
    const model = new Map<number, number>();
    let serial = 0;
    for (const each of steps) {
      if ("write" in each) {
        for (let at = 0; at < each.write; at++) {
          serial += 1;
          const slot = write(slots, serial);
          expect([...model.values()]).not.toContain(slot);
          model.set(serial, slot);
        }
      } else if ("freeAll" in each) {
        const before = slots.freed;
        slots.freeAll(({ serials }, row) => (serials[row] ?? 0) % each.freeAll === 0);
        for (const known of [...model.keys()]) if (known % each.freeAll === 0) model.delete(known);
        expect(slots.freedSince(slots.freed)).toEqual([]);
        expect(slots.freed - before).toBe(slots.freedSince(before) === null ? slots.freed - before : 0);
      } else if ("compact" in each) {
        slots.compact((from, to) => {
          const moved = slots.serialAt(to);
          expect(model.get(moved)).toBe(from);
          model.set(moved, to);
        });
        expect(slots.end).toBe(model.size);
      } else {
        const entries = [...model].slice(Math.floor(each.from * model.size));
        const freed = entries.filter((_, at) => at % each.freeEvery === 0);
        const before = slots.freed;
        for (const [known, slot] of freed) {
          slots.free(slot);
          model.delete(known);
          expect(slots.serialAt(slot)).toBe(0);
        }
        expect(slots.freedSince(before)).toEqual(freed.map(([, slot]) => slot));
      }
      expect(slots.count).toBe(model.size);
      expect(usedOf(slots)).toEqual([...model.values()].sort((a, b) => a - b));
    }
    for (const [known, slot] of model) expectRow(slots, slot, known);
  });
  fc.assert(property, { numRuns: 60 });
});

describe("an index of several blocks", () => {
  test("is sparse after a bulk delete, and gives its blocks to the next index", () => {
    const buffers = new BlockBuffers();
    const slots = new Slots(dimensions, buffers);
    const rows = 3 * rowsPerBlock + 100;
    for (let serial = 1; serial <= rows; serial++) expect(write(slots, serial)).toBe(serial - 1);
    const before = slots.byteLength;
    expect(slots.isSparse).toBe(false);
    for (let slot = 0; slot < rows; slot++) if (slot % 3 > 0) slots.free(slot);
    expect(slots.isSparse).toBe(true);
    slots.compact(() => {});
    expect(slots.isSparse).toBe(false);
    expect(slots.scanned().map(({ firstSlot, rows }) => [firstSlot, rows])).toEqual([
      [0, rowsPerBlock],
      [rowsPerBlock, slots.count - rowsPerBlock],
    ]);
    const serials = new Set(usedOf(slots).map((slot) => slots.serialAt(slot)));
    expect(serials).toEqual(
      new Set([...new Array(rows).keys()].filter((at) => at % 3 === 0).map((at) => at + 1)),
    );
    // Two full blocks are left, and the memory is the same.
    expect(slots.byteLength + buffers.byteLength).toBeGreaterThanOrEqual(before - 4_096);
    const waiting = buffers.byteLength;
    const other = new Slots(dimensions, buffers);
    for (let serial = 1; serial <= rowsPerBlock; serial++) write(other, serial);
    expect(buffers.byteLength).toBeLessThan(waiting + rowsPerBlock * (dimensions + 45));
    for (let slot = 0; slot < rowsPerBlock; slot++) expectRow(other, slot, slot + 1);
  });

  test("forgets which slots were freed long ago", () => {
    const slots = new Slots(dimensions, new BlockBuffers());
    for (let at = 0; at < 200_000; at++) slots.free(write(slots, at + 1));
    expect(slots.freedSince(0)).toBeNull();
    expect(slots.freedSince(slots.freed - 3)).toEqual([0, 0, 0]);
    expect(slots.freedSince(slots.freed)).toEqual([]);
  });
});
