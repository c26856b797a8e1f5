// Tests that memory which native code has freed returns to the system. It is measured, because nothing else shows it.

import { dlopen } from "bun:ffi";
import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { returnFreeMemory } from "../../../src/platform/native/free-memory.ts";
import { linux, testWith } from "../../needs.ts";

const blocks = 16_384;
const blockBytes = 4_096;

function residentKiB(): number {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1]);
}

testWith(linux)("memory below a block that is in use is returned", () => {
  const { symbols, close } = dlopen("libc.so.6", {
    malloc: { args: ["u64"], returns: "u64" },
    memset: { args: ["u64", "i32", "u64"], returns: "u64" },
    free: { args: ["u64"], returns: "void" },
  });
  const taken: bigint[] = [];
  for (let block = 0; block < blocks; block++) {
    const at = symbols.malloc(blockBytes);
    symbols.memset(at, 1, blockBytes);
    taken.push(at);
  }
  const last = taken.pop();
  const fullKiB = residentKiB();
  for (const at of taken) symbols.free(at);
  const freedKiB = (blocks * blockBytes) / 1024;
  const keptKiB = residentKiB();
  returnFreeMemory();
  const leftKiB = residentKiB();
  if (last !== undefined) symbols.free(last);
  close();
  // The C library keeps what was freed, because a block above it is in use.
  expect(fullKiB - keptKiB).toBeLessThan(freedKiB / 4);
  expect(keptKiB - leftKiB).toBeGreaterThan(freedKiB / 2);
});
