// Proves that nothing of one project shows in another: not in ids, lists, searches, counts, refusals or the bytes of an answer,
// whatever the two do at the same time.

import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type Reply, startTestApp } from "./fixture.ts";

const app = await startTestApp({ "log-level": "silent" });
afterAll(() => app.stop());

const types = ["rule", "fact", "context"] as const;
const words = ["tea", "coffee", "juice", "water"];

const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("create" as const), word: fc.nat(3), type: fc.nat(2) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("deleteAll" as const), type: fc.option(fc.nat(2)) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("peek" as const), at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("list" as const), type: fc.option(fc.nat(2)) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("search" as const), word: fc.nat(3) }) },
);
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

class Tenant {
  readonly id: string;
  readonly #key: string;
  readonly name: string;
  /** What this project owns, by id. */
  readonly memories = new Map<string, { content: string; type: string }>();
  #created = 0;

  constructor(name: string, id: string, key: string) {
    this.name = name;
    this.id = id;
    this.#key = key;
  }

  call(method: string, path: string, body?: unknown): Promise<Reply> {
    const options = { key: this.#key, ...(body === undefined ? {} : { body }) };
    return app.call(method, `/v1/memories${path}`, options);
  }

  async take(action: Action, foreign: readonly string[]): Promise<void> {
    switch (action.kind) {
      case "create": {
        // The same contents in every project: they are duplicates inside one only.
        const [content, memory_type] = [`${words[action.word]} ${++this.#created % 6}`, types[action.type]];
        const reply = await this.call("POST", "", { content, memory_type });
        const holder = [...this.memories].find(([, memory]) => memory.content === content)?.[0];
        if (holder !== undefined) expect(reply).toMatchObject({ code: 2104, data: { memory_id: holder } });
        else {
          expect(reply.status).toBe(201);
          this.memories.set(String(reply.data.id), { content, type: String(memory_type) });
        }
        return;
      }
      case "deleteAll": {
        const type = action.type === null ? null : types[action.type];
        const gone = [...this.memories].filter(([, memory]) => type === null || memory.type === type);
        const { data } = await this.call("DELETE", "", type === null ? {} : { memory_type: type });
        expect(data).toEqual({ deleted_count: gone.length });
        for (const [id] of gone) this.memories.delete(id);
        return;
      }
      case "delete": {
        const id = [...this.memories.keys()][action.at % Math.max(1, this.memories.size)];
        if (id === undefined) return;
        expect((await this.call("DELETE", `/${id}`)).status).toBe(204);
        this.memories.delete(id);
        return;
      }
      case "peek":
        return this.#peek(foreign[action.at % Math.max(1, foreign.length)]);
      case "list": {
        const type = action.type === null ? null : types[action.type];
        const { data } = await this.call(
          "GET",
          `?page_size=100${type === null ? "" : `&memory_type=${type}`}`,
        );
        const own = [...this.memories].filter(([, memory]) => type === null || memory.type === type);
        const ids = [data.memories].flat().map((memory) => String(Object(memory).id));
        expect(ids.toSorted()).toEqual(own.map(([id]) => id).toSorted());
        expect(Object(data.pagination).total).toBe(own.length);
        return;
      }
      case "search": {
        const { data } = await this.call("POST", "/search", { query: words[action.word], top_k: 50 });
        const ids = [data.results].flat().map((hit) => String(Object(Object(hit).memory).id));
        expect(ids.toSorted()).toEqual([...this.memories.keys()].toSorted());
        expect(data.total).toBe(ids.length);
      }
    }
  }

  /** Another project's id is answered with the same bytes and headers as one that nobody has. */
  async #peek(foreign: string | undefined): Promise<void> {
    if (foreign === undefined) return;
    const absent = crypto.randomUUID().replaceAll("-", "");
    const attempts: [string, unknown?][] = [
      ["GET"],
      ["DELETE"],
      ["PUT", { importance: 1 }],
      ["PUT", { content: "tea 1" }],
      ["PUT", { content: 7 }],
      ["PUT", {}],
    ];
    for (const [method, body] of attempts) {
      const theirs = await this.call(method, `/${foreign}`, body);
      const nobodys = await this.call(method, `/${absent}`, body);
      expect(shown(theirs)).toEqual(shown(nobodys));
      if (method !== "PUT") expect(theirs).toMatchObject({ status: 404, code: 2100 });
      expect(theirs.text).not.toContain(foreign);
    }
  }
}

function shown({ status, text, headers }: Reply): unknown {
  const kept = [...headers].filter(([name]) => name !== "date");
  return { status, text, headers: Object.fromEntries(kept) };
}

test("whatever three projects do at once, each sees its own memories alone", async () => {
  const steps = fc.array(fc.record({ tenant: fc.nat(2), action }), {
    minLength: 20,
    maxLength: 60,
    size: "max",
  });
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const tenants: Tenant[] = [];
      for (const name of ["one", "two", "three"]) {
        const { id, key } = await app.createProject("custom");
        tenants.push(new Tenant(name, id, key));
      }
      // Each project's steps in their order, the projects beside each other.
      await Promise.all(
        tenants.map(async (tenant, at) => {
          for (const step of list.filter((each) => each.tenant === at)) {
            const foreign = tenants.flatMap((other) => (other === tenant ? [] : [...other.memories.keys()]));
            await tenant.take(step.action, foreign);
          }
        }),
      );
      for (const tenant of tenants) {
        const foreign = tenants
          .filter((other) => other !== tenant)
          .flatMap((other) => [...other.memories.keys()]);
        for (const kind of ["list", "peek", "search"] as const) {
          await tenant.take({ kind, at: 0, word: 0, type: null }, foreign);
        }
        const others = tenants.filter((other) => other !== tenant);
        const records = JSON.stringify(app.records(tenant.id).map(({ payload }) => payload.response_body));
        for (const other of others) {
          for (const id of [other.id, ...other.memories.keys()]) expect(records.includes(id)).toBe(false);
        }
      }
    }),
    { numRuns: 12 },
  );
});

test("one project's full memory or rate limit is not another's", async () => {
  const small = await app.createProject("basic", { memory_limit: 1 });
  const large = await app.createProject("custom");
  const body = (content: string) => ({ content, memory_type: "fact" });
  await app.call("POST", "/v1/memories", { key: small.key, body: body("first") });
  const replies = await Promise.all(
    Array.from({ length: 150 }, (_, at) =>
      app.call("POST", "/v1/memories", { key: small.key, body: body(`${at}`) }),
    ),
  );
  expect(new Set(replies.map(({ code }) => code))).toEqual(new Set([2101, 1429]));
  expect((await app.call("POST", "/v1/memories", { key: large.key, body: body("first") })).status).toBe(201);
});

test("a deleted project's name, taken again, brings nothing back", async () => {
  const { deleteProject } = await import("../src/calls/operations/access/project-operations.ts");
  const former = await app.createProject("custom", { name: "phoenix" });
  const reply = await app.call("POST", "/v1/memories", {
    key: former.key,
    body: { content: "ash", memory_type: "fact" },
  });
  await app.administer(deleteProject, { project: "phoenix" });
  const latter = await app.createProject("custom", { name: "phoenix" });
  expect(latter.id).not.toBe(former.id);
  expect((await app.call("GET", `/v1/memories/${reply.data.id}`, { key: latter.key })).code).toBe(2100);
  expect((await app.call("GET", "/v1/memories", { key: latter.key })).data).toMatchObject({ memories: [] });
  expect((await app.call("GET", "/v1/memories", { key: former.key })).code).toBe(1401);
  expect(app.records(latter.id)).toHaveLength(2);
});
