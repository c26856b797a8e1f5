// Runs the hook at the end of a conversation as the clients do: what it takes from the transcript, in the background, once.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { machineUser } from "../../src/access/machine-user.ts";
import { type HookClientName, hookClientNames } from "../../src/assistants/hooks/client.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { isRunning } from "../../src/server/start-marker.ts";
import { transcripts } from "../assistants/hooks/transcript-files.ts";
import { call, cleanUp, createFolder, type Running, run, serve, spawn } from "./command.ts";

const dataDir = createFolder();
let server: Running;
let key: unknown;

beforeAll(async () => {
  server = await serve(dataDir);
  key = server.ready.api_key;
});
afterAll(cleanUp);

let sessions = 0;
const newSession = () => `session-${++sessions}-of-the-test`;

/** Ends a conversation, and waits for the process in the background. */
async function endSession(
  client: HookClientName,
  session: string,
  transcript: string,
  folder = dataDir,
  more: readonly string[] = [],
) {
  const event = {
    ...(client === "cursor"
      ? { conversation_id: session, cursor_version: "3.20.17" }
      : { session_id: session }),
    transcript_path: transcript,
    hook_event_name: "SessionEnd",
    reason: "other",
  };
  const words = [
    "hook",
    "session-end",
    "--client",
    client,
    "--deadline-ms=60000",
    "--data-dir",
    folder,
    ...more,
  ];
  const before = backgroundProcesses(folder).length;
  const outcome = await run(words, {}, new TextEncoder().encode(JSON.stringify(event)));
  expect(outcome).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  let pid: number | undefined;
  while (pid === undefined) {
    await Bun.sleep(20);
    pid = backgroundProcesses(folder)[before];
  }
  while (isRunning(pid)) await Bun.sleep(20);
}

const logOf = (folder: string) => {
  const path = join(folder, "hooks", "hooks.log");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};

function backgroundProcesses(folder: string): number[] {
  return logOf(folder)
    .split("\n")
    .filter((line) => line.includes("a transcript is read in the background"))
    .map((line) => Number(JSON.parse(line).pid));
}

/** The texts of all memories. */
async function memories(query = ""): Promise<string> {
  return (await call(server.url, key, `/v1/memories?page_size=100${query}`)).text();
}

async function readData(path: string): Promise<JsonObject> {
  const body: Json = JSON.parse(await (await call(server.url, key, path)).text());
  return isObject(body) && isObject(body.data) ? body.data : {};
}

/** The messages of each extraction of a conversation, oldest first. */
async function extractions(session: string): Promise<Json[]> {
  const { logs } = await readData("/v1/audit/logs?page_size=100&action=memory.extract");
  const ids = Array.isArray(logs) ? logs.filter(isObject).map(({ id }) => String(id)) : [];
  const records = await Promise.all(ids.map((id) => readData(`/v1/audit/logs/${id}`)));
  return records
    .filter((record) => JSON.stringify(record.metadata).includes(session))
    .map(({ input_content: input }) => (isObject(input) ? (input.messages ?? null) : null))
    .toReversed();
}

const said = (text: string) =>
  `${JSON.stringify({ type: "user", message: { role: "user", content: text } })}\n`;

describe("the transcript of a client", () => {
  test.each(hookClientNames)("%s: what was said is sent, and nothing else", async (client) => {
    const { lines, expected } = transcripts[client];
    const transcript = join(createFolder(), "transcript.jsonl");
    writeFileSync(transcript, `${lines.join("\n")}\n`);
    const session = newSession();
    await endSession(client, session, transcript);
    const sent = await extractions(session);
    const texts = sent.flat().map((each) => (isObject(each) ? `${each.role}: ${each.content}` : ""));
    expect(texts).toEqual([...expected]);
    expect(await memories()).not.toContain("not spoken");
  });

  test("becomes memories", async () => {
    const transcript = join(createFolder(), "transcript.jsonl");
    writeFileSync(transcript, said("We decided that the shop is deployed on Tuesdays."));
    await endSession("claude-code", newSession(), transcript);
    expect(await memories()).toContain("deployed on Tuesdays");
  });

  test("becomes memories of the subject", async () => {
    const transcript = join(createFolder(), "transcript.jsonl");
    writeFileSync(transcript, said("We decided that the boat is painted green."));
    await endSession("claude-code", newSession(), transcript, dataDir, ["--subject", "user:Zoë"]);
    expect(await memories(`&subject=${encodeURIComponent("user:Zoë")}`)).toContain("painted green");
    expect(await memories()).not.toContain("painted green");
  });

  test("becomes memories of what is essential, or of every word, as --detail says", async () => {
    const transcript = join(createFolder(), "transcript.jsonl");
    writeFileSync(transcript, said("My uncle repaired the kayak in the boathouse of Skagen."));
    await endSession("claude-code", newSession(), transcript);
    expect(await memories()).not.toContain("boathouse of Skagen");
    await endSession("claude-code", newSession(), transcript, dataDir, ["--detail=full"]);
    expect(await memories()).not.toContain("boathouse of Skagen");
    expect(await memories(`&subject=${machineUser}`)).toContain("boathouse of Skagen");
  });

  test("becomes memories without its secrets", async () => {
    const transcript = join(createFolder(), "transcript.jsonl");
    // In pieces, so that no scanner takes this file for a leak.
    const secret = ["ghp", "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"].join("_");
    writeFileSync(transcript, said(`Always use the token ${secret} to deploy the bakery.`));
    const session = newSession();
    await endSession("claude-code", session, transcript);
    expect(await extractions(session)).toHaveLength(1);
    expect(await memories()).not.toContain(secret);
  });

  test("is read on from where the last run ended", async () => {
    const transcript = join(createFolder(), "transcript.jsonl");
    const session = newSession();
    writeFileSync(transcript, said("The database runs on port 5433."));
    await endSession("claude-code", session, transcript);
    await endSession("claude-code", session, transcript);
    appendFileSync(transcript, said("The cache runs on port 6380."));
    await endSession("claude-code", session, transcript);
    expect(await extractions(session)).toEqual([
      [{ role: "user", content: "The database runs on port 5433." }],
      [{ role: "user", content: "The cache runs on port 6380." }],
    ]);
  });

  test("of many words becomes several extractions", async () => {
    const transcript = join(createFolder(), "transcript.jsonl");
    const session = newSession();
    const text = "Nothing is decided yet. ".repeat(1_000);
    writeFileSync(transcript, said(text).repeat(3));
    await endSession("claude-code", session, transcript);
    const sent = await extractions(session);
    expect(sent).toHaveLength(3);
  });
});

describe("a transcript that cannot be read is logged", () => {
  test.each([
    ["nothing", null, "ENOENT"],
    ["a pipe", ["mkfifo"], "is not a regular file"],
    ["a directory", ["mkdir"], "is not a regular file"],
  ])("%s", async (_, create, reason) => {
    const folder = createFolder();
    const path = join(createFolder(), "transcript.jsonl");
    if (create !== null) expect(Bun.spawnSync([...create, path]).exitCode).toBe(0);
    await endSession("codex", newSession(), path, folder);
    expect(logOf(folder)).toContain("a transcript was not read");
    expect(logOf(folder)).toContain(reason);
  });
});

/** A server that holds extractions until they are released, and remembers what it was sent. */
function startHoldingServer(folder: string) {
  const requests: JsonObject[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const listener = Bun.serve({
    unix: join(folder, "memledger.sock"),
    async fetch(request) {
      const body: Json = JSON.parse(await request.text());
      if (new URL(request.url).pathname.startsWith("/v1/")) {
        requests.push(isObject(body) ? body : {});
        await released;
        return Response.json({ success: true, code: 1000, message: "success", data: {} });
      }
      const data = { project_id: "p", key_id: "k" };
      return Response.json({ success: true, code: 1000, message: "success", data });
    },
  });
  return { requests, release, stop: () => listener.stop(true) };
}

describe("the process in the background", () => {
  const prepare = () => {
    const folder = createFolder();
    const transcript = join(folder, "transcript.jsonl");
    writeFileSync(transcript, said("The queue runs on port 5673."));
    const words = ["hook", "extract", "--client=codex", "--session=1", `--transcript=${transcript}`];
    writeFileSync(
      transcript,
      `${JSON.stringify({ type: "event_msg", payload: { type: "user_message", message: "Port 5673." } })}\n`,
    );
    return { folder, start: (...others: string[]) => spawn([...words, "--data-dir", folder, ...others]) };
  };

  test("runs once for one conversation", async () => {
    const { folder, start } = prepare();
    const holding = startHoldingServer(folder);
    try {
      const first = start();
      while (holding.requests.length === 0) await Bun.sleep(10);
      expect(await start().exited).toBe(0);
      expect(first.exitCode).toBeNull();
      holding.release();
      expect(await first.exited).toBe(0);
      expect(holding.requests).toHaveLength(1);
    } finally {
      holding.stop();
    }
  });

  test("logs that it has no API key for a server elsewhere", async () => {
    const { folder, start } = prepare();
    expect(await start("--url=http://127.0.0.1:9").exited).toBe(0);
    expect(logOf(folder)).toContain("Set the environment variable MEMLEDGER_API_KEY");
  });

  test("takes the project that the hook has found, whatever its name is", async () => {
    const { start } = prepare();
    expect(await start("--project=auto", `--data-dir=${dataDir}`).exited).toBe(0);
    expect((await run(["project", "list", "--data-dir", dataDir])).stdout).toMatch(/\bauto\b/);
  });

  test("that was killed leaves no lock, and what was not answered is sent again", async () => {
    const { folder, start } = prepare();
    const holding = startHoldingServer(folder);
    try {
      const first = start();
      while (holding.requests.length === 0) await Bun.sleep(10);
      first.kill("SIGKILL");
      await first.exited;
      holding.release();
      expect(await start().exited).toBe(0);
      expect(holding.requests).toHaveLength(2);
      expect(holding.requests[1]).toEqual(holding.requests[0] ?? {});
      expect(await start().exited).toBe(0);
      expect(holding.requests).toHaveLength(2);
    } finally {
      holding.stop();
    }
  });
});
