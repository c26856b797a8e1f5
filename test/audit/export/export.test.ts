// Proves what an export says and holds, and every way in which it is refused, over HTTP on a real server.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { recordFieldNames } from "../../../src/audit/record-schema.ts";
import { openNote } from "../../../src/audit/signed-note.ts";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { expectClean } from "../../transports/http/scenario.ts";
import {
  always,
  begin,
  dataOf,
  download,
  exportAll,
  fatten,
  parseCsv,
  readRecords,
  send,
  settled,
  type Target,
  toCell,
} from "./exporting.ts";

const exportPath = "/v1/audit/logs/export";
const dayMs = 86_400_000;
let app: TestApp;
const to = (key: string): Target => ({ url: app.url, key });

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const passage = {
  content: 'a "b", c',
  similarity: 0.25,
  "=page": 3,
  source: { document_id: "-d", name: "@n, m", mime_type: "text/plain", file_size: 1 },
};

/** Texts that break naive writers, in every free field. */
const nasty: readonly JsonObject[] = [
  { user_agent: "=HYPERLINK(1)", model_id: "-m", gateway_id: "+g", ip_address: "@i" },
  { user_agent: "\tTab", error_msg: '\rReturn, "quoted"\r\nnew line', output_content: "＝full-width" },
  { output_content: '{"looks":"like JSON"}', error_msg: "{braces, without quotes}", model_id: "'apostrophe" },
  { input_content: ["größe", "数据", "𝒳 \u2028 \u0000 \ufeff"], rag_query: ["=a", "b,c"], duration: -0 },
  { rag_results: [passage], metadata: { 10: "ten", 9: "nine", "=": "'" } },
];

async function fill(target: Target): Promise<number> {
  const created = await send(target, "POST", "/v1/memories", {
    body: { content: '=1+1 "größe"\n数据', memory_type: "fact" },
    headers: { "X-Audit-Metadata": '{"ticket":"OPS-1, \\"x\\""}' },
  });
  expect(created.status).toBe(201);
  await send(target, "POST", "/v1/memories/search", { body: { query: "größe, size" } });
  expect((await send(target, "POST", "/v1/memories", { body: { content: "" } })).status).toBe(400);
  for (const fields of nasty) {
    const body = { action: "gateway.chat", http_status: 500, ...fields };
    expect((await send(target, "POST", "/v1/audit/logs", { body })).status).toBe(201);
  }
  return 3 + nasty.length;
}

describe.each(["business", "pro"] as const)("on the plan %s", (plan) => {
  const span = { start_time: new Date(Date.now() - 86_400_000).toISOString(), end_time: always.end_time };
  const names = recordFieldNames;
  const proof = plan === "business" ? ["erased_parts", "entry", "salt", "payload"] : [];
  let target: Target;
  let count = 0;

  beforeAll(async () => {
    target = to((await app.createProject(plan)).key);
    count = await fill(target);
  });

  test("JSON holds exactly what the API shows", async () => {
    const { text, detail } = await exportAll(target, { ...span, format: "json" });
    const rows: JsonObject[] = JSON.parse(text);
    const records = await readRecords(target, count);
    expect(rows.length).toBe(count);
    for (const [index, row] of rows.entries()) {
      expect(Object.keys(row)).toEqual([...names, ...proof]);
      const shown = records[index] ?? {};
      expect(Object.fromEntries(names.map((name) => [name, row[name]]))).toEqual(
        Object.fromEntries(names.map((name) => [name, shown[name]])),
      );
    }
    expect(text.split("\n").length).toBe(count + 3);
    expect(detail).toMatchObject({
      records: count,
      estimated_records: count,
      bytes: Buffer.byteLength(text),
    });
  });

  test("CSV holds the same, and no cell is a formula", async () => {
    const { text, detail } = await exportAll(target, span);
    const [header = [], ...rows] = parseCsv(text);
    expect(header).toEqual([...names, ...proof]);
    const records = await readRecords(target, count);
    expect(rows.length).toBeGreaterThanOrEqual(count);
    for (const [index, shown] of records.entries()) {
      expect(rows[index]?.slice(0, names.length)).toEqual(names.map((name) => toCell(shown[name] ?? null)));
    }
    for (const cell of rows.flat()) expect(cell).not.toMatch(/^[=+@\t\r＝＋－＠]|^-(?!\d)/);
    expect(detail).toMatchObject({ format: "csv", sha256: new Bun.SHA256().update(text).digest("hex") });
    expect(text.startsWith("\ufeff")).toBe(false);
  });

  test("the manifest is signed and names the file", async () => {
    const { id, detail } = await exportAll(target, span);
    const note = await (await send(target, "GET", `${exportPath}/${id}/manifest`)).text();
    const publicKey = (await Bun.file(join(app.config.dataDir, "audit.pub")).text()).trim();
    const [heading, members = ""] = openNote(note, publicKey)?.split("\n") ?? [];
    expect(heading).toBe("memledger-export/v2");
    const { records: rows, bytes, sha256 } = detail;
    expect(JSON.parse(members)).toMatchObject({ export_id: id, rows, bytes, sha256, first_seq: 1 });
    expect(JSON.parse(members).verifiable).toBe(plan === "business");
  });
});

describe("a span", () => {
  test("without records gives an empty file and a manifest without positions", async () => {
    const target = to((await app.createProject("custom")).key);
    const span = { start_time: "2098-01-01", end_time: "2099-01-01" };
    const json = await exportAll(target, { ...span, format: "json" });
    expect(json.text).toBe("[\n]\n");
    const csv = await exportAll(target, span);
    expect(parseCsv(csv.text).length).toBe(1);
    expect(csv.detail).toMatchObject({ records: 0, estimated_records: 0 });
    const note = await (await send(target, "GET", `${exportPath}/${csv.id}/manifest`)).text();
    const nothing = { first_seq: null, last_seq: null, first_prev: null, last_hash: null, checkpoint: null };
    expect(JSON.parse(note.split("\n")[1] ?? "")).toMatchObject({ rows: 0, ...nothing });
  });

  test("ends before the call that exports it, and includes both of its ends", async () => {
    const target = to((await app.createProject("custom")).key);
    for (let call = 0; call < 3; call++) {
      await send(target, "GET", "/v1/memories");
      app.passTime(1_000);
    }
    const all: JsonObject[] = JSON.parse((await exportAll(target, { ...always, format: "json" })).text);
    expect(all.map(({ action }) => action)).toEqual(["memory.list", "memory.list", "memory.list"]);
    const at = String(all[1]?.created_at);
    const { text } = await exportAll(target, { start_time: at, end_time: at, format: "json" });
    expect(JSON.parse(text)).toEqual([all[1]]);
  });

  test("of one day holds the records of the whole day", async () => {
    const target = to((await app.createProject("custom")).key);
    await send(target, "GET", "/v1/memories");
    const all: JsonObject[] = JSON.parse((await exportAll(target, { ...always, format: "json" })).text);
    const day = String(all[0]?.created_at).slice(0, 10);
    const { text, detail } = await exportAll(target, { start_time: day, end_time: day, format: "json" });
    expect(JSON.parse(text).slice(0, 1)).toEqual(all);
    expect(detail).toMatchObject({ start_time: `${day}T00:00:00.000Z`, end_time: `${day}T23:59:59.999Z` });
  });
});

describe("is refused", () => {
  const post = (key: string | null, body: unknown) => app.call("POST", exportPath, { key, body });

  test.each<[string, unknown, RegExp]>([
    ["without a span", {}, /start_time/],
    ["without an end", { start_time: always.start_time }, /end_time/],
    ["with an end before the start", { start_time: always.end_time, end_time: always.start_time }, /before/],
    ["with a time that is none", { ...always, end_time: "yesterday" }, /end_time/],
    ["with another format", { ...always, format: "xml" }, /format/],
    ["with an unknown field", { ...always, actions: "memory.list" }, /actions/],
    ["with a tag that is no label", { ...always, tag: [""] }, /tag/],
  ])("%s (1400)", async (_, body, message) => {
    const reply = await post(app.apiKey, body);
    expectClean(reply, "POST", exportPath);
    expect([reply.status, reply.code]).toEqual([400, 1400]);
    expect(reply.message).toMatch(message);
  });

  test("where the plan has no export (2202), the subscription is over (2200), the permission is missing (1403)", async () => {
    const refused = async (key: string, path: string, method = "GET") => {
      const reply = await app.call(method, path, { key, ...(method === "POST" ? { body: always } : {}) });
      expectClean(reply, method, path);
      return [reply.status, reply.code];
    };
    const id = await begin(to(app.apiKey));
    await settled(to(app.apiKey), id);
    const basic = await app.createProject("basic");
    const over = await app.createProject("pro", { subscription: "expired" });
    const reader = await app.createKey(app.projectId, ["audit.read", "memory.read", "audit.write"]);
    const unknown = { key: `ml_${"0".repeat(43)}` };
    for (const path of ["", `/${id}`, `/${id}/download`, `/${id}/manifest`].map((end) => exportPath + end)) {
      expect(await refused(basic.key, path)).toEqual([403, 2202]);
      expect(await refused(over.key, path)).toEqual([403, 2200]);
      expect(await refused(reader.key, path)).toEqual([403, 1403]);
      expect(await refused(unknown.key, path)).toEqual([401, 1401]);
    }
    expect(await refused(basic.key, exportPath, "POST")).toEqual([403, 2202]);
    expect(await refused(reader.key, exportPath, "POST")).toEqual([403, 1403]);
  });

  test("before the first day of the plan's retention (2201), and not from that day on", async () => {
    const { id, key } = await app.createProject("pro", { retention_days: 2 });
    const list = () => app.call("GET", "/v1/audit/logs", { key });
    const newestAt = () => Date.parse(String(app.records(id).at(-1)?.entry.at));
    await list();
    // To noon: then the moves below cross no midnight.
    app.passTime(dayMs + dayMs / 2 - (newestAt() % dayMs));
    await list();
    const noon = newestAt();
    app.passTime(2 * dayMs + 60_000);
    await list();
    const day = new Date(noon).toISOString().slice(0, 10);
    const earliest = `${day}T00:00:00.000Z`;
    const justBefore = new Date(Date.parse(earliest) - 1).toISOString();
    for (const start_time of [always.start_time, justBefore]) {
      const reply = await post(key, { ...always, start_time });
      expectClean(reply, "POST", exportPath);
      expect([reply.status, reply.code, reply.data]).toEqual([400, 2201, { field: "start_time", earliest }]);
      expect(reply.message).toContain(`Send a start_time of ${earliest} or later`);
      app.passTime(60_000);
    }
    // What that day holds from before the retention stays hidden, and the manifest says from when on the export is whole.
    for (const start_time of [earliest, day]) {
      const { text, detail } = await exportAll(to(key), { ...always, start_time, format: "json" });
      const times = JSON.parse(text).map((record: JsonObject) => Date.parse(String(record.created_at)));
      expect(times.length).toBeGreaterThan(2);
      expect(Math.min(...times)).toBeGreaterThan(noon + 2 * dayMs);
      expect(Date.parse(String(detail.start_time))).toBeGreaterThan(noon);
    }
    const hidden = await exportAll(to(key), { start_time: day, end_time: new Date(noon).toISOString() });
    expect(hidden.detail).toMatchObject({ records: 0, start_time: hidden.detail.end_time });
  });

  test("while another one runs (2203), for this project only, and not downloadable before it ends (2206)", async () => {
    const target = to((await app.createProject("custom")).key);
    await fatten(target, 200);
    const replies = await Promise.all(Array.from({ length: 5 }, () => post(target.key, always)));
    expect(replies.map(({ code }) => code).toSorted()).toEqual([1000, 2203, 2203, 2203, 2203]);
    const id = String(replies.find(({ code }) => code === 1000)?.data.export_id);
    const begun = replies.find(({ code }) => code === 1000);
    expect(begun?.data).toEqual({
      export_id: id,
      status: "processing",
      estimated_records: 200,
      download_url: null,
    });
    for (const reply of replies) {
      expectClean(reply, "POST", exportPath);
      if (reply.code === 2203) expect(reply.data).toEqual({ export_id: id });
    }
    for (const end of ["download", "manifest"]) {
      const path = `${exportPath}/${id}/${end}`;
      const reply = await app.call("GET", path, { key: target.key });
      expectClean(reply, "GET", path);
      expect([reply.status, reply.code]).toEqual([409, 2206]);
    }
    expect((await post((await app.createProject("custom")).key, always)).code).toBe(1000);
    expect((await settled(target, id)).detail).toMatchObject({ status: "completed", records: 200 });
    const next = await post(target.key, always);
    expect(next.code).toBe(1000);
    await settled(target, String(next.data.export_id));
  });
});

test("an export of another project and one that never was give the same answer (2205)", async () => {
  const mine = to((await app.createProject("custom")).key);
  const { id } = await exportAll(mine);
  const other = to((await app.createProject("custom")).key);
  for (const end of ["", "/download", "/manifest"]) {
    const replies = [id, "019a2b3c-5f1e-7a60-8192-a3b4c5d6e7f8", "x", "..%2f..%2faudit.key"].map(
      async (name) => {
        const path = `${exportPath}/${name}${end}`;
        const reply = await app.call("GET", path, { key: other.key });
        expectClean(reply, "GET", path);
        return reply.text;
      },
    );
    const [first, ...rest] = await Promise.all(replies);
    expect(JSON.parse(first ?? "").code).toBe(2205);
    for (const text of rest) expect(text).toBe(first ?? "");
  }
  expect((await dataOf(await send(other, "GET", exportPath))).exports).toEqual([]);
  const { exports } = await dataOf(await send(mine, "GET", exportPath));
  expect(exports).toMatchObject([{ export_id: id, status: "completed" }]);
});

test("calls about exports are recorded, and downloads keep no body", async () => {
  const { id: projectId, key } = await app.createProject("custom");
  const { id } = await exportAll(to(key));
  const records = app.records(projectId).filter(({ action }) => action !== "audit.export_status");
  expect(records.map(({ action, status }) => [action, status])).toEqual([
    ["audit.export", 200],
    ["audit.export_download", 200],
  ]);
  expect(records[0]?.payload.request_body).toEqual(always);
  expect(records[1]?.payload.response_body).toBeUndefined();
  expect(await download(to(key), id)).not.toBe("");
});

test("a folder that cannot be written fails the export with a reason, and the next one succeeds", async () => {
  const target = to((await app.createProject("custom")).key);
  const folder = join(app.config.dataDir, "exports");
  const { rename, rm } = await import("node:fs/promises");
  await rename(folder, `${folder}-away`);
  await Bun.write(folder, "a file where the folder was");
  const { detail } = await settled(target, await begin(target)).finally(async () => {
    await rm(folder);
    await rename(`${folder}-away`, folder);
  });
  expect(detail).toMatchObject({ status: "failed", download_url: null, sha256: null });
  expect(String(detail.error)).toMatch(/^The server's folder for exports cannot be written \(ENOTDIR\)\.$/);
  const refused = await app.call("GET", `${exportPath}/${detail.export_id}/download`, { key: target.key });
  expect(refused.code).toBe(2206);
  expect((await exportAll(target)).detail.status).toBe("completed");
  app.complaints.length = 0;
});

test("after seven days an export is gone, its file too", async () => {
  const target = to((await app.createProject("custom")).key);
  const { id } = await exportAll(target);
  const file = join(app.config.dataDir, "exports", `${id}.csv`);
  expect(existsSync(file)).toBe(true);
  app.passTime(7 * 86_400_000 + 60_000);
  expect((await app.call("GET", `${exportPath}/${id}`, { key: target.key })).code).toBe(2205);
  expect((await dataOf(await send(target, "GET", exportPath))).exports).toEqual([]);
  const next = await exportAll(target);
  // The manifest is removed after the file.
  const isThere = () => existsSync(file) || existsSync(`${file}.manifest`);
  for (let waitedMs = 0; isThere() && waitedMs < 5_000; waitedMs += 50) await Bun.sleep(50);
  expect((await readdir(join(app.config.dataDir, "exports"))).toSorted()).toEqual([
    `${next.id}.csv`,
    `${next.id}.csv.manifest`,
  ]);
});
