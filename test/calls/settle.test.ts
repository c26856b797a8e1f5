// Tests what happens between the two halves of a call: what was true when it was prepared may not be any more when it is applied.

import { afterAll, describe, expect, test } from "bun:test";
import { permissions } from "../../src/access/key.ts";
import { contentKey } from "../../src/memory/memory.ts";
import { openDatabase } from "../../src/native/sqlite.ts";
import { checkChains } from "../audit/chain-check.ts";
import { type Member, type Outcome, openMember, openSeam, runtime, unitVector } from "../storage/seam.ts";

const seam = await openSeam();
afterAll(() => seam.close());

const memory = (content: string) => ({ content, vector: unitVector(content.length) });

/** Sends administration and calls in one turn, so that they settle in this order, usually in one transaction. */
async function together(...work: (() => Promise<Outcome>)[]): Promise<number[]> {
  const outcomes = await Promise.all(work.map((each) => each()));
  return outcomes.map(({ code }) => code);
}

async function countOf(project: Member): Promise<number> {
  const list = { type: null, sortBy: "created_at", direction: "desc", limit: 100, offset: 0 } as const;
  return (await project.list(list)).total;
}

describe("a call that was prepared before", () => {
  test.each<[string, (project: Member) => Promise<Outcome>, number]>([
    ["its key was revoked", ({ caller }) => seam.administer("key.revoke", { key: caller.key.id }), 1401],
    ["its project was deleted", ({ id }) => seam.administer("project.delete", { project: id }), 1401],
    [
      "its plan lost the memory",
      ({ id }) => seam.administer("project.update", { project: id, plan: "free" }),
      2106,
    ],
    [
      "its limit was lowered",
      ({ id }) => seam.administer("project.update", { project: id, memory_limit: 1 }),
      2101,
    ],
    ["its content was taken", (project) => project.create(memory("  second ")), 2104],
  ])("%s is refused with what holds now", async (_, change, code) => {
    const project = await seam.project();
    await project.create(memory("first"));
    const before = await countOf(project);
    expect(
      await together(
        () => change(project),
        () => project.create(memory("second")),
      ),
    ).toEqual([1000, code]);
    expect(await countOf(project)).toBeLessThanOrEqual(before + (code === 2104 ? 1 : 0));
    checkChains(seam.path);
  });

  test("its memory was deleted is refused, and nothing comes back to life", async () => {
    const project = await seam.project();
    const { data } = await project.create(memory("fleeting"));
    const update = { memory_id: String(data.id), importance: 1 };
    expect(
      await together(
        () => project.call("memory.delete_all", {}),
        () => project.call("memory.update", update),
        () => project.call("memory.delete", { memory_id: String(data.id) }),
      ),
    ).toEqual([1000, 2100, 2100]);
    expect(await countOf(project)).toBe(0);
  });

  test("its subscription expired goes on: memory does not depend on it", async () => {
    const project = await seam.project();
    const expire = () => seam.administer("project.update", { project: project.id, subscription: "expired" });
    expect(await together(expire, () => project.create(memory("still")))).toEqual([1000, 1000]);
  });

  test("a change that is refused later in the same transaction undoes only itself", async () => {
    const project = await seam.project({ memory_limit: 2 });
    const calls = ["one", "one", "two", "three"].map((content) => () => project.create(memory(content)));
    expect(
      await together(
        ...calls,
        () => project.call("memory.delete_all", {}),
        () => project.create(memory("three")),
      ),
    ).toEqual([1000, 2104, 1000, 2101, 1000, 1000]);
    expect(await countOf(project)).toBe(1);
  });
});

describe("an expired holder of a content", () => {
  test("keeps it when its successor is refused", async () => {
    const project = await seam.project({ memory_limit: 1 });
    const { data } = await project.create({ ...memory("juice"), expiresAt: seam.now() + 50 });
    seam.passTime(100);
    expect((await project.create(memory("juice"))).code).toBe(2101);
    await seam.administer("project.update", { project: project.id, memory_limit: 2 });
    // Had the refused call taken the content away for good, coming back to life would be refused or doubled.
    expect((await project.call("memory.update", { memory_id: String(data.id), expires_at: null })).code).toBe(
      1000,
    );
    expect((await project.create(memory("juice"))).code).toBe(2104);
  });
});

describe("the clock jumping backwards", () => {
  test("breaks neither ids nor chains nor order", async () => {
    const project = await seam.project();
    const first = await project.create(memory("before"));
    seam.passTime(-86_400_000);
    const second = await project.create(memory("after"));
    expect(String(second.data.id) > String(first.data.id)).toBe(true);
    expect(Date.parse(String(second.data.created_at))).toBeLessThan(
      Date.parse(String(first.data.created_at)),
    );
    checkChains(seam.path);
    seam.passTime(86_400_000);
    expect((await project.call("memory.read", { memory_id: String(first.data.id) })).code).toBe(1000);
    checkChains(seam.path);
  });
});

describe("a vector that is none", () => {
  test.each([
    ["of another length", new Float32Array(255)],
    ["of no length", new Float32Array(0)],
    ["that is not finite", new Float32Array(256).fill(Number.NaN)],
  ])("%s is never stored", async (_, vector) => {
    const project = await seam.project();
    await project.create(memory("sound"));
    const prepared = { vector, contentKey: contentKey("broken") };
    const outcome = await project.call("memory.create", { content: "broken", memory_type: "fact" }, prepared);
    expect(outcome.code).toBe(1500);
    expect(outcome.message).not.toMatch(/vec|SQL|vector/);
    expect(await countOf(project)).toBe(1);
    expect(await project.search({ vector: unitVector(5) })).toHaveLength(1);
  });
});

describe("a project that is named like another one's id", () => {
  test("does not take that one's administration", async () => {
    const one = await seam.project();
    await seam.administer("project.create", { name: one.id, plan: "free" });
    expect((await seam.administer("project.show", { project: one.id })).data).toMatchObject({
      id: one.id,
      plan: "custom",
    });
  });
});

test("a database that somebody else keeps locked answers 1503, soon for all, and recovers", async () => {
  const other = await openSeam();
  const project = await other.project();
  const lock = openDatabase(other.path, runtime);
  lock.exec("BEGIN IMMEDIATE");
  const start = performance.now();
  const calls = Array.from({ length: 20 }, (_, index) =>
    project.create(memory(`locked ${index}`)).then(
      ({ code }) => code,
      (error: unknown) => Object(error).code,
    ),
  );
  expect(new Set(await Promise.all(calls))).toEqual(new Set([1503]));
  expect(performance.now() - start).toBeLessThan(12_000);
  lock.exec("ROLLBACK");
  lock.close();
  expect((await project.create(memory("free"))).code).toBe(1000);
  expect(await countOf(project)).toBe(1);
  await other.close();
}, 60_000);

test("all permissions can be given, and each is needed", async () => {
  const project = await seam.project();
  const needed = new Map([
    ["memory.list", "memory.read"],
    ["memory.read", "memory.read"],
    ["memory.search", "memory.read"],
    ["memory.create", "memory.write"],
    ["memory.update", "memory.write"],
    ["memory.delete", "memory.write"],
    ["memory.delete_all", "memory.write"],
  ]);
  for (const missing of permissions) {
    const given = permissions.filter((permission) => permission !== missing);
    const { data } = await seam.administer("key.create", { project: project.id, permissions: given });
    const member = await openMember(seam, project.id, String(data.key));
    for (const [operation, permission] of needed) {
      const { code } = await member.call(operation, { memory_id: "0".repeat(32) }, {});
      if (permission === missing) expect(code).toBe(1403);
      else expect(code).not.toBe(1403);
    }
  }
});
