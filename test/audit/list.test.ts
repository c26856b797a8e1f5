// Proves what a project sees of its ledger: filters, pages, cursors, retention, and nothing of other projects.

import { afterAll, describe, expect, test } from "bun:test";
import { readActions } from "../../src/calls/operations/ledger/console-reads.ts";
import { showRecord } from "../../src/calls/operations/ledger/show-record.ts";
import { projectOperations } from "../../src/calls/operations.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp } from "../fixture.ts";
import { signIn } from "../transports/http/console/signed-in.ts";

const dayMs = 86_400_000;
const app = await startTestApp();
afterAll(() => app.stop());

const logsOf = (data: JsonObject): JsonObject[] =>
  Array.isArray(data.logs) ? data.logs.filter(isObject) : [];
const idsOf = (data: JsonObject) => logsOf(data).map(({ id }) => id);

async function list(key: string, query = ""): Promise<JsonObject> {
  const reply = await app.call("GET", `/v1/audit/logs${query}`, { key });
  expect([query, reply.status, reply.message]).toEqual([query, 200, "success"]);
  return reply.data;
}

const create = (key: string, content: string) =>
  app.call("POST", "/v1/memories", { key, body: { content, memory_type: "fact" } });

describe("the list", async () => {
  const project = await app.createProject("pro");
  const { key } = project;
  const memory = (await create(key, "The list has something to show.")).data;
  for (let index = 0; index < 12; index++) await app.call("GET", `/v1/memories/${memory.id}`, { key });
  await create(key, "The list has something to show.");
  const extra = await app.createKey(project.id, ["memory.read"]);
  await app.call("GET", `/v1/memories/${memory.id}`, { key: extra.key });
  const all = app.records(project.id).map(({ entry }) => entry.id);

  test("is newest first, complete, and leaves out the call itself", async () => {
    const data = await list(key, "?page_size=100");
    expect(idsOf(data)).toEqual(all.toReversed());
    expect(data).toEqual(
      expect.objectContaining({ total: all.length, page: 1, page_size: 100, next_cursor: null }),
    );
  });

  test("has the contract's fields and no hash on the plan pro", async () => {
    const [record] = logsOf(await list(key, "?action=memory.create&page_size=1"));
    expect(record).toEqual({
      id: expect.any(String),
      action: "memory.create",
      model_id: null,
      project_id: project.id,
      gateway_id: null,
      ip_address: "127.0.0.1",
      user_agent: expect.any(String),
      http_status: 409,
      is_success: false,
      is_cache_hit: false,
      error_code: 2104,
      error_msg: expect.stringContaining("already has a memory"),
      duration: expect.any(Number),
      credits_consumed: 0,
      balance_consumed_usd: 0,
      tokens: null,
      metadata: null,
      hash: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      key_id: expect.any(String),
      seq: expect.any(Number),
      memory_id: null,
      redacted: false,
      payload_expired: false,
      performed: true,
    });
  });

  test.each([
    ["?action=memory.read", 13],
    ["?action=memory.create", 2],
    ["?action=memory.nothing", 0],
    ["?status_class=4xx", 1],
    ["?status_class=5xx", 0],
    ["?status_class=2xx&action=memory.create", 1],
    ["?status_class=4xx&action=memory.create", 1],
    ["?status_class=4xx&action=memory.read", 0],
    [`?status_class=4xx&memory_id=${memory.id}`, 0],
    [`?status_class=2xx&memory_id=${memory.id}&action=memory.read`, 13],
    [`?status_class=2xx&key_id=${extra.id}`, 1],
    ["?status_class=2xx&end_time=2001-01-01", 0],
    [`?memory_id=${memory.id}`, 14],
    [`?memory_id=${memory.id}&action=memory.create`, 1],
    [`?key_id=${extra.id}`, 1],
    [`?key_id=${"0".repeat(32)}`, 0],
    [`?memory_id=${"0".repeat(32)}`, 0],
    ["?start_time=2000-01-01&end_time=2001-01-01", 0],
    ["?end_time=2001-01-01T00:00:00Z", 0],
    ["?start_time=2999-01-01T00:00:00+02:00", 0],
    ["?start_time=2999-01-01T00:00:00%2B02:00", 0],
  ])("filters by %s", async (query, total) => {
    const data = await list(key, query);
    expect(data.total).toBe(total);
    expect(logsOf(data)).toHaveLength(total);
  });

  test("start_time and end_time take both ends in", async () => {
    const records = logsOf(await list(key, "?page_size=100"));
    const [newest, oldest] = [records.at(0)?.created_at, records.at(-1)?.created_at];
    const spanned = await list(key, `?page_size=100&start_time=${oldest}&end_time=${newest}`);
    expect(idsOf(spanned)).toEqual(records.map(({ id }) => id));
  });

  test("a date as end_time includes its whole day, and a span is written in any form of ISO 8601", async () => {
    const records = logsOf(await list(key, "?page_size=100"));
    const [newest, oldest] = [String(records.at(0)?.created_at), String(records.at(-1)?.created_at)];
    const [first, last] = [oldest.slice(0, 10), newest.slice(0, 10)];
    const basic = (timestamp: string) => timestamp.replaceAll(/[-:]/g, "").replace(".", ",");
    for (const span of [
      `start_time=${first}&end_time=${last}`,
      `start_time=${first.replaceAll("-", "")}&end_time=${last.slice(0, 7)}`,
      `start_time=${basic(oldest)}&end_time=${basic(newest).replace("Z", "+0000")}`,
      `start_time=${oldest.replace("Z", "")}&end_time=${newest.replace("Z", "%2B00")}`,
    ]) {
      const found = idsOf(await list(key, `?page_size=100&${span}`)).slice(-records.length);
      expect([span, found]).toEqual([span, records.map(({ id }) => id)]);
    }
  });

  test("pages by number, with and without a filter", async () => {
    for (const filter of ["", "&action=memory.read"]) {
      const whole = idsOf(await list(key, `?page_size=100&end_time=${await nowOf()}${filter}`));
      const end = `&end_time=${await nowOf()}`;
      const pages = [];
      for (let page = 1; page <= 3; page++) {
        pages.push(...idsOf(await list(key, `?page_size=4&page=${page}${filter}${end}`)));
      }
      if (filter !== "") expect(pages).toEqual(whole.slice(0, 12));
      expect(new Set(pages).size).toBe(12);
    }
  });

  test("a cursor goes on where the page ended while new records arrive", async () => {
    const seen: unknown[] = [];
    let query = "?page_size=5";
    for (;;) {
      const data = await list(key, query);
      seen.push(...idsOf(data));
      if (data.next_cursor === null) break;
      query = `?page_size=5&cursor=${data.next_cursor}`;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.slice(-all.length)).toEqual(all.toReversed());
  });

  test("a cursor belongs to one list of one project", async () => {
    const { next_cursor } = await list(key, "?page_size=2&action=memory.read");
    const other = await app.createProject("pro");
    await create(other.key, "Another project.");
    for (const [caller, query] of [
      [key, `?cursor=${next_cursor}`],
      [key, `?cursor=${next_cursor}&action=memory.create`],
      [key, `?cursor=${next_cursor}&action=memory.read&end_time=2999-01-01`],
      [other.key, `?cursor=${next_cursor}&action=memory.read`],
    ] as const) {
      const reply = await app.call("GET", `/v1/audit/logs${query}`, { key: caller });
      expect([reply.status, reply.code, reply.data.reason]).toEqual([400, 1400, "belongs to another list"]);
    }
    const same = await list(key, `?page_size=3&cursor=${next_cursor}&action=memory.read`);
    expect(logsOf(same)).toHaveLength(3);
  });

  test.each([
    ["?cursor=nonsense", "cursor"],
    ["?cursor=c2VxIC0x", "cursor"],
    ["?cursor=", "cursor"],
    ["?page=2147483649", "page"],
    ["?page=-1", "page"],
    ["?page=1.5", "page"],
    ["?page_size=0", "page_size"],
    ["?cursor=c2VxIDU&page=1", "cursor"],
    ["?page_size=101", "page_size"],
    ["?page=0", "page"],
    ["?start_time=yesterday", "start_time"],
    ["?start_time=2026-02-30", "start_time"],
    ["?end_time=", "end_time"],
    ["?start_time=2026-11-22&end_time=2026-11-21", "end_time"],
    ["?status_class=3xx", "status_class"],
    ["?actions=memory.read", "actions"],
    ["?action=", "action"],
    ["?action=memory.", "action"],
    ["?action=memory%20read", "action"],
    ["?action=Memory.Read", "action"],
    [`?action=${"a".repeat(101)}`, "action"],
    ["?key_id=", "key_id"],
    ["?key_id=x", "key_id"],
    [`?key_id=${"0".repeat(33)}`, "key_id"],
    ["?memory_id=", "memory_id"],
    ["?memory_id=019a2b3c-5f1e-7a60-8192-a3b4c5d6e7f8", "memory_id"],
  ])("refuses %s", async (query, field) => {
    const reply = await app.call("GET", `/v1/audit/logs${query}`, { key });
    expect([reply.status, reply.code, reply.data.field]).toEqual([400, 1400, field]);
  });

  async function nowOf(): Promise<string> {
    const [record] = logsOf(await list(key, "?page_size=1"));
    return String(record?.created_at);
  }
});

test("a cursor that is too long is no cursor", async () => {
  const { key } = await app.createProject("pro");
  const reply = await app.call("GET", `/v1/audit/logs?cursor=${"A".repeat(200)}`, { key });
  expect(reply.data).toEqual({ field: "cursor", reason: "is not a valid cursor" });
});

describe("a list that is read page by page while records arrive", async () => {
  const { key, id } = await app.createProject("custom");
  const write = (count: number) =>
    Promise.all(Array.from({ length: count }, () => app.call("GET", "/v1/memories", { key })));
  await write(23);

  /** All records of a walk and the totals that its pages told, by page number or by cursor. */
  async function walk(filter: string, by: "page" | "cursor") {
    const [shown, totals]: [unknown[], unknown[]] = [[], []];
    let query = "";
    for (let page = 2; ; page++) {
      const data = await list(key, `?page_size=5${filter}${query}`);
      shown.push(...idsOf(data));
      totals.push(data.total);
      if (data.next_cursor === null) return { shown, totals: new Set(totals) };
      query = by === "page" ? `&page=${page}` : `&cursor=${data.next_cursor}`;
      await write(3);
    }
  }

  test.each([
    ["page", ""],
    ["cursor", ""],
    ["page", "&action=memory.list"],
    ["cursor", "&action=memory.list"],
    ["page", "&end_time=2999-01-01"],
  ] as const)("by %s%s shows each record once, and one total", async (by, filter) => {
    const before = app.records(id).map(({ entry }) => entry);
    const expected = before.filter(({ action }) => !filter.includes("action") || action === "memory.list");
    const { shown, totals } = await walk(filter, by);
    expect(shown).toEqual(expected.map(({ id }) => id).toReversed());
    expect([...totals]).toEqual([expected.length]);
  });

  test("page 1 begins anew, and so does a list with other filters, another page_size or another key", async () => {
    const first = await list(key, "?page_size=5");
    const count = app.countRecords(id);
    expect(first.total).toBe(count - 1);
    expect((await list(key, "?page_size=5&page=2")).total).toBe(first.total);
    const another = await app.createKey(id, ["audit.read"]);
    expect((await list(another.key, "?page_size=5&page=2")).total).toBe(count + 1);
    expect((await list(key, "?page_size=4&page=2")).total).toBe(count + 2);
    expect((await list(key, "?page_size=5&page=2&status_class=2xx")).total).toBe(count + 3);
    expect((await list(key, "?page_size=5&page=1")).total).toBe(count + 4);
    expect((await list(key, "?page_size=5&page=99")).total).toBe(count + 4);
    app.passTime(3_600_000);
    expect((await list(key, "?page_size=5&page=2")).total).toBe(count + 6);
  });
});

describe("one record", async () => {
  const project = await app.createProject("business");
  const other = await app.createProject("business");
  const { key } = project;
  const headers = { "X-Audit-Metadata": '{"ticket":"OPS-42"}' };
  await create(key, "The office is in Lisbon.");
  await app.call("POST", "/v1/memories/search", { key, headers, body: { query: "Where is the office?" } });
  const [search] = logsOf(await list(key, "?action=memory.search"));
  const address = `/v1/audit/logs/${search?.id}`;

  test("shows request, answer, what was asked and what was found", async () => {
    const { data } = await app.call("GET", address, { key });
    expect(data).toEqual({
      ...search,
      metadata: { ticket: "OPS-42" },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      request_body: { query: "Where is the office?" },
      response_body: expect.objectContaining({ success: true, code: 1000 }),
      erased_places: [],
      on_behalf_of: null,
      input_content: null,
      output_content: null,
      rag_query: null,
      rag_results: null,
      request_parameters: null,
      transport: null,
      client_name: null,
      os_uid: null,
      os_user: null,
      sudo_user: null,
      administration_key_id: null,
      token_id: null,
      session_id: null,
      performed_for: null,
      reason: null,
      memory_query: ["Where is the office?"],
      memory_results: [
        expect.objectContaining({
          content: "The office is in Lisbon.",
          source: "semantic",
          similarity: expect.any(Number),
        }),
      ],
    });
  });

  test("does not exist for another project, nor when there is no such id", async () => {
    const foreign = await app.call("GET", address, { key: other.key });
    const missing = await app.call("GET", `/v1/audit/logs/${"0".repeat(32)}`, { key: other.key });
    expect([foreign.status, foreign.code]).toEqual([404, 2204]);
    expect(foreign.text).toBe(missing.text);
  });
});

describe("retention at reading", async () => {
  const project = await app.createProject("basic");
  const { key } = project;
  await create(key, "An old fact.");
  const [old] = logsOf(await list(key));

  test("hides what is too old, before anything is pruned, and moves start_time without an error", async () => {
    app.passTime(31 * dayMs);
    const data = await list(key, "?start_time=2000-01-01T00:00:00Z");
    expect([data.total, idsOf(data)]).toEqual([0, []]);
    const reply = await app.call("GET", `/v1/audit/logs/${old?.id}`, { key });
    expect([reply.status, reply.code]).toEqual([404, 2204]);
    await expect(app.administer(showRecord, { record: String(old?.id) })).rejects.toThrow("does not exist");
  });
});

test("reads of administrators in the console can be left out, of lists and of the uses of a memory", async () => {
  const { id, key } = await app.createProject("business");
  const memory = String((await create(key, "The console reads this memory.")).data.id);
  await app.call("GET", `/v1/memories/${memory}`, { key });
  const person = await signIn(app);
  const headers = { "Memledger-Project": id };
  await person.send("GET", `/v1/memories/${memory}`, { headers });
  await person.send("GET", "/v1/memories", { headers });
  await person.send("GET", "/v1/memories/00000000000000000000000000000000", { headers });
  await person.send("PUT", `/v1/memories/${memory}`, { headers, body: { importance: 0.9 } });
  const shown = await list(key, "?without_console_reads=true&page_size=2");
  expect(logsOf(shown).map(({ action, http_status }) => `${action} ${http_status}`)).toEqual([
    "memory.update 200",
    "memory.read 404",
  ]);
  expect(shown.total).toBe(4);
  const rest = await list(key, `?without_console_reads=true&page_size=2&cursor=${shown.next_cursor}`);
  expect(logsOf(rest).map(({ action }) => action)).toEqual(["memory.read", "memory.create"]);
  expect((await list(key)).total).toBe(8);
  const uses = async (query: string) => {
    const { data } = await app.call("GET", `/v1/memories/${memory}/history?include=uses${query}`, { key });
    return Array.isArray(data.events) ? data.events.length : 0;
  };
  expect([await uses(""), await uses("&without_console_reads=true")]).toEqual([2, 1]);
});

test("the reads that can be left out are all that change nothing, and take no data out", () => {
  const reads = projectOperations.filter(({ effects }) => effects.readOnly).map(({ name }) => name);
  const takingOut = ["audit.export_download", "memory.export", "subject.export"];
  expect(readActions).toEqual(reads.filter((name) => !takingOut.includes(name)).toSorted());
});
