// A request that is passed on has a record, whatever becomes of the server: of what is left of a killed one the next start makes it. What
// cannot be committed is not sent.

import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { prepareRuntime } from "../../src/platform/native/runtime.ts";
import { openDatabase } from "../../src/platform/native/sqlite.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { longRequest } from "../attack/long-requests.ts";
import { cleanUp, createFolder, runJson, serve } from "../cli/command.ts";
import { startTestApp } from "../fixture.ts";
import { startFakeUpstream } from "./fake-upstream.ts";

const upstream = await startFakeUpstream();
afterAll(async () => {
  await cleanUp();
  await upstream.close();
});
const toml = `[[gateway.upstreams]]\nname = "fake"\nbase-url = "${upstream.origin}/v1"\nmodels = ["fake"]\nmemory = false\n`;
const post = (url: string, key: string, body: string) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "memledger-on-behalf-of": "ana@example.com",
    },
    body,
  });

test("requests that a killed server has passed on are recorded once by the next start, with an unknown outcome", async () => {
  const dataDir = createFolder();
  writeFileSync(join(dataDir, "memledger.toml"), toml);
  const first = await serve(dataDir);
  const key = String(first.ready.api_key);
  const hanging = () => ({ body: ["{", "}"], end: "hang" as const });
  upstream.answerWith(hanging);
  const asked = await Promise.all(
    [2, 3_000].map((messages) => post(first.url, key, longRequest("fake", messages))),
  );
  const ids = asked.map(({ headers }) => String(headers.get("memledger-record")));
  upstream.answerWith(null);
  expect((await post(first.url, key, longRequest("fake", 1))).status).toBe(200);
  await first.end("SIGKILL");
  // Kept until here, because a response that nobody holds is closed.
  for (const response of asked) await response.text().catch(() => {});

  const second = await serve(dataDir);
  const list = await fetch(`${second.url}/v1/audit/logs?action=gateway.chat&on_behalf_of=ana@example.com`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { data } = (await list.json()) as { data: JsonObject };
  const records = (Array.isArray(data.logs) ? data.logs : []).filter(isObject);
  const left = records.filter(({ id }) => ids.includes(String(id)));
  expect([records.length, left.length]).toEqual([3, 2]);
  for (const record of left) {
    expect(record).toMatchObject({ is_success: false, http_status: 503, error_code: 1503 });
    expect(String(record.error_msg)).toContain("outcome is unknown");
  }
  await second.end("SIGTERM");
  const verify = async () => (await runJson(["audit", "verify", "--data-dir", dataDir])).object;
  const { records: count } = await verify();
  // What another program writes while no server runs does not become a record.
  const forged = new Database(join(dataDir, "memledger.db"));
  forged.run(
    "INSERT INTO open_exchange (record, key, action, payload, kept, seal) VALUES ('forged', ?, 'gateway.chat', '{}', NULL, 'c2VhbA==')",
    [String(records[0]?.key_id)],
  );
  forged.close();
  const third = await serve(dataDir);
  await third.end("SIGTERM");
  expect(await verify()).toMatchObject({ records: count, failure: null, contradiction: null });
});

test("nothing is sent to an upstream if that cannot be committed", async () => {
  const app = await startTestApp({}, undefined, undefined, toml);
  upstream.answerWith(null);
  const { database: path, runtime } = locate(app.config.dataDir);
  const database = openDatabase(path, prepareRuntime(runtime));
  database.exec("BEGIN IMMEDIATE");
  const received = upstream.received.length;
  const refused = await post(app.url, app.apiKey, longRequest("fake", 1));
  expect([refused.status, upstream.received.length]).toEqual([503, received]);
  database.exec("ROLLBACK");
  const accepted = await post(app.url, app.apiKey, longRequest("fake", 1));
  expect([accepted.status, (await accepted.text()) === ""]).toEqual([200, false]);
  expect(database.prepare("SELECT record FROM open_exchange").all()).toEqual([]);
  database.close();
  app.complaints.length = 0;
  await app.stop();
});
