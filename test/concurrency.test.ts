// Sixty-four clients work on one project at once, over HTTP: no call fails, no update is lost, no limit is exceeded, and every call is
// one record of an unbroken chain.

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { checkChains } from "./audit/chain-check.ts";
import { type Reply, startTestApp } from "./fixture.ts";

const clients = 64;
const app = await startTestApp({ "log-level": "silent" });
afterAll(() => app.stop());
const databasePath = join(app.config.dataDir, "memledger.db");

/** Calls of one project, counted. */
async function openProject(fields = {}) {
  const { id, key } = await app.createProject("custom", fields);
  const replies: Reply[] = [];
  const call = async (method: string, path: string, body?: unknown) => {
    const reply = await app.call(method, `/v1/memories${path}`, {
      key,
      ...(body === undefined ? {} : { body }),
    });
    replies.push(reply);
    return reply;
  };
  return { id, call, replies };
}

function expectOneRecordEach(projectId: string, replies: readonly Reply[]): void {
  const records = app.records(projectId);
  const statuses = (list: readonly { status: number }[]) => list.map(({ status }) => status).toSorted();
  expect(statuses(records)).toEqual(statuses(replies));
  checkChains(databasePath);
}

const inParallel = <Value>(work: (client: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: clients }, (_, client) => work(client)));

test("clients that each own one field of the same memories lose no update", async () => {
  const { id, call, replies } = await openProject();
  const memories: string[] = [];
  for (let index = 0; index < 4; index++) {
    memories.push(
      String((await call("POST", "", { content: `Shared ${index}`, memory_type: "fact" })).data.id),
    );
  }
  // A write that reads before its turn would put back what others have changed meanwhile.
  const values: Record<string, (round: number) => unknown> = {
    content: (round) => `Shared content of round ${round}`,
    memory_type: (round) => ["rule", "fact", "context"][round % 3],
    importance: (round) => round / 100,
    is_active: (round) => round % 2 === 0,
    expires_at: (round) => new Date(Date.UTC(2100, 0, 1, round)).toISOString(),
  };
  const last = new Map<string, unknown>();
  const owners = memories.flatMap((memory) => Object.keys(values).map((field) => ({ memory, field })));
  await Promise.all(
    owners.map(async ({ memory, field }) => {
      for (let round = 1; round <= 12; round++) {
        const own = field === "content" ? `${values.content?.(round)} of ${memory}` : values[field]?.(round);
        const reply = await call("PUT", `/${memory}`, { [field]: own });
        expect(reply.status).toBe(200);
        expect(reply.data[field]).toBe(Object({ own }).own);
        last.set(`${memory} ${field}`, own);
      }
    }),
  );
  for (const memory of memories) {
    const { data } = await call("GET", `/${memory}`);
    const expected = Object.keys(values).map((field) => [field, last.get(`${memory} ${field}`)]);
    expect(data).toMatchObject(Object.fromEntries(expected));
  }
  expectOneRecordEach(id, replies);
});

test("clients that create, change, search, list and delete leave exactly what they were told", async () => {
  const limit = 150;
  const { id, call, replies } = await openProject({ memory_limit: limit });
  /** What the answers say is there. */
  const alive = new Map<string, { content: string; importance: number }>();
  let largest = 0;
  await inParallel(async (client) => {
    const own: string[] = [];
    for (let step = 0; step < 12; step++) {
      const kind = (client * 7 + step * 5) % 6;
      const target = own.at(-1);
      if (kind <= 2 || target === undefined) {
        const content = `Client ${client} notes step ${step}`;
        const { status, code, data } = await call("POST", "", {
          content,
          memory_type: "fact",
          importance: 0,
        });
        if (code === 2101) continue;
        expect(status).toBe(201);
        own.push(String(data.id));
        alive.set(String(data.id), { content, importance: 0 });
      } else if (kind === 3) {
        const importance = step / 100;
        expect((await call("PUT", `/${target}`, { importance })).status).toBe(200);
        const memory = alive.get(target);
        if (memory !== undefined) memory.importance = importance;
      } else if (kind === 4) {
        expect((await call("DELETE", `/${target}`)).status).toBe(204);
        alive.delete(String(own.pop()));
        expect((await call("GET", `/${target}`)).code).toBe(2100);
      } else {
        const content = alive.get(target)?.content ?? "";
        const { data } = await call("POST", "/search", { query: content, top_k: 50, min_similarity: 0.99 });
        const ids = [data.results].flat().map((hit) => Object(Object(hit).memory).id);
        expect(ids).toContain(target);
        const { pagination } = (await call("GET", "?page_size=1")).data;
        largest = Math.max(largest, Object(pagination).total);
      }
    }
  });
  expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
  expect(replies.some(({ code }) => code === 2101)).toBe(true);
  expect(largest).toBeLessThanOrEqual(limit);
  const listed = new Map<string, { content: string; importance: number }>();
  for (let page = 1; page <= 2; page++) {
    const { data } = await call("GET", `?page=${page}&page_size=100`);
    for (const item of [data.memories].flat()) {
      const { id: memory, content, importance } = Object(item);
      listed.set(memory, { content, importance });
    }
    expect(Object(data.pagination).total).toBe(alive.size);
  }
  expect(listed).toEqual(alive);
  expectOneRecordEach(id, replies);
});

test("the same contents from all clients at once are stored once each, and the limit is never exceeded by one", async () => {
  const contents = 30;
  const limit = 20;
  const { id, call, replies } = await openProject({ memory_limit: limit });
  await inParallel(async (client) => {
    for (let step = 0; step < 8; step++) {
      const content = `Everybody says ${(client * 13 + step * 7) % contents}`;
      const { code } = await call("POST", "", { content, memory_type: "context" });
      expect([1000, 2104, 2101]).toContain(code ?? 0);
    }
  });
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(limit);
  const { data } = await call("GET", "?page_size=100");
  const stored = [data.memories].flat().map((memory) => Object(memory).content);
  expect(new Set(stored).size).toBe(limit);
  expect(stored).toHaveLength(limit);
  expectOneRecordEach(id, replies);
});

test("bulk deletes among creates count every memory exactly once and leave none behind", async () => {
  const { id, call, replies } = await openProject();
  const created = new Set<string>();
  let deleted = 0;
  await inParallel(async (client) => {
    for (let step = 0; step < 8; step++) {
      if ((client + step) % 16 === 0) {
        const { status, data } = await call("DELETE", "", client % 2 === 0 ? { memory_type: "rule" } : {});
        expect(status).toBe(200);
        deleted += Number(data.deleted_count);
        continue;
      }
      const memory_type = ["rule", "fact"][step % 2];
      const reply = await call("POST", "", { content: `Client ${client} in step ${step}`, memory_type });
      expect(reply.status).toBe(201);
      created.add(String(reply.data.id));
      // Another type, then deleted under the new one: nothing may remain under the old.
      if (step % 4 === 1) await call("PUT", `/${reply.data.id}`, { memory_type: "rule" });
      if (step % 4 === 2) await call("POST", "/search", { query: "Client in step", top_k: 50 });
    }
  });
  expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
  deleted += Number((await call("DELETE", "")).data.deleted_count);
  expect(deleted).toBe(created.size);
  expect((await call("GET", "")).data).toMatchObject({ memories: [], pagination: { total: 0 } });
  const body = { query: "Client in step", top_k: 50, include_expired: true, include_inactive: true };
  expect((await call("POST", "/search", body)).data).toMatchObject({ results: [], total: 0 });
  expectOneRecordEach(id, replies);
});
