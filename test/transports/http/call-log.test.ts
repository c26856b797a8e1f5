// What the log of a real server says about calls, administration, start and stop, and that nothing secret is in it.

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { openChannel } from "../../../src/assistants/local-access/open-channel.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { locate } from "../../../src/server/data-directory/data-directory.ts";
import {
  call,
  cleanUp,
  createFact,
  createFolder,
  type Running,
  run,
  runJson,
  serve,
} from "../../cli/command.ts";

afterAll(cleanUp);

const atInfo = ["--log-level", "info"];

/** Ends the server. @returns the lines of its log. */
async function logOf(server: Running): Promise<JsonObject[]> {
  const { stderr } = await server.end("SIGTERM");
  return linesOf(stderr);
}

function linesOf(log: string): JsonObject[] {
  return log
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line))
    .filter(isObject);
}

const ofMessage = (lines: readonly JsonObject[], message: string) =>
  lines.filter((line) => line.message === message);

test("start and stop have one line each", async () => {
  const dataDir = createFolder();
  const server = await serve(dataDir, atInfo);
  const lines = await logOf(server);
  expect(ofMessage(lines, "server started")).toEqual([
    expect.objectContaining({
      level: "info",
      url: server.url,
      data_directory: dataDir,
      commit: "source",
      extractor: "built-in",
      version: expect.any(String),
      format: expect.any(Number),
      model: expect.any(String),
    }),
  ]);
  expect(lines.at(-1)).toEqual(
    expect.objectContaining({
      level: "info",
      message: "server stopped",
      cause: "SIGTERM",
      uptime_seconds: expect.any(Number),
      stop_ms: expect.any(Number),
    }),
  );
});

test("each refused call of a key has a line with its record; without a valid key, the first one of a code has, and the others are counted", async () => {
  const server = await serve(createFolder(), atInfo);
  const { api_key: key, project_id: project } = server.ready;
  const wrongKey = `ml_${"x".repeat(43)}`;
  for (let sent = 0; sent < 5; sent++) {
    expect((await call(server.url, wrongKey, "/v1/memories?memory_type=fact")).status).toBe(401);
  }
  for (let sent = 0; sent < 12; sent++) {
    expect((await createFact(server.url, key, "")).status).toBe(400);
  }
  const found = await call(server.url, key, "/v1/audit/logs?action=memory.create&page_size=50");
  const records = ((await found.json()) as { data: { logs: { id: string }[] } }).data.logs;
  expect((await createFact(server.url, key, "A secret text.")).status).toBe(201);
  expect((await fetch(`${server.url}/private/${wrongKey}`)).status).toBe(404);
  const lines = await logOf(server);
  expect(JSON.stringify(lines)).not.toMatch(/ml_|secret text|memory_type/);
  const [{ uptime_seconds: uptime } = {}] = ofMessage(lines, "server stopped");
  for (const { seconds } of ofMessage(lines, "calls refused"))
    expect(Number(seconds)).toBeLessThanOrEqual(Math.ceil(Number(uptime)) + 1);
  expect(ofMessage(lines, "call refused")).toEqual([
    expect.objectContaining({
      code: 1401,
      status: 401,
      operation: "memory.list",
      method: "GET",
      path: "/v1/memories",
      project: null,
      key: null,
      network: "127.0.0.0/24",
      record: expect.any(String),
    }),
    ...records
      .toReversed()
      .slice(0, 10)
      .map(({ id }) =>
        expect.objectContaining({
          level: "info",
          code: 1400,
          operation: "memory.create",
          project,
          key: expect.any(String),
          record: id,
          duration_ms: expect.any(Number),
        }),
      ),
    expect.objectContaining({ code: 1404, status: 404, operation: null, method: "GET", path: null }),
  ]);
  expect(ofMessage(lines, "calls refused")).toEqual([
    expect.objectContaining({
      code: 1401,
      calls: 4,
      by: [{ project: null, key: null, network: "127.0.0.0/24", calls: 4 }],
    }),
    expect.objectContaining({ code: 1400, calls: 2, by: [expect.objectContaining({ project, calls: 2 })] }),
  ]);
  expect(ofMessage(lines, "call")).toEqual([]);
});

test("a call over the local socket that is refused has a line with its record, too", async () => {
  const dataDir = createFolder();
  const server = await serve(dataDir, atInfo);
  const { project_id: project, api_key: key } = server.ready;
  const channel = openChannel({ dataDir, project: "default", start: false });
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ content: "A secret text.", memory_type: "nonsense" });
  expect((await channel.fetch("/v1/memories", { method: "POST", headers, body })).status).toBe(400);
  const malformed = { unix: locate(dataDir).socket, headers: { "Memledger-Caller": "%" } };
  expect((await fetch("http://localhost/v1/memories", malformed)).status).toBe(400);
  const found = await call(server.url, key, "/v1/audit/logs?action=memory.create");
  const [record] = ((await found.json()) as { data: { logs: { id: string }[] } }).data.logs;
  const lines = await logOf(server);
  expect(JSON.stringify(lines)).not.toMatch(/ml_|secret text|nonsense/);
  expect(ofMessage(lines, "call refused")).toEqual([
    expect.objectContaining({
      code: 1400,
      operation: "memory.create",
      path: "/v1/memories",
      record: record?.id,
      project,
      key: expect.any(String),
      network: null,
    }),
    expect.objectContaining({ code: 1400, operation: null, record: null, key: null, network: null }),
  ]);
});

test("with access-log every call has a line without its content", async () => {
  const server = await serve(createFolder(), [...atInfo, "--access-log", "true"]);
  const { api_key: key, project_id: project } = server.ready;
  const created = await createFact(server.url, key, "Nobody reads this in a log.");
  const text = await created.text();
  const { data } = JSON.parse(text) as { data: { id: string } };
  await (await call(server.url, key, `/v1/memories/${data.id}`)).text();
  await (await call(server.url, "nothing", "/v1/memories?page=2")).text();
  await (await fetch(`${server.url}/health/ready`)).text();
  const lines = await logOf(server);
  expect(JSON.stringify(lines)).not.toMatch(/Nobody reads|ml_|page=2/);
  expect(JSON.stringify(lines)).not.toContain(data.id);
  const caller = { project, key: expect.any(String), address: "127.0.0.1", duration_ms: expect.any(Number) };
  expect(ofMessage(lines, "call")).toEqual([
    expect.objectContaining({
      method: "POST",
      path: "/v1/memories",
      operation: "memory.create",
      status: 201,
      code: 1000,
      ...caller,
      bytes: Buffer.byteLength(text),
      time: expect.stringMatching(/Z$/),
    }),
    expect.objectContaining({
      method: "GET",
      path: "/v1/memories/:memory_id",
      operation: "memory.read",
      status: 200,
      code: 1000,
      ...caller,
    }),
    expect.objectContaining({
      method: "GET",
      path: "/v1/memories",
      operation: "memory.list",
      status: 401,
      code: 1401,
      project: null,
      key: null,
      address: "127.0.0.1",
    }),
  ]);
});

test("administration has a line each, through the server and without one, and never a secret", async () => {
  const dataDir = createFolder();
  const server = await serve(dataDir, atInfo);
  const at = ["--data-dir", dataDir];
  const made = await runJson(["project", "create", "--name", "shop", ...at]);
  const key = await runJson(["key", "create", "--project", "shop", "--permissions", "memory.read", ...at]);
  const secret = String(key.object.key);
  // Where the id of a key belongs, the command sends no secret; a name may still contain one.
  expect((await run(["key", "revoke", secret, ...at])).exitCode).toBe(2);
  expect((await run(["key", "revoke", `key ${secret}`, ...at])).exitCode).toBe(2);
  expect((await run(["project", "update", `key ${secret}`, "--plan", "pro", ...at])).exitCode).toBe(1);
  expect((await run(["project", "update", "no such", "--plan", "pro", ...at])).exitCode).toBe(1);
  const lines = await logOf(server);
  expect(JSON.stringify(lines)).not.toContain(secret);
  const signInSecret = new URL(String(server.ready.console_link)).hash.slice(1);
  expect(signInSecret).toStartWith("mlk_");
  expect(JSON.stringify(lines)).not.toContain(signInSecret);
  const line = (operation: string, code: number, fields: JsonObject) =>
    expect.objectContaining({ level: "info", operation, code, ...fields });
  expect(ofMessage(lines, "administration")).toEqual([
    line("project.create", 1000, { project: server.ready.project_id ?? "" }),
    line("key.create", 1000, { project: server.ready.project_id ?? "", key: expect.any(String) }),
    line("session.link", 1000, {}),
    line("project.create", 1000, { project: String(made.object.id) }),
    line("key.create", 1000, { project: String(made.object.id), key: String(key.object.id) }),
    // The command asks what a shorter retention would delete before it changes anything.
    line("project.preview_retention", 1400, { project: "(hidden)", audit_record: expect.any(String) }),
    line("project.preview_retention", 1400, { project: "no such", audit_record: expect.any(String) }),
  ]);
  const direct = await run(["key", "revoke", String(key.object.id), ...at]);
  const told = direct.stderr.split("\n").filter((text) => text.includes('"administration"'));
  expect(told.map((text) => JSON.parse(text))).toEqual([
    line("key.revoke", 1000, { project: String(made.object.id), key: String(key.object.id) }),
  ]);
});

test("checkpoints and retention name their project", async () => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../audit/old-records.ts")], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const project = stdout.trim();
  const lines = linesOf(stderr);
  const chain = expect.any(String);
  const retention = ofMessage(lines, "retention");
  const ofProject = retention.filter((line) => line.project !== null);
  // The clock of the test also starts the hourly sweep, which may log another line after these.
  expect(ofProject.slice(0, 2)).toEqual([
    expect.objectContaining({ level: "info", project, chain, payloads_through: 5 }),
    expect.objectContaining({ level: "info", project, chain, records: 7, through: 7 }),
  ]);
  expect(ofProject.every((line) => line.project === project)).toBe(true);
  // The payloads of the installation's chain have the same age.
  expect(retention).toContainEqual(expect.objectContaining({ project: null, chain, payloads_through: 6 }));
  const covered = ofMessage(lines, "checkpoint").map((line) => line.project);
  expect(covered).toContain(project);
  // The chain of the installation.
  expect(covered).toContain(null);
});
