// Tests what happens between the two halves of a call: what was true when it was prepared may not be any more when it is applied.

import { afterAll, describe, expect, test } from "bun:test";
import { permissions } from "../../src/access/key.ts";
import { openDatabase } from "../../src/platform/native/sqlite.ts";
import { checkChains } from "../audit/chain-check.ts";
import { type PayloadRow, readPayload } from "../audit/read-payload.ts";
import { type Member, type Outcome, openMember, openSeam, runtime, unitVector } from "./storage/seam.ts";

const seam = await openSeam();
afterAll(() => seam.close());

const memory = (content: string) => ({ content, vector: unitVector(content.length) });

/** Sends administration and calls in one turn, so that they settle in this order, usually in one transaction. */
async function together(...work: (() => Promise<Outcome>)[]): Promise<number[]> {
  const outcomes = await Promise.all(work.map((each) => each()));
  return outcomes.map(({ code }) => code);
}

async function countOf(project: Member): Promise<number> {
  return (await project.list()).total;
}

describe("a call that was prepared before", () => {
  test.each<[string, (project: Member) => Promise<Outcome>, number, memories: number]>([
    ["its key was revoked", ({ caller }) => seam.administer("key.revoke", { key: caller.key.id }), 1401, 1],
    ["its project was deleted", ({ id }) => seam.administer("project.delete", { project: id }), 1401, 0],
    [
      "its plan lost the memory",
      ({ id }) => seam.administer("project.update", { project: id, plan: "free" }),
      2106,
      1,
    ],
    [
      "its limit was lowered",
      ({ id }) => seam.administer("project.update", { project: id, memory_limit: 1 }),
      2101,
      1,
    ],
    ["its content was taken", (project) => project.create(memory("  second ")), 2104, 2],
  ])("%s is refused with what holds now", async (_, change, code, memories) => {
    const project = await seam.project();
    await project.create(memory("first"));
    expect(
      await together(
        () => change(project),
        () => project.create(memory("second")),
      ),
    ).toEqual([1000, code]);
    expect(await countOf(project)).toBe(memories);
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
});

describe("a read that was prepared before", () => {
  test.each<[string, (project: Member) => Promise<Outcome>, number]>([
    ["its key was revoked", ({ caller }) => seam.administer("key.revoke", { key: caller.key.id }), 1401],
    ["its project was deleted", ({ id }) => seam.administer("project.delete", { project: id }), 1401],
    [
      "its plan lost the memory",
      ({ id }) => seam.administer("project.update", { project: id, plan: "free" }),
      2106,
    ],
  ])("%s is refused, and its record tells nothing of what was read", async (_, change, code) => {
    const project = await seam.project();
    const { data } = await project.create(memory("a secret that was read"));
    const settleRead = await project.prepareRead(String(data.id));
    expect(await together(() => change(project), settleRead)).toEqual([1000, code]);
    const database = openDatabase(seam.path, runtime);
    const row = database
      .prepare<[], PayloadRow>(
        `SELECT p.salt, p.text FROM audit_entry e JOIN audit_payload p ON p.entry = e.number
         WHERE e.action = 'memory.read' ORDER BY e.number DESC LIMIT 1`,
      )
      .get();
    database.close();
    const payload = row === undefined ? {} : readPayload(row);
    expect(payload).toMatchObject({ response_body: { success: false, code } });
    expect(JSON.stringify(payload)).not.toContain("secret");
    checkChains(seam.path);
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
});

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
