// The records that `memledger audit list` shows, of a project and of the installation, to an administrator who has no API key.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { dataOf, send } from "../audit/export/exporting.ts";
import { call, cleanUp, createFolder, type Running, run, runJson, serve } from "./command.ts";

afterAll(cleanUp);

const dataDir = createFolder();
let server: Running;
let memoryId = "";
const list = (...words: string[]) => runJson(["audit", "list", ...words, "--data-dir", dataDir]);
const logsOf = ({ logs }: JsonObject) => (Array.isArray(logs) ? logs.filter(isObject) : []);
const actionsOf = (page: JsonObject) => logsOf(page).map(({ action }) => action);

beforeAll(async () => {
  server = await serve(dataDir);
  const target = { url: server.url, key: String(server.ready.api_key) };
  const described = { tags: ["release", "ops"], metadata: { team: "payments" } };
  const body = { content: "Releases go out on Tuesdays.", memory_type: "fact", ...described };
  memoryId = String((await dataOf(await send(target, "POST", "/v1/memories", { body }))).id);
  await call(server.url, server.ready.api_key, `/v1/memories/${memoryId}`);
  await call(server.url, server.ready.api_key, "/v1/memories/00000000000000000000000000000000");
  await call(server.url, "ml_nobody");
  await run(["project", "create", "--name", "other", "--plan", "basic", "--data-dir", dataDir]);
});

describe("while the server runs", () => {
  test("a project has the records of its calls, and no others", async () => {
    const { object, exitCode } = await list("--project", "default");
    expect([exitCode, object.total, object.next_cursor]).toEqual([exitCodes.done, 3, null]);
    expect(actionsOf(object)).toEqual(["memory.read", "memory.read", "memory.create"]);
    const [newest] = logsOf(object);
    expect(newest).toMatchObject({ http_status: 404, error_code: 2100, hash: expect.any(String), seq: 3 });
    expect((await list("--project", "other")).object).toEqual({ logs: [], total: 0, next_cursor: null });
  });

  test("the installation has administration and calls without a valid key, and each list", async () => {
    const { object } = await list();
    expect(actionsOf(object)).toContain("project.create");
    const withoutKey = logsOf(object).find(({ http_status }) => http_status === 401);
    expect(withoutKey).toMatchObject({ action: "memory.list", error_code: 1401, project_id: null });
    const again = await list("--action", "audit.list_chain");
    expect(Number(again.object.total)).toBeGreaterThan(0);
    expect(again.stdout).not.toContain("Tuesdays");
  });

  test("filters and pages", async () => {
    const ofDefault = async (...words: string[]) => (await list("--project", "default", ...words)).object;
    expect(actionsOf(await ofDefault("--action", "memory.create"))).toEqual(["memory.create"]);
    expect(await ofDefault("--memory", memoryId)).toMatchObject({ total: 2 });
    expect(actionsOf(await ofDefault("--status", "4xx"))).toEqual(["memory.read"]);
    expect(await ofDefault("--key", "00000000000000000000000000000000")).toMatchObject({ total: 0 });
    expect(await ofDefault("--from", "2020-01-01", "--to", "2020-12-31")).toMatchObject({ total: 0 });
    expect(await ofDefault("--from", "2020-01-01", "--to", "2099-12-31")).toMatchObject({ total: 3 });
    expect(await ofDefault("--tag", "release", "--tag", "ops")).toMatchObject({ total: 2 });
    expect(await ofDefault("--tag", "release", "--tag", "other")).toMatchObject({ total: 0 });
    expect(await ofDefault("--metadata", '{"team": "payments"}')).toMatchObject({ total: 2 });
    expect(await ofDefault("--subject", "user:42")).toMatchObject({ total: 0 });
    const first = await ofDefault("--page-size", "2");
    expect([logsOf(first).map(({ seq }) => seq), first.total]).toEqual([[3, 2], 3]);
    const second = await ofDefault("--page-size", "2", "--cursor", String(first.next_cursor));
    expect([logsOf(second).map(({ seq }) => seq), second.next_cursor]).toEqual([[1], null]);
  });

  test("one record is shown with what was sent and answered, in any chain", async () => {
    const show = (id: unknown) => runJson(["audit", "show", String(id), "--data-dir", dataDir]);
    const [created] = logsOf((await list("--project", "default", "--action", "memory.create")).object);
    const shown = await show(created?.id);
    expect(shown.object).toMatchObject({
      id: created?.id ?? "",
      action: "memory.create",
      request_body: expect.objectContaining({ content: "Releases go out on Tuesdays." }),
      response_body: { data: { id: memoryId } },
      hash: expect.any(String),
    });
    const [administration] = logsOf((await list("--action", "project.create")).object);
    expect((await show(administration?.id)).object).toMatchObject({ request_body: { name: "other" } });
    // Its own record says which record was shown, and not what is in it.
    const [own] = logsOf((await list("--action", "audit.show_record")).object);
    const { stdout, object } = await show(own?.id);
    expect([object.request_body, stdout.includes("Tuesdays")]).toEqual([
      { record: administration?.id ?? "" },
      false,
    ]);
    const text = (
      await run(["audit", "show", ` ${String(created?.id).toUpperCase()}`, "--data-dir", dataDir])
    ).stdout;
    expect(text).toMatch(/^request_body +\{"content":"Releases go out on Tuesdays\."/m);
  });

  test.each(["0".repeat(32), "tea"])("a record %p that does not exist is refused", async (id) => {
    const { exitCode, stderr } = await run(["audit", "show", id, "--data-dir", dataDir]);
    expect([exitCode, stderr]).toEqual([
      exitCodes.failed,
      expect.stringContaining("The audit record does not exist."),
    ]);
  });

  test("the table names the command of the next page", async () => {
    const { stdout } = await run([
      "audit",
      "list",
      "--project",
      "default",
      "--page-size",
      "1",
      "--data-dir",
      dataDir,
    ]);
    const [head = "", row = ""] = stdout.split("\n");
    expect(head).toMatch(/^time +action +status +code +key +memory +id$/);
    expect(row).toMatch(/^\S+Z +memory.read +404 +2100 +[0-9a-f]{32} +0{32} +[0-9a-f]{32}$/);
    expect(stdout).toMatch(/1 of 3 records, newest first\. To show older ones, .* --cursor \S+\n$/);
  });

  test.each([
    [["--project", "nobody"], exitCodes.failed, 'There is no project "nobody"'],
    [["--from", "soon"], exitCodes.failed, "--from must be"],
    [["--from", "2026-02-02", "--to", "2026-01-01"], exitCodes.failed, "--to is before --from"],
    [["--status", "3xx"], exitCodes.failed, "--status must be"],
    [["--memory", "tea"], exitCodes.failed, "--memory"],
    [["--tag", "ops"], exitCodes.failed, "--tag selects records of a project; name the project, too"],
    [["--metadata", "ops"], exitCodes.usage, "--metadata must be a JSON object"],
    [["--page-size", "many"], exitCodes.usage, '--page-size must be a whole number, not "many".'],
    [["--page-size", "101"], exitCodes.failed, "--page-size must be"],
    [["--cursor", "x"], exitCodes.failed, "--cursor is not a valid cursor"],
  ])("%j is refused", async (words, exitCode, message) => {
    const refused = await list(...words);
    expect([refused.exitCode, refused.stderr]).toEqual([exitCode, expect.stringContaining(message)]);
  });
});

test("without a server the command reads the database itself, and its records are there, too", async () => {
  await server.end("SIGTERM");
  const { object } = await list("--project", "default", "--status", "2xx");
  expect(actionsOf(object)).toEqual(["memory.read", "memory.create"]);
  const before = Number((await list("--action", "audit.list_chain")).object.total);
  expect((await list("--action", "audit.list_chain")).object.total).toBe(before + 1);
});
