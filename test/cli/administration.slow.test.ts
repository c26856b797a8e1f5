// Projects and keys from the command line, with a server and without one.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { userDataDirectory } from "../../src/server/config/user-data-directory.ts";
import { call, cleanUp, createFact, createFolder, type Running, run, runJson, serve } from "./command.ts";

afterAll(cleanUp);

describe("while the server runs", () => {
  const dataDir = createFolder();
  let server: Running;
  beforeAll(async () => {
    server = await serve(dataDir);
  });
  const json = (...words: string[]) => runJson([...words, "--data-dir", dataDir]);

  test("a project and a key that works at once", async () => {
    const project = await json("project", "create", "--name", "shop", "--plan", "pro");
    expect(project.object).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: "shop",
      plan: "pro",
      subscription: "active",
      credits: null,
      memory_limit: null,
      passage_limit: null,
      retention_days: null,
      created_at: expect.any(String),
    });
    const key = await json(
      "key",
      "create",
      "--project",
      "shop",
      "--permissions",
      "memory.read, memory.write",
    );
    expect(key.object).toEqual(
      expect.objectContaining({
        key: expect.stringMatching(/^ml_/),
        project_id: project.object.id ?? "",
        permissions: ["memory.read", "memory.write"],
        expires_at: null,
      }),
    );
    expect((await createFact(server.url, key.object.key, "Made while the server ran.")).status).toBe(201);

    const keys = await json("key", "list", "--project", String(project.object.id));
    expect(keys.json).toEqual([expect.objectContaining({ id: key.object.id ?? "" })]);
    expect(keys.stdout).not.toContain("ml_");

    expect((await json("key", "revoke", String(key.object.id))).object.revoked_at).toBeString();
    expect((await call(server.url, key.object.key)).status).toBe(401);
  });

  test("what a key says about requests to the gateway is set with the key and changed later, with a record", async () => {
    await json("project", "create", "--name", "chats", "--plan", "pro");
    const created = await json(
      ...["key", "create", "--project", "chats", "--permissions", "memory.read"],
      ...["--gateway-memory", "off", "--gateway-budget", "4000", "--remember", "on"],
    );
    const id = String(created.object.id);
    const nothing = { memory_floor: null, memory_tags: null, memory_failure: null };
    const first = { memory: false, memory_budget: 4000, remember: true, ...nothing };
    expect(created.object.gateway).toEqual(first);
    const changed = await json(
      ...["key", "update", id, "--gateway-memory", "default", "--gateway-floor", "0.35"],
      ...["--gateway-tags", " team:b,team:a", "--gateway-failure", "closed"],
    );
    const second = {
      memory: null,
      memory_budget: 4000,
      memory_floor: 0.35,
      memory_tags: ["team:a", "team:b"],
      memory_failure: "closed",
      remember: true,
    };
    expect(changed.object.gateway).toEqual(second);
    const shown = await run(["key", "list", "--project", "chats", "--data-dir", dataDir]);
    expect(shown.stdout).toContain("memory_budget=4000 memory_floor=0.35 memory_tags=team:a,team:b");
    const listed = await json("key", "list", "--project", "chats");
    expect(listed.json).toEqual([expect.objectContaining({ id, gateway: second })]);
    const all = ["--gateway-budget", "--gateway-floor", "--gateway-tags", "--gateway-failure", "--remember"];
    const removed = await json("key", "update", id, ...all.flatMap((flag) => [flag, "default"]));
    expect(removed.object.gateway).toBeNull();
    const { stdout } = await json("audit", "list", "--action", "key.update");
    expect(stdout.match(/"action":"key\.update"/g)).toHaveLength(2);
    await json("project", "delete", "chats", "--yes");
  });

  test.each<[string[], number, string]>([
    [["no-such-key", "--gateway-memory", "on"], 1, 'There is no key "no-such-key".'],
    [["KEY"], 2, "Give at least one option, such as --gateway-memory off."],
    [["KEY", "--remember", "constructor"], 2, "--remember must be on, off or default"],
    [["KEY", "--gateway-memory", "perhaps"], 2, "--gateway-memory must be on, off or default"],
    [["KEY", "--gateway-budget", "-1"], 2, "--gateway-budget must be a whole number or"],
    [["KEY", "--gateway-budget", "1000001"], 1, "--gateway-budget must be a whole number from 0 to 1000000."],
    [["KEY", "--gateway-floor", "1.5"], 1, "--gateway-floor must be a number from 0 to 1."],
    [["KEY", "--gateway-floor", "half"], 2, "--gateway-floor must be a number from 0 to 1"],
    [["KEY", "--gateway-tags", ","], 1, "--gateway-tags"],
    [["KEY", "--gateway-tags", "x".repeat(65)], 1, "Each value of --gateway-tags"],
    [["KEY", "--gateway-failure", "fail_open"], 1, "--gateway-failure"],
    [["ml_secret", "--gateway-memory", "on"], 2, "Give the id of the key, not the key itself."],
  ])("key update %j is refused", async (words, exitCode, message) => {
    const { object } = await json("key", "create", "--project", "default", "--permissions", "memory.read");
    const named = words.map((word) => (word === "KEY" ? String(object.id) : word));
    const refused = await run(["key", "update", ...named, "--data-dir", dataDir]);
    expect([refused.exitCode, refused.stderr]).toEqual([exitCode, expect.stringContaining(message)]);
    await json("key", "revoke", String(object.id));
    const late = await run(["key", "update", String(object.id), "--remember", "on", "--data-dir", dataDir]);
    expect([late.exitCode, late.stderr]).toEqual([1, expect.stringContaining("is revoked, so it cannot be")]);
  });

  test("a key of a deleted project is told so, and an id may have capitals and spaces", async () => {
    await json("project", "create", "--name", "short", "--plan", "custom");
    const made = await json("key", "create", "--project", "short", "--permissions", "memory.write");
    const created = await (await createFact(server.url, made.object.key, "A fact to erase.")).json();
    const id = String((created as { data: { id: string } }).data.id);
    const erased = await json("audit", "redact", "--memory", ` ${id.toUpperCase()} `, "--yes");
    expect(erased.object).toMatchObject({ redacted: 1, memory: "kept" });
    await json("project", "delete", "short", "--yes");
    const refused = await call(server.url, made.object.key);
    expect([refused.status, await refused.text()]).toEqual([
      401,
      expect.stringContaining("The project of this API key was deleted."),
    ]);
  });

  test("every flag of update reaches its field", async () => {
    await json("project", "create", "--name", "limited");
    const update = (...words: string[]) => json("project", "update", "limited", ...words);
    const changed = await update(
      ...["--plan", "basic", "--subscription", "expired", "--credits", "5"],
      ...["--memory-limit", "7", "--passage-limit", "8", "--retention-days", "9", "--yes"],
    );
    expect(changed.object).toMatchObject({
      plan: "basic",
      subscription: "expired",
      credits: 5,
      memory_limit: 7,
      passage_limit: 8,
      retention_days: 9,
    });
    const back = await update(
      ...["--credits", "unlimited", "--memory-limit", "plan", "--passage-limit", "plan"],
      ...["--retention-days", "plan"],
    );
    expect(back.object).toMatchObject({
      ...{ credits: null, memory_limit: null, passage_limit: null, retention_days: null },
    });
    expect((await json("project", "show", "limited")).object).toEqual(back.object);
    const shown = (await run(["project", "show", "limited", "--data-dir", dataDir])).stdout;
    expect(shown).toMatch(
      /^credits +unlimited\nmemory_limit +plan\npassage_limit +plan\nretention_days +plan$/m,
    );
    expect((await json("project", "delete", "limited", "--yes")).exitCode).toBe(0);
    expect((await json("project", "show", "limited")).exitCode).toBe(1);
  });

  test.each([
    [["project", "create", "--name", "default"], 1, 1400, "already exists"],
    [["project", "create", "--name", "x", "--plan", "gold"], 1, 1400, 'one of "free"'],
    [["project", "update", "default"], 1, 1400, "No option is given"],
    [
      ["project", "update", "default", "--retention-days", "1000000001", "--yes"],
      1,
      1400,
      "from 1 to 1000000000.",
    ],
    [["project", "update", "nobody", "--plan", "pro"], 1, 1400, 'no project "nobody"'],
    [["key", "create", "--project", "default", "--permissions", "all"], 1, 1400, "permissions"],
    [["key", "create", "--project", "default", "--permissions", ""], 1, 1400, "permissions"],
    [
      ["key", "create", "--project", "default", "--permissions", "audit.read", "--expires", "soon"],
      1,
      1400,
      "--expires must be",
    ],
    [
      [
        "key",
        "create",
        "--project",
        "default",
        "--permissions",
        "audit.read",
        "--expires",
        "2020-01-01T00:00:00Z",
      ],
      1,
      1400,
      "--expires is in the past",
    ],
    [
      ["key", "create", "--project", "default", "--permissions", "nothing"],
      1,
      1400,
      'Each value of --permissions must be one of "memory.read"',
    ],
    [["audit", "redact", "--yes"], 2, null, "--record ID or --memory ID is required."],
    [["audit", "redact"], 2, null, "--record ID or --memory ID is required"],
    [["audit", "redact", "--record", "1", "--memory", "2"], 2, null, "cannot be used together"],
    [["audit", "redact", "--record", "1"], 1, null, "--json disables the confirmation prompt. Add --yes"],
    [["project", "delete", "default"], 1, null, "--json disables the confirmation prompt"],
    [
      [
        "audit",
        "export",
        "--project",
        "default",
        "--from",
        "soon",
        "--to",
        "later",
        "--out",
        join(dataDir, "e"),
      ],
      1,
      1400,
      "--from ",
    ],
    [["key", "revoke", "nobody"], 1, 1400, 'no key "nobody"'],
    [["key", "revoke", `ml_${"a".repeat(43)}`], 2, null, "Give the id of the key, not the key itself."],
    [["project", "update", "default", "--credits", "many"], 2, null, "--credits must be a whole number"],
    [["key", "list"], 2, null, "--project"],
  ])("%j is refused", async (words, exitCode, code, message) => {
    const outcome = await json(...words);
    expect(outcome.object).toEqual({
      error: { message: expect.stringContaining(message), code, exit_code: exitCode },
    });
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stderr).not.toContain("    at ");
  });

  test("people read tables", async () => {
    const { stdout } = await run(["project", "list", "--data-dir", dataDir]);
    expect(stdout).toMatch(/^id +name +plan /);
    expect(stdout).toMatch(/^[0-9a-f]{32} +default +custom /m);
    const created = await run([
      ...["key", "create", "--project", "default", "--permissions", "audit.read", "--data-dir", dataDir],
    ]);
    expect(created.stdout).toContain("not shown again");
  });

  test("and what was done is there after its end", async () => {
    expect((await server.end("SIGTERM")).exitCode).toBe(0);
    const projects = await json("project", "list");
    expect(projects.json).toEqual([
      expect.objectContaining({ name: "default" }),
      expect.objectContaining({ name: "shop", memories: 1 }),
    ]);
  });
});

describe("without a server", () => {
  test("projects and keys can be prepared before the first start", async () => {
    const dataDir = join(createFolder(), "data");
    const at = ["--data-dir", dataDir];
    expect((await runJson(["project", "create", "--name", "early", ...at])).exitCode).toBe(0);
    const key = await runJson([
      ...["key", "create", "--project", "early", "--permissions", "memory.read", ...at],
    ]);
    const server = await serve(dataDir);
    expect(server.ready.api_key).toBeUndefined();
    expect((await call(server.url, key.object.key)).status).toBe(200);
    await server.end("SIGTERM");
  });

  test("commands that meet wait for each other", async () => {
    const dataDir = createFolder();
    const at = ["--data-dir", dataDir];
    const names = ["one", "two", "three", "four"];
    const created = await Promise.all(
      names.map((name) => runJson(["project", "create", "--name", name, ...at])),
    );
    expect(created.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    const listed = await runJson(["project", "list", ...at]);
    expect(listed.json).toHaveLength(names.length);
  });

  test("a command without --data-dir names the database of the user's assistants, if there is one", async () => {
    const home = createFolder();
    const variables = {
      HOME: home,
      XDG_DATA_HOME: home,
      LOCALAPPDATA: home,
      MEMLEDGER_DATA_DIR: join(createFolder(), "none"),
    };
    const dataDir = userDataDirectory(variables);
    const advice = `Connected assistants use --data-dir ${dataDir} instead.`;
    expect((await run(["project", "list"], variables)).stderr).not.toContain(advice);
    await run(["project", "create", "--name", "x", "--data-dir", dataDir], variables);
    expect((await run(["project", "list"], variables)).stderr).toContain(advice);
    expect((await run(["doctor"], variables)).stdout).toContain(advice);
  });

  test("a mistyped data directory is not created", async () => {
    const dataDir = join(createFolder(), "mistyped");
    const outcome = await run(["key", "list", "--project", "default", "--data-dir", dataDir]);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toStartWith(`memledger: There is no memledger database in ${dataDir}.`);
    expect(existsSync(dataDir)).toBe(false);
  });
});
