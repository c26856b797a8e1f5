// Proves that files are divided into parts that restore them, and that common bytes become one part.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { shareParts } from "../../release/shared-parts.ts";

const kilobyte = 1024;

function noise(seed: number, length: number): Buffer {
  let state = seed + 1;
  return Buffer.from(
    Uint8Array.from({ length }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return state & 0xff;
    }),
  );
}

test("the parts of a file are the file, and what files have in common is one part", () => {
  const table = noise(1, 900 * kilobyte);
  const files = [
    Buffer.concat([noise(2, 70 * kilobyte), table, noise(3, 40 * kilobyte)]),
    Buffer.concat([noise(4, 5), table, noise(5, 300 * kilobyte)]),
    noise(6, 400 * kilobyte),
    Buffer.from("{}"),
    Buffer.alloc(0),
  ];
  const divided = shareParts(files);
  for (const [at, file] of files.entries()) expect(Buffer.concat(divided[at] ?? []).equals(file)).toBe(true);
  expect(divided.map((parts) => parts.length)).toEqual([3, 3, 1, 1, 1]);
  expect(divided[1]?.[1] === divided[0]?.[1]).toBe(true);
  const once = new Set(divided.flat());
  const bytes = [...once].reduce((sum, part) => sum + part.length, 0);
  expect(bytes).toBe(files.reduce((sum, file) => sum + file.length, 0) - table.length);
});

test("three files share what they have in common", () => {
  const table = noise(1, 600 * kilobyte);
  const divided = shareParts([
    table,
    Buffer.concat([noise(2, 10), table]),
    Buffer.concat([table, noise(3, 10)]),
  ]);
  expect(new Set(divided.map((parts) => parts.find(({ length }) => length === table.length))).size).toBe(1);
});

test("any files are restored", () => {
  const piece = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 600 * kilobyte }));
  const file = fc.array(piece, { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(file, { maxLength: 3 }), (shapes) => {
      const files = shapes.map((shape) => Buffer.concat(shape.map(([seed, length]) => noise(seed, length))));
      const divided = shareParts(files);
      return files.every((each, at) => Buffer.concat(divided[at] ?? []).equals(each));
    }),
    { numRuns: 15 },
  );
});
