// Runs the hooks as the clients do: the JSON of each client on stdin of the real command, with a real server, a hanging one and none.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hookClientNames } from "../../src/assistants/hooks/client.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import {
  call,
  cleanUp,
  createFact,
  createFolder,
  type Outcome,
  type Running,
  run,
  serve,
} from "./command.ts";

const dataDir = createFolder();
let server: Running;
let key: unknown;

beforeAll(async () => {
  server = await serve(dataDir);
  key = server.ready.api_key;
  const body = JSON.stringify({ content: "Never deploy the shop on Fridays.", memory_type: "rule" });
  expect((await call(server.url, key, "/v1/memories", { method: "POST", body })).status).toBe(201);
  expect((await createFact(server.url, key, "The shop runs on the machine hamster.")).status).toBe(201);
  expect((await createFact(server.url, key, "Ana is allergic to peanuts.")).status).toBe(201);
});
afterAll(cleanUp);

/** A machine that runs many tests is slow, so the deadline is far away unless a test is about it. */
const noDeadline = "--deadline-ms=60000";

function hook(words: readonly string[], event: unknown, folder = dataDir): Promise<Outcome> {
  const input = typeof event === "string" ? event : JSON.stringify(event);
  return run(["hook", ...words, noDeadline, "--data-dir", folder], {}, new TextEncoder().encode(input));
}

let sessions = 0;
const newSession = () => `session-${++sessions}`;

/** The event of a client, with the fields that differ. */
function eventOf(client: string, session: string, fields: JsonObject = {}): JsonObject {
  const common = { transcript_path: join(dataDir, "missing.jsonl"), ...fields };
  return client === "cursor"
    ? { conversation_id: session, cursor_version: "3.20.17", workspace_roots: [dataDir], ...common }
    : { session_id: session, cwd: dataDir, ...common };
}

/** The context in an answer, wherever the client wants it. */
function contextOf({ exitCode, stdout, stderr }: Outcome): string {
  expect([exitCode, stderr]).toEqual([0, ""]);
  if (stdout === "") return "";
  const answer: Json = JSON.parse(stdout);
  if (!isObject(answer)) throw new Error(stdout);
  const { hookSpecificOutput: nested, additional_context: flat } = answer;
  return String(isObject(nested) ? nested.additionalContext : flat);
}

const logOf = (folder: string) => {
  const path = join(folder, "hooks", "hooks.log");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};

describe.each(hookClientNames)("%s", (client) => {
  const to = ["--client", client];

  test("gets rules and memories at the start, and with a prompt what is relevant and new", async () => {
    const session = newSession();
    const atStart = contextOf(await hook(["session-start", ...to], eventOf(client, session)));
    expect(atStart).toContain("Never deploy the shop on Fridays.");
    expect(atStart).toContain("Ana is allergic to peanuts.");
    expect(atStart.startsWith("<memories>\n")).toBe(true);

    const fact = `Deployments of ${client} need the flag --careful.`;
    expect((await createFact(server.url, key, fact)).status).toBe(201);
    const prompt = { prompt: `Which flag do deployments of ${client} need?` };
    const ask = () => hook(["user-prompt", ...to], eventOf(client, session, prompt));
    const first = contextOf(await ask());
    expect(first).toContain(fact);
    expect(first).not.toContain("Fridays");
    expect(contextOf(await ask())).toBe("");
  });
});

describe("a conversation", () => {
  const to = ["--client", "claude-code"];
  const prompt = { prompt: "Where does the shop run?" };

  test("gets the rules with the first prompt if it did not get them at the start", async () => {
    const event = eventOf("claude-code", newSession(), prompt);
    const context = contextOf(await hook(["user-prompt", ...to], event));
    expect(context).toContain("Fridays");
    expect(context).toContain("hamster");
    expect(context).not.toContain("peanuts");
  });

  test("gets everything again when it starts again, because its context was cleared or compacted", async () => {
    const session = newSession();
    const start = (source: string) =>
      hook(["session-start", ...to], eventOf("claude-code", session, { source }));
    const first = contextOf(await start("startup"));
    expect(contextOf(await start("compact"))).toBe(first);
    const event = eventOf("claude-code", session, prompt);
    expect(contextOf(await hook(["user-prompt", ...to], event))).toBe("");
  });

  test("is not given what another one got", async () => {
    const event = () => eventOf("claude-code", newSession(), prompt);
    const first = contextOf(await hook(["user-prompt", ...to], event()));
    expect(contextOf(await hook(["user-prompt", ...to], event()))).toBe(first);
  });

  test("of another project gets nothing of this one; the project is created", async () => {
    const event = eventOf("claude-code", newSession());
    expect(contextOf(await hook(["session-start", ...to, "--project", "other"], event))).toBe("");
    expect((await run(["project", "show", "other", "--data-dir", dataDir])).exitCode).toBe(0);
  });

  test("of a subject gets its memories and those of the project, and no other one gets them", async () => {
    const content = "Zoë drives a blue van.";
    const body = JSON.stringify({ content, memory_type: "fact", subject: "user:Zoë" });
    expect((await call(server.url, key, "/v1/memories", { method: "POST", body })).status).toBe(201);
    const start = async (...words: string[]) =>
      contextOf(await hook(["session-start", ...to, ...words], eventOf("claude-code", newSession())));
    const own = await start("--subject", "user:Zoë");
    expect(own).toContain(content);
    expect(own).toContain("Never deploy the shop on Fridays.");
    for (const words of [[], ["--subject", "user:2"]]) expect(await start(...words)).not.toContain(content);
  });

  test("of a git repository uses its project with --project auto, wherever in it the client works", async () => {
    const repository = join(createFolder(), "bakery");
    const folder = join(repository, "src", "ovens");
    mkdirSync(join(repository, ".git"), { recursive: true });
    mkdirSync(folder, { recursive: true });
    for (const client of ["claude-code", "cursor"]) {
      const place = client === "cursor" ? { workspace_roots: [folder] } : { cwd: folder };
      const event = eventOf(client, newSession(), place);
      expect(contextOf(await hook(["session-start", "--client", client, "--project", "auto"], event))).toBe(
        "",
      );
    }
    expect((await run(["project", "show", "bakery", "--data-dir", dataDir])).exitCode).toBe(0);
  });

  test("is named in the record of the call", async () => {
    const session = newSession();
    await hook(["session-start", ...to], eventOf("claude-code", session));
    const logs = await call(server.url, key, "/v1/audit/logs?page_size=5");
    const text = await logs.text();
    expect(text).toContain(session);
    expect(text).toContain("(claude-code)");
  });

  test("an empty prompt asks for nothing", async () => {
    const event = eventOf("claude-code", newSession(), { prompt: "  \n" });
    expect(contextOf(await hook(["user-prompt", ...to], event))).toBe("");
  });
});

describe("a hook never breaks its client", () => {
  const odd: readonly (readonly [string, string])[] = [
    ["nothing", ""],
    ["no JSON", "}{"],
    ["another form of JSON", '["session_id"]'],
    ["no identifier", '{"cwd":"/"}'],
    ["an identifier that cannot be one", '{"session_id":"a\\u0000b"}'],
    ["bytes that are no text", "\u0000\u0001\uFFFD"],
    ["deep nesting", "[".repeat(100_000)],
  ];
  test.each(odd)("%s on stdin", async (_, input) => {
    for (const name of ["session-start", "user-prompt", "session-end"]) {
      expect(await hook([name, "--client", "codex"], input)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    }
    expect(logOf(dataDir)).toContain("a hook has received no event of its client");
  });

  test("100 MB on stdin are read to their end, so the client can write them", async () => {
    const event = new TextEncoder().encode(JSON.stringify(eventOf("codex", newSession())));
    const input = new Uint8Array(100 * 1024 * 1024).fill(32);
    input.set(event);
    const words = ["hook", "session-start", "--client", "codex", noDeadline, "--data-dir", dataDir];
    expect(await run(words, {}, input)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  });

  test.each([
    ["no client", []],
    ["an unknown client", ["--client", "emacs"]],
    ["an unknown option", ["--client", "codex", "--wrong"]],
    ["an invalid project", ["--client", "codex", "--project", ""]],
    ["an invalid subject", ["--client", "codex", "--subject", "a\nb"]],
  ])("%s: a message, but no exit code that blocks the prompt", async (_, words) => {
    const event = eventOf("codex", newSession(), { prompt: "Where?" });
    const { exitCode, stdout } = await hook(["user-prompt", ...words], event);
    expect([exitCode, stdout]).toEqual([0, ""]);
  });

  test("an invalid configuration, also with options before the command", async () => {
    const words = ["--log-level", "warn", "hook", "session-start", "--client", "codex"];
    const { exitCode, stdout, stderr } = await run(words, { MEMLEDGER_PORT: "many" });
    expect([exitCode, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("MEMLEDGER_PORT");
  });

  test("a data directory that cannot be used", async () => {
    const file = join(createFolder(), "file");
    writeFileSync(file, "");
    const { exitCode, stdout, stderr } = await hook(
      ["session-start", "--client", "codex"],
      eventOf("codex", "1"),
      file,
    );
    expect([exitCode, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("--data-dir");
  });

  test("a server that does not answer: the hook ends itself", async () => {
    const folder = createFolder();
    let received = 0;
    const socket = {
      data(_: unknown, bytes: Uint8Array) {
        received += bytes.length;
      },
    };
    const silent = Bun.listen({ unix: join(folder, "memledger.sock"), socket });
    try {
      const words = [
        "hook",
        "session-start",
        "--client",
        "codex",
        "--deadline-ms",
        "4000",
        "--data-dir",
        folder,
      ];
      const input = new TextEncoder().encode(JSON.stringify(eventOf("codex", newSession())));
      expect(await run(words, {}, input)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
      expect(received).toBeGreaterThan(0);
      expect(logOf(folder)).toContain("a hook was not answered in time");
    } finally {
      silent.stop(true);
    }
  });
});
