// Tests the index of the texts of a trace, whose time must not grow with the square of their number.

import { expect, test } from "bun:test";
import { createTextIndex } from "../../src/audit/trace/text-index.ts";

test("texts with the same longest word cost time in proportion to their number", () => {
  const startMs = performance.now();
  const { repeats } = createTextIndex(Array.from({ length: 60_000 }, (_, at) => ` quince jam ${at} `));
  expect(repeats('"There is Quince jam 59999."')).toBe(true);
  expect(repeats('"There is quince jam 60000."')).toBe(false);
  expect(performance.now() - startMs).toBeLessThan(2_000);
});
