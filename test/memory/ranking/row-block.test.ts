// Tests the layout of row blocks: every view has its own bytes, a buffer is enough to view the block again, and freed rows leave nothing.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { rowsPerBlock } from "../../../src/memory/ranking/limits.ts";
import {
  blockCapacity,
  bytesPerRow,
  clearRow,
  codesOf,
  copyRows,
  createRowBlock,
  isActiveState,
  kindOfState,
  type RowBlock,
  type RowValues,
  rowState,
  setRowValues,
  viewRowBlock,
} from "../../../src/memory/ranking/scan/row-block.ts";

const values = fc.record({
  serial: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  contentRevision: fc.integer({ min: 1, max: 2 ** 40 - 1 }),
  importance: fc.double({ min: 0, max: 1, noNaN: true }),
  expiresAt: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 0, max: 8.64e15 })),
  tagSet: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  state: fc.integer({ min: 0, max: 255 }),
});

/** Writes a whole row, the vector included. */
function write(block: RowBlock, row: number, rowValues: RowValues, fill: number): void {
  setRowValues(block, row, rowValues);
  block.scales[row] = fill;
  block.residuals[row] = fill + 1;
  codesOf(block, row).fill(fill);
}

function readRow(block: RowBlock, row: number) {
  return {
    values: {
      serial: block.serials[row],
      contentRevision: block.contentRevisions[row],
      importance: block.importances[row],
      expiresAt: block.expiries[row],
      tagSet: block.tagSets[row],
      state: block.states[row],
    },
    scale: block.scales[row],
    residual: block.residuals[row],
    codes: [...codesOf(block, row)],
  };
}

describe("a row block", () => {
  test.each([1, 3, 384, 768])("with %d dimensions has every view in its own bytes", (dimensions) => {
    const property = fc.property(fc.array(values, { minLength: 128, maxLength: 128 }), (rows) => {
      const block = createRowBlock(dimensions, 128);
      for (const [row, each] of rows.entries()) write(block, row, each, row);
      const again = viewRowBlock(block.buffer, dimensions);
      expect(again.capacity).toBe(128);
      for (const [row, each] of rows.entries()) {
        expect(readRow(again, row)).toEqual({
          values: each,
          scale: row,
          residual: row + 1,
          codes: new Array<number>(dimensions).fill(row),
        });
      }
    });
    fc.assert(property, { numRuns: 5 });
  });

  test("needs the bytes that are stated for a row, and no others", () => {
    expect(createRowBlock(384, rowsPerBlock).buffer.byteLength).toBe(rowsPerBlock * bytesPerRow(384));
    expect(bytesPerRow(384)).toBe(384 + 45);
  });

  test("refuses a buffer of another layout", () => {
    const { buffer } = createRowBlock(384, 64);
    expect(() => viewRowBlock(buffer, 383)).toThrow("is not a block with 383 dimensions");
    expect(() => viewRowBlock(new SharedArrayBuffer(0), 384)).toThrow("is not a block");
    expect(() => viewRowBlock(new SharedArrayBuffer(65 * bytesPerRow(384)), 384)).toThrow("is not a block");
  });

  test("has only zeros in a cleared row, and leaves its neighbours", () => {
    const block = createRowBlock(16, 64);
    const row = { serial: 7, contentRevision: 8, importance: 1, expiresAt: 9, tagSet: 10, state: 5 };
    write(block, 4, row, 1);
    const before = [...new Uint8Array(block.buffer)];
    write(block, 5, row, 2);
    clearRow(block, 5);
    expect([...new Uint8Array(block.buffer)]).toEqual(before);
  });

  test("is copied into a larger one", () => {
    const small = createRowBlock(16, 64);
    const row = { serial: 7, contentRevision: 8, importance: 1, expiresAt: 9, tagSet: 10, state: 5 };
    for (let at = 0; at < 64; at++) write(small, at, { ...row, serial: at + 1 }, at);
    const large = createRowBlock(16, 128);
    copyRows(small, large);
    for (let at = 0; at < 64; at++) expect(readRow(large, at)).toEqual(readRow(small, at));
    clearRow(small, 0);
    expect(readRow(large, 64)).toEqual(readRow(small, 0));
  });
});

test("a capacity holds the rows, is a multiple of 64, and leaves little empty", () => {
  let former = 0;
  for (let rows = 0; rows <= rowsPerBlock; rows++) {
    const capacity = blockCapacity(rows);
    expect(capacity).toBeGreaterThanOrEqual(Math.max(rows, former, 64));
    expect(capacity % 64).toBe(0);
    expect(blockCapacity(capacity)).toBe(capacity);
    if (rows > 512) expect(rows / capacity).toBeGreaterThan(0.8);
    former = capacity;
  }
  expect(former).toBe(rowsPerBlock);
  expect(() => blockCapacity(rowsPerBlock + 1)).toThrow("No block has 8193 rows");
});

test("a state has the type and whether the memory is active", () => {
  for (const type of [0, 1, 2, 126]) {
    for (const isActive of [true, false]) {
      const state = rowState(type, isActive);
      expect([kindOfState(state), isActiveState(state)]).toEqual([type, isActive]);
    }
  }
});
