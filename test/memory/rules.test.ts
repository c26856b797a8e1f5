// Proves the rules about duplicates, expiry, limits, access times, states and order that the contract and the design state, sentence
// by sentence, through HTTP with the real model.

import { afterAll, describe, expect, test } from "bun:test";
import { contentKey } from "../../src/memory/memory.ts";
import { accessFlushMs } from "../../src/platform/limits.ts";
import { type Reply, startTestApp } from "../fixture.ts";

const app = await startTestApp({ "log-level": "silent" });
afterAll(() => app.stop());

const hour = 3_600_000;
let passedMs = 0;
const serverNow = () => Date.now() + passedMs;
const fromNow = (ms: number) => new Date(serverNow() + ms).toISOString();
function passTime(ms: number): void {
  passedMs += ms;
  app.passTime(ms);
}

function idOf(reply: Reply): string {
  expect(reply.status).toBeLessThan(300);
  return String(reply.data.id);
}

/** A project of its own for a group of rules. */
async function openProject(fields = {}) {
  const { id, key } = await app.createProject("custom", fields);
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, `/v1/memories${path}`, { key, ...(body === undefined ? {} : { body }) });
  const search = (body: object) => call("POST", "/search", { query: "tea", top_k: 50, ...body });
  return {
    id,
    call,
    search,
    create: (content: string, more = {}) => call("POST", "", { content, memory_type: "fact", ...more }),
    update: (memory: string, body: unknown) => call("PUT", `/${memory}`, body),
    read: (memory: string) => call("GET", `/${memory}`),
    remove: (memory: string) => call("DELETE", `/${memory}`),
    async list(query = "") {
      const { data } = await call("GET", query);
      return {
        memories: [data.memories].flat().map((memory) => Object(memory)),
        ids: [data.memories].flat().map((memory) => String(Object(memory).id)),
        pagination: data.pagination,
      };
    },
    /** Ids in order. */
    async found(body = {}): Promise<string[]> {
      const { data } = await search(body);
      const ids = [data.results].flat().map((hit) => String(Object(Object(hit).memory).id));
      expect(data.total).toBe(ids.length);
      return ids;
    },
  };
}

describe("content that is the same memory", () => {
  test.each([
    ["itself", "Tea at four", "Tea at four", true],
    ["white space around", "Tea at four", "  Tea at four\n", true],
    ["white space between", "Tea at four", "Tea\u00a0\u2003at\t\r\n four", true],
    ["Unicode's other white space", "Tea at four", "\u0085Tea\u1680at\u3000four\u2029", true],
    ["composed and decomposed letters", "Caf\u00e9 at four", "Cafe\u0301 at four", true],
    ["another order of marks", "q\u0307\u0323", "q\u0323\u0307", true],
    ["Hangul", "\ud55c", "\u1112\u1161\u11ab", true],
    ["a singleton", "\u212b", "\u00c5", true],
    ["upper case", "Tea at four", "tea at four", false],
    ["no white space", "Tea at four", "Teaatfour", false],
    ["a zero width space, which is no white space", "Tea at four", "Tea\u200b at four", false],
    ["a byte order mark, which is none either", "Tea at four", "\ufeffTea at four", false],
    ["compatibility forms", "\ufb01ne", "fine", false],
    ["a full stop", "Tea at four", "Tea at four.", false],
  ])("%s", (_, one, other, expected) => {
    expect(Buffer.from(contentKey(one)).equals(contentKey(other))).toBe(expected);
    expect(contentKey(one)).toHaveLength(32);
  });
});

describe("a duplicate", async () => {
  const { id: projectId, create, read, update, remove } = await openProject();
  const tea = idOf(await create("Tea  at four"));
  const other = idOf(await create("Coffee at nine"));

  test("is refused on create and stored verbatim before", async () => {
    expect((await read(tea)).data.content).toBe("Tea  at four");
    expect(await create(" Tea at four ", { memory_type: "rule" })).toMatchObject({
      status: 409,
      code: 2104,
      data: { memory_id: tea },
    });
  });

  test("is refused on update, which changes nothing", async () => {
    const before = await read(other);
    expect(await update(other, { content: "Tea at four", importance: 1 })).toMatchObject({
      code: 2104,
      data: { memory_id: tea },
    });
    expect((await read(other)).data).toMatchObject({
      content: "Coffee at nine",
      importance: 0.5,
      updated_at: before.data.updated_at,
    });
  });

  test("of itself is no duplicate", async () => {
    expect(await update(tea, { content: "Tea at four" })).toMatchObject({
      status: 200,
      data: { content: "Tea at four" },
    });
  });

  test("of an inactive memory is refused", async () => {
    idOf(await update(tea, { is_active: false }));
    expect(await create("Tea at four")).toMatchObject({ code: 2104, data: { memory_id: tea } });
    idOf(await update(tea, { is_active: true }));
  });

  test("of another project's memory is none", async () => {
    idOf(await (await openProject()).create("Tea at four"));
  });

  test("of a previous content or a deleted memory is none", async () => {
    idOf(await update(other, { content: "Coffee at ten" }));
    idOf(await create("Coffee at nine"));
    await remove(tea);
    idOf(await create("Tea at four"));
  });

  test("created by many at once is stored once", async () => {
    const replies = await Promise.all(Array.from({ length: 32 }, () => create("Water always")));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array(31).fill(409)]);
    const winner = replies.find(({ status }) => status === 201)?.data.id;
    for (const { status, data } of replies) if (status === 409) expect(data.memory_id).toBe(winner);
    expect(app.records(projectId).filter(({ entry }) => entry.code === 2104).length).toBeGreaterThanOrEqual(
      31,
    );
  });
});

describe("an expired memory", async () => {
  const { create, read, update, remove, list, found } = await openProject();
  const juice = idOf(await create("Juice at noon", { expires_at: fromNow(hour) }));

  test("forbids its content until it expires, to the millisecond of its time", async () => {
    passTime(hour - 10_000);
    expect((await create("Juice at noon")).code).toBe(2104);
    expect(await found()).toContain(juice);
    passTime(10_000);
    expect(await found()).not.toContain(juice);
    expect(await found({ include_expired: true })).toContain(juice);
  });

  test("is listed and read", async () => {
    expect((await list()).ids).toContain(juice);
    expect((await read(juice)).data.content).toBe("Juice at noon");
  });

  test("gives its content up to a successor, and coming back to life is then refused", async () => {
    const successor = idOf(await create("Juice at noon"));
    for (const body of [
      { expires_at: null },
      { expires_at: fromNow(hour) },
      { content: "Juice at noon", expires_at: null },
    ]) {
      expect(await update(juice, body)).toMatchObject({ code: 2104, data: { memory_id: successor } });
    }
    expect((await update(juice, { importance: 0.75 })).data).toMatchObject({
      importance: 0.75,
      content: "Juice at noon",
    });
    expect((await update(juice, { expires_at: fromNow(-1) })).status).toBe(200);
    await remove(successor);
    expect((await update(juice, { expires_at: null })).data.expires_at).toBeNull();
    expect((await create("Juice at noon")).code).toBe(2104);
    expect(await found()).toContain(juice);
  });

  test("may be created expired, and its content stays free", async () => {
    const past = idOf(await create("Milk yesterday", { expires_at: "0001-01-01T00:00:00Z" }));
    expect((await read(past)).data.expires_at).toBe("0001-01-01T00:00:00.000Z");
    idOf(await create("Milk yesterday", { expires_at: "9999-12-31T23:59:59.999Z" }));
    expect((await create("Milk yesterday")).code).toBe(2104);
  });

  test("may change its content only to one that nobody alive has", async () => {
    const holder = idOf(await create("Cocoa at night"));
    const past = idOf(await create("Cocoa at dawn", { expires_at: fromNow(-hour) }));
    expect(await update(past, { content: "Cocoa at night" })).toMatchObject({
      code: 2104,
      data: { memory_id: holder },
    });
  });
});

describe("the memory limit", async () => {
  test("counts expired and inactive memories and frees what is deleted", async () => {
    const { call, create, update, remove } = await openProject({ memory_limit: 3 });
    const one = idOf(await create("One"));
    idOf(await create("Two", { expires_at: fromNow(-hour) }));
    idOf(await update(idOf(await create("Three")), { is_active: false }));
    expect(await create("Four")).toMatchObject({ status: 400, code: 2101, data: { memory_limit: 3 } });
    expect((await create("One")).code).toBe(2104);
    await remove(one);
    idOf(await create("Four"));
    expect((await create("Five")).code).toBe(2101);
    expect((await call("DELETE", "", {})).data).toEqual({ deleted_count: 3 });
    for (const content of ["One", "Two", "Three"]) idOf(await create(content));
    expect((await create("Four")).code).toBe(2101);
  });

  test("is not exceeded by many at once", async () => {
    const { create, list } = await openProject({ memory_limit: 10 });
    const replies = await Promise.all(Array.from({ length: 40 }, (_, index) => create(`Number ${index}`)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(replies.filter(({ code }) => code === 2101)).toHaveLength(30);
    expect((await list()).ids).toHaveLength(10);
  });
});

describe("last_accessed_at", async () => {
  const { create, read, list, found } = await openProject();
  const tea = idOf(await create("Tea at four"));
  const coffee = idOf(await create("Coffee at nine"));
  /** As a list shows them, which is no access. */
  const times = async (id: string) => {
    const memory = (await list()).memories.find((each) => each.id === id);
    return { accessed: memory.last_accessed_at, updated: memory.updated_at };
  };

  /** Access times are written within a second; the next call that is recorded finds the writer past it. */
  const letSecondPass = async () => {
    for (const ms of [accessFlushMs, 100]) {
      passTime(ms);
      await list();
    }
  };

  test("is null until a memory is read or found, is written within a second, and is no change", async () => {
    const { updated } = await times(tea);
    await letSecondPass();
    expect(await times(tea)).toEqual({ accessed: null, updated });
    await read(tea);
    await letSecondPass();
    const after = await times(tea);
    expect(Math.abs(Date.parse(after.accessed) - serverNow())).toBeLessThan(2_500);
    expect(after.updated).toBe(updated);
    expect((await times(coffee)).accessed).toBeNull();
  });

  test("is written once a minute at most, and by search too", async () => {
    const { accessed } = await times(tea);
    passTime(40_000);
    expect(await found({ top_k: 1, query: "Tea at four" })).toEqual([tea]);
    await letSecondPass();
    expect((await times(tea)).accessed).toBe(accessed);
    passTime(30_000);
    expect(await found({ top_k: 1, query: "Tea at four" })).toEqual([tea]);
    await letSecondPass();
    expect(Date.parse((await times(tea)).accessed) - Date.parse(accessed)).toBeGreaterThan(60_000);
    expect((await times(coffee)).accessed).toBeNull();
  });
});

describe("states", async () => {
  const { create, read, update, list, found } = await openProject();
  const tea = idOf(await create("Tea at four"));

  test("an inactive memory is listed and read but found on request only", async () => {
    const before = (await read(tea)).data.updated_at;
    passTime(5);
    const { data } = await update(tea, { is_active: false });
    expect(data.is_active).toBe(false);
    expect(Date.parse(String(data.updated_at))).toBeGreaterThan(Date.parse(String(before)));
    expect((await list()).ids).toEqual([tea]);
    expect(await found()).toEqual([]);
    expect(await found({ include_inactive: true })).toEqual([tea]);
    expect((await update(tea, { is_active: true })).data.is_active).toBe(true);
    expect(await found()).toEqual([tea]);
  });

  test("a changed content is found by its new meaning at once", async () => {
    idOf(await create("The invoice is due in May"));
    expect((await found({ query: "payment deadline", top_k: 1 }))[0]).not.toBe(tea);
    idOf(await update(tea, { content: "The payment deadline is Friday" }));
    expect(await found({ query: "payment deadline is Friday", top_k: 1 })).toEqual([tea]);
  });

  test("a changed type moves a memory between filters, counters and bulk deletes", async () => {
    const { call, create, read, update, list, found } = await openProject();
    const moved = idOf(await create("Moves"));
    const stays = idOf(await create("Stays"));
    idOf(await update(moved, { memory_type: "rule" }));
    const total = async (type: string) => Object((await list(`?memory_type=${type}`)).pagination).total;
    expect([await total("fact"), await total("rule"), await total("context")]).toEqual([1, 1, 0]);
    expect(await found({ memory_type: "rule" })).toEqual([moved]);
    const bulk = await call("DELETE", "", { memory_type: "rule" });
    expect(bulk.data).toEqual({ deleted_count: 1 });
    expect(await found({ include_inactive: true, include_expired: true })).toEqual([stays]);
    expect((await read(moved)).code).toBe(2100);
  });
});

describe("a list", async () => {
  const { create, update, list } = await openProject();
  const ids: string[] = [];
  for (const [index, importance] of [0.5, 0.9, 0.5, 0, 1, 0.5, 0.1].entries()) {
    ids.push(idOf(await create(`Number ${index}`, { importance })));
  }
  await update(ids[2] ?? "", { is_active: false });
  await update(ids[0] ?? "", { expires_at: "2000-01-01T00:00:00Z" });
  const by = (order: readonly number[]) => order.map((index) => ids[index] ?? "");

  test.each([
    ["", by([6, 5, 4, 3, 2, 1, 0])],
    ["?sort_dir=asc", by([0, 1, 2, 3, 4, 5, 6])],
    ["?sort_by=created_at&sort_dir=desc", by([6, 5, 4, 3, 2, 1, 0])],
    ["?sort_by=updated_at", by([0, 2, 6, 5, 4, 3, 1])],
    ["?sort_by=updated_at&sort_dir=asc", by([1, 3, 4, 5, 6, 2, 0])],
    ["?sort_by=importance", by([4, 1, 5, 2, 0, 6, 3])],
    ["?sort_by=importance&sort_dir=asc", by([3, 6, 5, 2, 0, 1, 4])],
  ])("%j is ordered", async (query, expected) => {
    expect((await list(query)).ids).toEqual(expected);
  });

  test.each([1, 2, 3, 7, 100])("in pages of %d shows everything once", async (size) => {
    const pages = Math.ceil(ids.length / size);
    const seen: string[] = [];
    for (let page = 1; page <= pages; page++) {
      const { ids: some, pagination } = await list(`?page=${page}&page_size=${size}&sort_by=importance`);
      expect(pagination).toEqual({ page, page_size: size, total: ids.length, total_pages: pages });
      seen.push(...some);
    }
    expect(seen).toEqual(by([4, 1, 5, 2, 0, 6, 3]));
    expect((await list(`?page=${pages + 1}&page_size=${size}`)).ids).toEqual([]);
  });

  test("at the last page there can be is empty", async () => {
    expect((await list("?page=2147483648&page_size=100")).ids).toEqual([]);
  });
});

test("an important but less similar memory beats fifty more similar ones", async () => {
  const { create, search } = await openProject();
  const important = idOf(await create("Never deploy on a Friday.", { memory_type: "rule", importance: 1 }));
  const days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Saturday"];
  const similar = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      create(`Which deployments ran on ${days[index % 5]} of week ${index}?`, { importance: 0 }),
    ),
  );
  for (const reply of similar) expect(reply.status).toBe(201);
  const query = "Which deployments ran on Tuesday of week 6?";
  const { data } = await search({ query, top_k: 50 });
  const hits = [data.results].flat().map((hit) => Object(hit));
  expect(hits[0].memory.id).not.toBe(important);
  const at = hits.findIndex((hit) => hit.memory.id === important);
  expect(at).toBeGreaterThan(0);
  const moreSimilar = hits.slice(at + 1).filter((hit) => hit.similarity > hits[at].similarity);
  expect(moreSimilar.length).toBeGreaterThan(10);
  for (const hit of hits) expect(hit.final_score).toBe(hit.similarity * 0.7 + hit.memory.importance * 0.3);
  expect(hits.map((hit) => hit.final_score)).toEqual(
    hits.map((hit) => hit.final_score).toSorted((a, b) => b - a),
  );
});
