// Proves what a clock that jumps does to the ledger: nothing is lost, lists and exports go by the recorded times, and the log warns.

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { pruneRecords } from "../../src/calls/operations/ledger/prune.ts";
import { openReading } from "../../src/engines/sqlite/database-file/connection.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { prepareRuntime } from "../../src/platform/native/runtime.ts";
import { call, cleanUp, serve } from "../cli/command.ts";
import { startTestApp } from "../fixture.ts";
import { always, exportAll } from "./export/exporting.ts";

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const app = await startTestApp();
afterAll(async () => {
  await app.stop();
  await cleanUp();
});

const read = (key: string) => app.call("GET", "/v1/memories", { key });
const seqsOf = (projectId: string) => app.records(projectId).map(({ entry }) => Number(entry.seq));

async function list(key: string, query = "") {
  const { status, data } = await app.call("GET", `/v1/audit/logs?page_size=100${query}`, { key });
  expect(status).toBe(200);
  const logs = Array.isArray(data.logs) ? data.logs.filter(isObject) : [];
  return {
    ids: logs.map(({ id }) => id),
    times: logs.map(({ created_at }) => String(created_at)),
    total: data.total,
  };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500 && !(await holds()); tries++) await Bun.sleep(20);
  expect(await holds()).toBe(true);
}

test("after a jump forward and back every record is listed and exported, by the time that was recorded", async () => {
  const { id, key } = await app.createProject("custom");
  await read(key);
  app.setClock(2 * hourMs);
  await read(key);
  app.setClock(-2 * hourMs);
  for (let count = 0; count < 3; count++) await read(key);
  const ids = app.records(id).map(({ entry }) => entry.id);
  const all = await list(key);
  expect(all.ids).toEqual(ids.toReversed());
  expect(all.times).toEqual(all.times.toSorted().toReversed());
  // Records since the jump carry the time of the newest, so a span finds them where they are recorded.
  const [newest = ""] = all.times;
  expect(Date.parse(newest)).toBeGreaterThan(Date.now() + hourMs);
  expect((await list(key, `&start_time=${newest}&end_time=${newest}&action=memory.list`)).total).toBe(4);
  const present = new Date(Date.now() + minuteMs).toISOString();
  expect((await list(key, `&end_time=${present}`)).ids).toEqual(ids.slice(0, 1));
  expect((await list(key, `&start_time=${present}&action=memory.list`)).total).toBe(4);
  const before = app.records(id).map(({ entry }) => entry.id);
  const { text } = await exportAll({ url: app.url, key }, { ...always, format: "json" });
  expect(JSON.parse(text).map((record: JsonObject) => record.id)).toEqual(before);
  expect((await app.call("GET", "/v1/audit/verify", { key })).data).toMatchObject({ verdict: "unattested" });
});

test("retention does not remove records because the clock jumped forward, until it has kept that time for a day", async () => {
  const { id, key } = await app.createProject("basic");
  for (let count = 0; count < 5; count++) await read(key);
  app.passTime(31 * dayMs);
  for (let count = 0; count < 5; count++) await read(key);
  app.setClock(400 * dayMs);
  await app.administer(pruneRecords, {});
  await until(() => seqsOf(id)[0] === 6);
  expect(seqsOf(id)).toEqual([6, 7, 8, 9, 10, 11]);
  app.passTime(dayMs);
  await app.administer(pruneRecords, {});
  await until(() => seqsOf(id)[0] === 11);
  app.setClock(-400 * dayMs);
});

test("checkpoints and the last use of a key do not wait until a clock that was set back has caught up", async () => {
  const { id, key } = await app.createProject("custom");
  const path = join(app.config.dataDir, "memledger.db");
  const database = openReading({ path, runtime: prepareRuntime("unused-from-source") });
  const newest = database
    .prepare<[string], number | null>(
      `SELECT MAX(size) FROM audit_checkpoint WHERE chain =
         (SELECT number FROM audit_chain WHERE project = (SELECT serial FROM project WHERE id = ?))`,
    )
    .pluck();
  const lastUsed = database
    .prepare<[string], number | null>(
      "SELECT last_used_at FROM api_key WHERE project = (SELECT serial FROM project WHERE id = ?)",
    )
    .pluck();
  app.setClock(400 * dayMs);
  await read(key);
  expect((await app.call("GET", "/v1/audit/checkpoint", { key })).data.size).toBe(1);
  await until(() => lastUsed.get(id) !== null);
  const ahead = Number(lastUsed.get(id));
  app.setClock(-400 * dayMs);
  await read(key);
  await until(() => Number(newest.get(id)) >= 3 && Number(lastUsed.get(id)) < ahead - 399 * dayMs);
  database.close();
});

test("the log warns once when the clock is behind the newest record", async () => {
  app.setClock(2 * hourMs);
  await read(app.apiKey);
  app.setClock(-2 * hourMs);
  await app.restart(async () => {
    const server = await serve(app.config.dataDir);
    for (let count = 0; count < 3; count++) expect((await call(server.url, app.apiKey)).status).toBe(200);
    const { stderr } = await server.end("SIGTERM");
    const warnings = stderr.split("\n").filter((line) => line.includes("behind the newest audit record"));
    expect(warnings).toHaveLength(1);
    expect(JSON.parse(warnings[0] ?? "")).toMatchObject({ level: "warn", newest_record: expect.any(String) });
  });
});
