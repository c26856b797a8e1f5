// Proves how searches are answered together: each as if it were alone, other projects meanwhile, and with 1503 or rightly when a thread that
// takes part ends or hangs.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { groupVectorsMax } from "../../../../../src/engines/sqlite/search/limits.ts";
import { Refusal } from "../../../../../src/platform/errors.ts";
import { silenceCheckEveryMs } from "../../../../../src/platform/threads/policies.ts";
import type { Member } from "../../../../calls/storage/seam.ts";
import { createPipe, hang } from "../../../../platform/threads/hanging-worker.ts";
import { type LargeProject, openLargeProject, vectorOf } from "../searcher/large-project.ts";

let opened: LargeProject;
const folder = mkdtempSync(join(tmpdir(), "memledger-groups-"));

beforeAll(async () => {
  opened = await openLargeProject();
});
afterAll(async () => {
  await opened.seam.close();
  rmSync(folder, { recursive: true });
});

/** Of no other memory. */
const changedSeed = 1_000_000;
const codeOf = (error: unknown) => (error instanceof Refusal ? error.code : error);
const contents = async (member: Member, seed: number, signal?: AbortSignal) =>
  (await member.search({ vector: vectorOf(seed), topK: 5 }, signal)).map(({ memory }) => memory.content);
const begins = () => opened.asked.searcher.flatMap((request) => ("begin" in request ? [request] : []));
const tasks = () => opened.asked.scanner.filter((request) => "task" in request);
const forget = () => {
  opened.asked.searcher.length = 0;
  opened.asked.scanner.length = 0;
};

/** Slowly enough that a thread which works is not silent. */
async function letTimePass(until: Promise<unknown>): Promise<void> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  until.then(settle, settle);
  while (!isSettled) {
    opened.seam.passTime(silenceCheckEveryMs);
    await Bun.sleep(10);
  }
}

async function untilAnswered<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const answer = await ask().catch(codeOf);
    if (answer !== 1503) return answer as Result;
    opened.seam.passTime(silenceCheckEveryMs);
    await Bun.sleep(10);
  }
}

test("searches that arrive together have the answers that each has alone, with one scan for a group", async () => {
  const seeds = Array.from({ length: 2 * groupVectorsMax + 1 }, (_, at) => at * 37);
  const alone: string[][] = [];
  for (const seed of seeds) alone.push(await contents(opened.large, seed));
  expect(alone.map(([first]) => first)).toEqual(seeds.map((seed) => `memory ${seed}`));
  const tasksOfOne = tasks().length / seeds.length;
  forget();
  expect(await Promise.all(seeds.map((seed) => contents(opened.large, seed)))).toEqual(alone);
  const sizes = begins().map(({ requests }) => requests.length);
  expect(sizes).toEqual([groupVectorsMax, groupVectorsMax, 1]);
  expect(tasksOfOne).toBeGreaterThanOrEqual(1);
  expect(tasks().length).toBeLessThan(seeds.length * tasksOfOne);
});

test("searches of all kinds are answered together", async () => {
  const { large, seam } = opened;
  const { owner } = large.caller;
  const { signal } = new AbortController();
  const now = seam.now();
  const query = {
    vector: vectorOf(5),
    words: "memory 5",
    types: null,
    tags: null,
    topK: 3,
    minSimilarity: 0,
  };
  const all = { ...query, includeExpired: false, includeInactive: false, now };
  const similar = {
    vectors: [5, 6].map(vectorOf),
    earlier: new Float32Array(0),
    above: 0.9999,
    tags: [],
    now,
  };
  const ask = () =>
    [
      () => seam.store.memories.search(owner, all, signal),
      () => seam.store.memories.readForInjection(owner, { ...all, prompt: null }, signal),
      () => seam.store.memories.findSimilar(owner, similar, signal),
      () => seam.store.memories.readTopMemories(owner, { types: ["fact"], tags: null, topK: 3, now }, signal),
    ] as const;
  const alone: unknown[] = [];
  for (const one of ask()) alone.push(await one());
  forget();
  const first = contents(large, 1);
  const together: unknown[] = await Promise.all(ask().map((one) => one()));
  await first;
  expect(together).toEqual(alone);
  expect(begins().map(({ requests }) => requests.length)).toEqual([5]);
});

test("a small project is searched while a large one is scanned", async () => {
  const release = opened.holdTasks();
  const scanned = contents(opened.large, 3);
  expect(await contents(opened.small, 0)).toEqual(["small"]);
  await opened.small.create({ content: "new", vector: vectorOf(1) });
  expect((await contents(opened.small, 1))[0]).toBe("new");
  release();
  expect((await scanned)[0]).toBe("memory 3");
});

test("a memory that is changed while its project is scanned is found as it was, and by the next search as it is", async () => {
  const { large } = opened;
  const [found] = await large.search({ vector: vectorOf(11), topK: 1 });
  const release = opened.holdTasks();
  forget();
  const before = large.search({ vector: vectorOf(11), topK: 1 });
  while (tasks().length === 0) await Bun.sleep(1);
  const change = { memory_id: String(found?.memory.id), content: "changed" };
  expect((await large.call("memory.update", change, vectorOf(changedSeed))).status).toBe(200);
  const after = contents(large, changedSeed);
  release();
  expect((await before).map(({ memory }) => memory.content)).toEqual(["memory 11"]);
  expect((await after)[0]).toBe("changed");
});

test("a group whose callers have all left is ended, one with a caller is not", async () => {
  const { large } = opened;
  const release = opened.holdTasks();
  const [first, second] = [new AbortController(), new AbortController()];
  forget();
  const alone = contents(large, 1, first.signal).catch(codeOf);
  while (!begins().some(({ project }) => project === large.id)) await Bun.sleep(1);
  const left = contents(large, 2, second.signal).catch(codeOf);
  const kept = contents(large, 3);
  first.abort();
  expect<unknown>(await alone).toBe(1503);
  second.abort();
  expect<unknown>(await left).toBe(1503);
  release();
  expect((await kept)[0]).toBe("memory 3");
  const ends = opened.asked.searcher.flatMap((request) => ("end" in request ? [request.end] : []));
  expect(ends).toEqual([begins()[0]?.begin ?? -1]);
});

test.each(["is killed", "hangs"])(
  "a search is answered rightly when a thread that scans for it %s",
  async (how) => {
    const { seam, large, workersOf } = opened;
    const expected = await contents(large, 8);
    const before = workersOf("scanner").length;
    const { pipe, release } = createPipe(join(folder, "scanner"));
    const worker = workersOf("scanner").at(-1);
    if (how === "hangs") await hang(worker, { hang: "read", pipe });
    const answers = Promise.all([8, 8, 8].map((seed) => contents(large, seed)));
    if (how === "is killed") await worker?.terminate();
    if (how === "hangs") await letTimePass(answers);
    expect(await answers).toEqual([expected, expected, expected]);
    release();
    rmSync(join(folder, "scanner"));
    expect(await untilAnswered(() => contents(large, 8))).toEqual(expected);
    while (workersOf("scanner").length === before) {
      seam.passTime(silenceCheckEveryMs);
      await Bun.sleep(1);
    }
  },
);

test("all groups are refused when the searcher ends, and the next one finds everything", async () => {
  const { large, small, workersOf } = opened;
  const release = opened.holdTasks();
  forget();
  const lost = [1, 2, 3].map((seed) => contents(large, seed).catch(codeOf));
  while (!begins().some(({ project }) => project === large.id)) await Bun.sleep(1);
  await workersOf("searcher").at(-1)?.terminate();
  expect<unknown>(await Promise.all(lost)).toEqual([1503, 1503, 1503]);
  release();
  expect((await untilAnswered(() => contents(small, 0)))[0]).toBe("small");
  expect((await untilAnswered(() => contents(large, 2)))[0]).toBe("memory 2");
});
