// Checks how a hook finds its server: one in the background that it starts itself, or one elsewhere with an API key.

import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openChannel } from "../../src/assistants/local-access/open-channel.ts";
import { findBackgroundServer } from "../../src/server/find-background-server.ts";
import { endServersAfterEach } from "../assistants/local-access/background.ts";
import { cleanUp, createFact, createFolder, run, serve, type Variables } from "./command.ts";

const { directory, serverOf } = endServersAfterEach();
afterAll(cleanUp);

let sessions = 0;

function ask(words: readonly string[], variables: Variables = {}) {
  const event = { session_id: `session-${++sessions}`, cwd: "/", prompt: "Where does the shop run?" };
  const input = new TextEncoder().encode(JSON.stringify(event));
  return run(["hook", "user-prompt", "--client", "codex", ...words], variables, input);
}

const noDeadline = "--deadline-ms=60000";
const nothing = { exitCode: 0, stdout: "", stderr: "" };
const logOf = (dataDir: string) => readFileSync(join(dataDir, "hooks", "hooks.log"), "utf8");

async function untilServed(dataDir: string): Promise<void> {
  while ((await findBackgroundServer(dataDir)) === null) await Bun.sleep(20);
}

describe("without a server", () => {
  test("a hook starts one, prints nothing, and does not wait; the next one is answered", async () => {
    const dataDir = directory();
    expect(await ask(["--data-dir", dataDir, "--deadline-ms=2000"])).toEqual(nothing);
    await untilServed(dataDir);
    const pid = await serverOf(dataDir);
    const body = JSON.stringify({ content: "The shop runs on the machine hamster.", memory_type: "fact" });
    const channel = openChannel({ dataDir, project: "default", start: false });
    const headers = { "Content-Type": "application/json" };
    expect((await channel.fetch("/v1/memories", { method: "POST", headers, body })).status).toBe(201);
    expect((await ask(["--data-dir", dataDir, noDeadline])).stdout).toContain("hamster");
    expect(await serverOf(dataDir)).toBe(pid);
  });

  test("hooks use the data directory of the user, whatever the working directory is", async () => {
    const dataDir = directory();
    const home = dirname(dataDir);
    const memledger = join(home, "memledger");
    const variables = { HOME: home, XDG_DATA_HOME: home };
    expect(await ask([noDeadline], variables)).toEqual(nothing);
    expect(existsSync(join(memledger, "hooks"))).toBe(process.platform === "linux");
    expect((await run(["stop", "--data-dir", memledger])).exitCode).toBe(0);
  });
});

describe("with a server elsewhere", () => {
  test("the API key comes from a variable", async () => {
    const server = await serve(createFolder());
    const key = String(server.ready.api_key);
    expect((await createFact(server.url, key, "The shop runs on the machine hamster.")).status).toBe(201);
    const dataDir = createFolder();
    const words = ["--url", server.url, "--data-dir", dataDir, noDeadline];
    expect((await ask(words, { MEMLEDGER_API_KEY: key })).stdout).toContain("hamster");

    expect(await ask(words)).toEqual(nothing);
    expect(logOf(dataDir)).toContain("Set the environment variable MEMLEDGER_API_KEY");
    expect(await ask(words, { MEMLEDGER_API_KEY: `${key}x` })).toEqual(nothing);
    expect(logOf(dataDir)).toContain("key");
    expect(logOf(dataDir)).not.toContain(key);
    await server.end("SIGTERM");
    expect(await ask(words, { MEMLEDGER_API_KEY: key })).toEqual(nothing);
    expect(logOf(dataDir)).toContain("cannot be reached");
    // A person reads this log to correct the key or the address.
    expect(logOf(dataDir)).not.toContain(String.raw`\n    at `);
    expect(await findBackgroundServer(dataDir)).toBeNull();
  });

  test.each(["", "nonsense", "file:///etc/passwd", "http://user:secret@127.0.0.1:1"])("%s", async (url) => {
    const dataDir = createFolder();
    const words = ["--url", url, "--data-dir", dataDir, noDeadline];
    const { exitCode, stdout, stderr } = await ask(words, { MEMLEDGER_API_KEY: "ml_x" });
    expect([exitCode, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("--url must be an http or https URL without credentials");
    expect(stderr).not.toContain("secret");
  });
});
