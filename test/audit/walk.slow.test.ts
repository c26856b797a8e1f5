// Walks the ledger as its users and an auditor do, with the real command line: what each plan shows, and that an export with a
// checkpoint proves itself in another folder when nothing of the server is left.

import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { permissions } from "../../src/access/key.ts";
import type { PlanName } from "../../src/access/plan.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { changeDatabase } from "../cli/change-database.ts";
import { call, cleanUp, createFolder, run, runJson, serve } from "../cli/command.ts";
import { toReply } from "../fixture.ts";
import { objectsOf } from "./model-call.ts";

afterAll(cleanUp);

const dayMs = 86_400_000;
const logs = "/v1/audit/logs";

async function ask(url: string, key: unknown, method: string, path: string, body?: JsonObject) {
  const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await call(url, key, path, init);
  return toReply(response.status, response.headers, await response.text());
}

describe("a project on each plan", async () => {
  const dataDir = createFolder();
  const { url } = await serve(dataDir);
  const at = ["--data-dir", dataDir];
  const command = async (...words: string[]) => {
    const { exitCode, object } = await runJson([...words, "--data-dir", dataDir]);
    expect(exitCode).toBe(0);
    return object;
  };

  test.each<[PlanName, number | null, { hash: boolean; export: boolean; memory: boolean }]>([
    ["free", 7, { hash: false, export: false, memory: false }],
    ["basic", 30, { hash: false, export: false, memory: true }],
    ["pro", 90, { hash: false, export: true, memory: true }],
    ["business", 365, { hash: true, export: true, memory: true }],
    ["custom", null, { hash: true, export: true, memory: true }],
  ])("%s", async (plan, days, has) => {
    await command("project", "create", "--name", plan, "--plan", plan);
    // A key for each few calls: the smallest plan allows five at once.
    const newKey = () => command("key", "create", "--project", plan, "--permissions", permissions.join(","));
    let { key } = await newKey();
    const memory = { content: "The sky is blue.", memory_type: "fact" };
    expect((await ask(url, key, "POST", "/v1/memories", memory)).code).toBe(has.memory ? 1000 : 2106);
    const appended = await ask(url, key, "POST", logs, { action: "gateway.chat", http_status: 200 });
    const hash = has.hash ? expect.stringMatching(/^[0-9a-f]{64}$/) : null;
    expect([appended.status, appended.data.hash]).toEqual([201, hash]);

    // Retention clamps a list without an error.
    const list = await ask(url, key, "GET", `${logs}?start_time=2000-01-01`);
    expect([list.status, list.data.total]).toEqual([200, 2]);
    for (const record of objectsOf(list.data.logs)) expect(record.hash).toEqual(hash);
    expect((await ask(url, key, "GET", "/v1/audit/checkpoint")).code).toBe(has.hash ? 1000 : 2207);

    ({ key } = await newKey());
    const end_time = "2100-01-01";
    const begun = await ask(url, key, "POST", `${logs}/export`, { start_time: "2000-01-01", end_time });
    expect(begun.code).toBe(has.export ? (days === null ? 1000 : 2201) : 2202);
    if (begun.code === 2201 && days !== null) {
      const start_time = String(begun.data.earliest);
      const floor = Date.now() - days * dayMs;
      expect(Math.abs(floor - (floor % dayMs) - Date.parse(start_time))).toBeOneOf([0, dayMs]);
      const again = await ask(url, key, "POST", `${logs}/export`, { start_time, end_time });
      expect([again.code, again.data.estimated_records]).toEqual([1000, 5]);
    }

    const refused = await runJson([...["project", "update", plan, "--retention-days", "0", "--yes"], ...at]);
    expect([refused.exitCode, refused.object.error]).toMatchObject([1, { code: 1400 }]);
    // Programs up to 0.1.0 accepted 0, so a database may hold it.
    changeDatabase(dataDir, `UPDATE project SET retention_days = 0 WHERE name = '${plan}'`);
    await command("project", "update", plan, "--credits", "1000");
    expect((await ask(url, key, "GET", logs)).data).toMatchObject({ total: 0, logs: [] });
    const hidden = await ask(url, key, "GET", `${logs}/${appended.data.id}`);
    expect(hidden.code).toBe(2204);

    ({ key } = await newKey());
    await command("project", "update", plan, "--subscription", "expired");
    expect((await ask(url, key, "GET", logs)).code).toBe(2200);
    expect((await ask(url, key, "POST", `${logs}/export`, { start_time: "2100-01-01", end_time })).code).toBe(
      2200,
    );
  });
});

describe("an export", async () => {
  const [dataDir, elsewhere] = [createFolder(), createFolder()];
  const server = await serve(dataDir);
  const records = 2_000;
  const chosen = 1_234;
  let next = 1;
  const append = async () => {
    for (let number = next++; number <= records; number = next++) {
      const body = { action: "gateway.chat", http_status: 200, output_content: `answer ${number}.` };
      expect((await ask(server.url, server.ready.api_key, "POST", logs, body)).status).toBe(201);
    }
  };
  await Promise.all(Array.from({ length: 32 }, append));
  const file = join(elsewhere, "ledger.csv");
  const note = join(elsewhere, "kept.note");
  const span = ["--project", "default", "--from", "2000-01-01", "--to", "2100-01-01"];
  const exported = await runJson(["audit", "export", "--data-dir", dataDir, ...span, "--out", file]);
  writeFileSync(
    note,
    (await run(["audit", "checkpoint", "--data-dir", dataDir, "--project", "default"])).stdout,
  );
  copyFileSync(join(dataDir, "audit.pub"), join(elsewhere, "kept.pub"));
  await server.end("SIGTERM");
  rmSync(dataDir, { recursive: true });
  const kept = ["--public-key", join(elsewhere, "kept.pub"), "--checkpoint", note];

  test("verifies with nothing but the public key and a checkpoint", async () => {
    expect([exported.exitCode, exported.object.records]).toEqual([0, records]);
    const copy = copyTo(createFolder(), file);
    const { exitCode, object } = await runJson(["audit", "verify", copy, ...kept]);
    expect([exitCode, object]).toMatchObject([0, { verdict: "intact", records, failure: null }]);
  });

  test.each([
    ["an answer", (number: number) => `answer ${number}.`, "answer"],
    ["a hash", () => /,[0-9a-f]{64},/, ","],
  ])("with one byte of %s changed names the record", async (_, what, start) => {
    const lines = readFileSync(file, "utf8").split("\r\n");
    const at = lines.findIndex((line) => line.includes(`""seq"":${chosen},`));
    const line = lines[at] ?? "";
    const number = Number(/answer (\d+)\./.exec(line)?.[1]);
    const place = line.search(what(number)) + start.length;
    const copy = copyTo(createFolder(), file);
    const changed = String.fromCharCode(line.charCodeAt(place) ^ 1);
    lines[at] = line.slice(0, place) + changed + line.slice(place + 1);
    writeFileSync(copy, lines.join("\r\n"));

    const { exitCode, object } = await runJson(["audit", "verify", copy, ...kept]);
    expect([exitCode, object.verdict]).toEqual([20, "broken"]);
    expect(isObject(object.failure) ? object.failure.seq : null).toBe(chosen);
    const told = await run(["audit", "verify", copy, ...kept]);
    expect([told.exitCode, told.stdout]).toEqual([20, expect.stringMatching(/1,?234/)]);
  });
});

/** The file and its manifest, under the same names. */
function copyTo(folder: string, file: string): string {
  for (const each of [file, `${file}.manifest`]) copyFileSync(each, join(folder, basename(each)));
  return join(folder, basename(file));
}
