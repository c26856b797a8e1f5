// Tests the cache of the note reader by counting what is in memory, not by time: a server uses one reader for all checkpoints that it signs.

import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { runtimeCryptography } from "../../src/audit/runtime-cryptography.ts";
import { createNoteReader } from "../../src/audit/verify/note-reader.ts";

const notes = 5_000;

/** How many more texts are in memory after a reader was asked for many notes, while it is still in use. */
function countKept(resultsMax?: number): number {
  const reader = createNoteReader([], runtimeCryptography, resultsMax);
  const count = () => {
    Bun.gc(true);
    return heapStats().objectTypeCounts.string ?? 0;
  };
  const before = count();
  for (let number = 0; number < notes; number++) reader.open(`chain\n${number}\n${"x".repeat(200)}`);
  const kept = count() - before;
  expect(reader.open("chain\n0\n")).toBeNull();
  return kept;
}

test("a reader with a limit keeps no more results, however many notes it is asked for", () => {
  expect(countKept(100)).toBeLessThan(notes / 2);
  // The count would show them.
  expect(countKept()).toBeGreaterThan(notes - 1);
});
