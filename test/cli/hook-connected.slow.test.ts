// Runs the hooks that `memledger connect` has written, as each client does: the command of its file, through a shell, in any directory.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { machineUser } from "../../src/access/machine-user.ts";
import {
  type HookClientName,
  type HookName,
  hookClientNames,
  hookClients,
} from "../../src/assistants/hooks/client.ts";
import { isObject, type Json } from "../../src/platform/json/json.ts";
import { transcripts } from "../assistants/hooks/transcript-files.ts";
import { call, cleanUp, createFact, createFolder, type Running, run, serve } from "./command.ts";

const home = createFolder();
const dataDir = join(home, "data of ana");
let server: Running;
let key: unknown;

beforeAll(async () => {
  server = await serve(dataDir);
  key = server.ready.api_key;
  expect((await createFact(server.url, key, "The shop runs on the machine hamster.")).status).toBe(201);
});
afterAll(cleanUp);

const files: Readonly<Record<HookClientName, string>> = {
  "claude-code": ".claude/settings.json",
  codex: ".codex/hooks.json",
  cursor: ".cursor/hooks.json",
  "gemini-cli": ".gemini/settings.json",
};

/** The one command of an event, in a group or not. */
function commandOf(client: HookClientName, hook: HookName): string {
  const written: Json = JSON.parse(readFileSync(join(home, files[client]), "utf8"));
  const events = isObject(written) ? written.hooks : null;
  const entries = isObject(events) ? events[hookClients[client].events[hook]] : null;
  const [entry] = Array.isArray(entries) ? entries : [];
  const [handler = entry] = isObject(entry) && Array.isArray(entry.hooks) ? entry.hooks : [];
  return isObject(handler) ? String(handler.command) : "";
}

let sessions = 0;

async function runHook(client: HookClientName, hook: HookName, transcript: string): Promise<string> {
  const session = `${client}-${++sessions}`;
  const event = {
    ...(client === "cursor"
      ? { conversation_id: session, cursor_version: "3.20.17", workspace_roots: [home] }
      : { session_id: session, cwd: home }),
    hook_event_name: hookClients[client].events[hook],
    transcript_path: transcript,
    prompt: "Where does the shop run?",
  };
  const child = Bun.spawn(["sh", "-c", commandOf(client, hook)], {
    cwd: "/",
    env: { PATH: process.env.PATH ?? "", HOME: home },
    stdin: new TextEncoder().encode(JSON.stringify(event)),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, stderr]).toEqual([0, ""]);
  return stdout;
}

describe.each(hookClientNames)("%s", (client) => {
  test("gets memories from the commands in its file, and gives new ones", async () => {
    const connected = await run(["connect", client, "--write", "--hooks", "--data-dir", dataDir], {
      HOME: home,
    });
    expect([connected.exitCode, connected.stderr]).toEqual([0, ""]);
    const transcript = join(home, `${client}.jsonl`);
    const { lines } = transcripts[client];
    writeFileSync(transcript, `${lines.join("\n")}\n`.replaceAll("Tuesdays", `Tuesdays with ${client}`));
    // A hook ends after a second, so on a busy machine it may have to be asked again.
    for (const hook of ["session-start", "user-prompt"] as const) {
      let answer = "";
      while (answer === "") answer = await runHook(client, hook, transcript);
      expect(answer).toContain("hamster");
    }
    expect(await runHook(client, "session-end", transcript)).toBe("");
    for (;;) {
      const stored = await (
        await call(server.url, key, `/v1/memories?page_size=100&subject=${machineUser}`)
      ).text();
      if (stored.includes(`Tuesdays with ${client}`)) break;
      await Bun.sleep(50);
    }
  });
});
