// Holds when an index is written to its cache files again: at once when an attempt was given up before anything was written, and after a
// pause when the disk was used or has failed.

import { expect, test } from "bun:test";
import type { CopyStep, DueCopy } from "../../../../src/engines/sqlite/search-cache/copy-steps.ts";
import { createIndexWriting } from "../../../../src/engines/sqlite/search-cache/index-writing.ts";
import {
  copyBeginsMax,
  writeEveryMs,
  writeTestMs,
} from "../../../../src/engines/sqlite/search-cache/limits.ts";

const project = "ab".repeat(16);
const image = new SharedArrayBuffer(64);
const draft: CopyStep = { draft: { project, dimensions: 8, revision: 1, epochs: {} } };

type Outcome = "in use" | "no room" | "given up after a block" | "fails";

/** An index that is always due, and whose attempts end one after the other as said. */
function createWriting(outcomes: readonly Outcome[]) {
  let elapsed = 0;
  const attempts: Outcome[] = [];
  const current = () => attempts.at(-1);
  const clock = { elapsed: () => elapsed, now: () => elapsed, sleep: async () => undefined };
  const answer = (request: object): readonly DueCopy[] | readonly string[] | CopyStep => {
    if ("due" in request) return [{ project, bytes: 64 }];
    if ("searched" in request) return [];
    if ("begin" in request) {
      attempts.push(outcomes[attempts.length] ?? "no room");
      return current() === "in use" ? { isInUse: true } : draft;
    }
    return "kept" in request ? { image } : null;
  };
  const write = (name: string): unknown => {
    if (name === "begin") return current() === "no room" ? null : [];
    if (name !== "write") return undefined;
    if (current() === "fails") throw new Error("the disk is full");
    return "cd".repeat(16);
  };
  const writing = createIndexWriting(
    async (request) => JSON.parse(JSON.stringify(answer(request))),
    async (name: string, ..._values: readonly unknown[]) => JSON.parse(JSON.stringify(write(name) ?? null)),
    clock,
  );
  return {
    attempts,
    /** As the timer does. */
    async after(ms: number) {
      elapsed += ms;
      await writing.writeDue().catch(() => undefined);
    },
  };
}

test("an attempt that ends before it writes is repeated", async () => {
  const { attempts, after } = createWriting(["no room", "no room", "no room"]);
  for (let count = 1; count <= 3; count++) {
    await after(writeTestMs);
    expect(attempts).toHaveLength(count);
  }
});

test("an index that groups use most of the time is copied between two of them", async () => {
  const { attempts, after } = createWriting(["in use", "in use", "in use", "fails"]);
  await after(writeTestMs);
  expect(attempts).toEqual(["in use", "in use", "in use", "fails"]);
});

test("an index that is always in use is left to the next attempt", async () => {
  const { attempts, after } = createWriting(Array<Outcome>(2 * copyBeginsMax).fill("in use"));
  await after(writeTestMs);
  expect(attempts).toHaveLength(copyBeginsMax);
  await after(writeTestMs);
  expect(attempts).toHaveLength(2 * copyBeginsMax);
});

test.each(["given up after a block", "fails"] as const)(
  "a pause follows an attempt that ended so: %s",
  async (outcome) => {
    const { attempts, after } = createWriting([outcome, "no room"]);
    await after(writeTestMs);
    for (let ms = writeTestMs; ms < writeEveryMs; ms += writeTestMs) {
      await after(writeTestMs);
      expect(attempts).toEqual([outcome]);
    }
    await after(writeTestMs);
    expect(attempts).toEqual([outcome, "no room"]);
  },
);
