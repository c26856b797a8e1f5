// Tests how new passages get room: the oldest ones of the project and its subjects go, and what somebody keeps stays. With both engines.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultPlans } from "../../src/access/plan.ts";
import type { Project } from "../../src/access/project.ts";
import { makeRoom } from "../../src/calls/operations/memories/create.ts";
import type { Transaction } from "../../src/calls/storage/store.ts";
import { passageRemovalsMax } from "../../src/memory/limits.ts";
import { contentKey } from "../../src/memory/memory.ts";
import type { Owner } from "../../src/memory/owner.ts";
import { neverAborted, openSeam, seamModel, unitVector } from "../calls/storage/seam.ts";
import { createData, noSettings } from "../engines/memory/data.ts";
import { createMemoryReader, createMemoryTransaction } from "../engines/memory/memories.ts";
import { createSubjectTransaction } from "../engines/memory/subjects.ts";
import { inTransaction, passage } from "../engines/sqlite/direct-transaction.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-room-"));
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true });
});

type Direct = Pick<Transaction, "memories" | "subjects">;
interface Opened {
  readonly project: Project;
  perform<Result>(work: (transaction: Direct) => Promise<Result>): Promise<Result>;
  contents(owner: Owner): Promise<string[]>;
}

const everything = {
  ...{ type: null, tags: null, active: null, expired: null, words: null },
  ...({ sortBy: "created_at", direction: "asc", limit: 1_000, after: { skip: 0 } } as const),
};

async function openSqlite(): Promise<Opened> {
  const path = join(folder, `${crypto.randomUUID()}.db`);
  const seam = await openSeam({ path });
  closing.push(seam.close);
  const { caller } = await seam.project();
  return {
    project: caller.project,
    perform: (work) => inTransaction(path, work),
    async contents(owner) {
      const page = await seam.store.memories.list(owner, { ...everything, now: Date.now() }, neverAborted);
      return page?.memories.map(({ content }) => content) ?? [];
    },
  };
}

async function openInMemory(): Promise<Opened> {
  const data = createData();
  data.settings.set("all", { ...noSettings, model: seamModel });
  const limits = { memoryLimit: null, passageLimit: null, retentionDays: null };
  const about = { name: "project", plan: "custom", subscription: "active", credits: null } as const;
  const project = { id: crypto.randomUUID(), ...about, ...limits, createdAt: 0 };
  const transaction = { memories: createMemoryTransaction(data), subjects: createSubjectTransaction(data) };
  return {
    project,
    perform: (work) => data.inTurn(() => work(transaction)),
    async contents(owner) {
      const list = createMemoryReader(data).list;
      const page = await list(owner, { ...everything, now: Date.now() }, neverAborted);
      return page?.memories.map(({ content }) => content) ?? [];
    },
  };
}

const vector = unitVector(1);
const kept = (content: string) => ({
  ...passage(content, vector),
  ...{ passage: false, contentKey: contentKey(content) },
});

describe.each([
  ["SQLite", openSqlite],
  ["the engine in memory", openInMemory],
])("with %s", (_, open) => {
  const setUp = async () => {
    const opened = await open();
    const { project, perform } = opened;
    const own: Owner = { project: project.id, subject: null };
    const subject = { id: crypto.randomUUID().replaceAll("-", ""), name: "user:1" };
    const other: Owner = { project: project.id, subject: subject.id };
    await perform(({ subjects }) => subjects.open(project, subject));
    /** What an extraction does with its passages. */
    const say = (owner: Owner, contents: readonly string[], passageLimit: number | null) =>
      perform(async ({ memories }) => {
        const now = Date.now();
        const plan = { ...defaultPlans.custom, passageLimit };
        const { passages: room } = await makeRoom({ memories }, project, plan, contents.length, now);
        for (const content of contents.slice(contents.length - room))
          await memories.insert(owner, passage(content, vector), now);
        return room;
      });
    const counts = () =>
      perform(async ({ memories }) => [
        await memories.count(project, "kept"),
        await memories.count(project, "conversation"),
      ]);
    return { ...opened, own, other, subject, say, counts };
  };

  test("the oldest passages of a project and its subjects go, and no memory that is kept", async () => {
    const { perform, contents, own, other, say, counts } = await setUp();
    await perform(async ({ memories }) => {
      await memories.insert(own, kept("kept"), Date.now());
      await memories.insert(other, kept("kept by the subject"), Date.now());
    });
    await say(other, ["a", "b"], 4);
    await say(own, ["c"], 4);
    await say(other, ["d"], 4);
    expect(await counts()).toEqual([2, 4]);
    expect(await say(own, ["e", "f"], 4)).toBe(2);
    expect(await contents(own)).toEqual(["kept", "c", "e", "f"]);
    expect(await contents(other)).toEqual(["kept by the subject", "d"]);
    expect(await say(other, ["g"], 4)).toBe(1);
    expect(await contents(own)).toEqual(["kept", "e", "f"]);
    expect(await contents(other)).toEqual(["kept by the subject", "d", "g"]);
    expect(await counts()).toEqual([2, 4]);
  });

  test("more passages at once than the limit leave as many as it has", async () => {
    const { contents, own, say, counts } = await setUp();
    await say(own, ["a", "b"], 2);
    expect(await say(own, ["c", "d", "e"], 2)).toBe(2);
    expect(await contents(own)).toEqual(["d", "e"]);
    expect(await say(own, ["f"], 0)).toBe(0);
    expect(await counts()).toEqual([0, 0]);
    expect(await say(own, ["f"], null)).toBe(1);
  });

  test("a lower limit is reached step by step", async () => {
    const { own, say, counts } = await setUp();
    const many = Array.from({ length: 2 * passageRemovalsMax }, (_, at) => `said ${at}`);
    await say(own, many, null);
    await say(own, ["new"], 10);
    expect(await counts()).toEqual([0, passageRemovalsMax]);
    await say(own, ["newer"], 10);
    expect(await counts()).toEqual([0, 10]);
  });

  test("passages that are deleted, kept or erased do not count, and make no room a second time", async () => {
    const { perform, contents, own, other, subject, say, counts } = await setUp();
    await say(own, ["a"], 3);
    await perform(({ memories }) => memories.removeAll(own, ["passage"]));
    await say(own, ["b", "c"], 3);
    await say(other, ["d"], 3);
    expect(await counts()).toEqual([0, 3]);
    const [b] = await perform(async ({ memories }) => {
      const id = await memories.claimContent(own, contentKey("b", { passage: true }), Date.now());
      const memory = await memories.find(own, id ?? "");
      if (memory === null) throw new Error("the passage is not found by its content");
      const change = { memory: { ...memory, passage: false }, contentKey: contentKey("b"), vector: null };
      await memories.update(own, change);
      return [memory];
    });
    expect(b).toMatchObject({ content: "b", passage: true });
    expect(await counts()).toEqual([1, 2]);
    await say(own, ["e", "f"], 3);
    expect(await contents(own)).toEqual(["b", "e", "f"]);
    expect(await contents(other)).toEqual(["d"]);
    await perform(({ subjects }) => subjects.erase(subject, Date.now(), null));
    expect(await counts()).toEqual([1, 2]);
  });
});
