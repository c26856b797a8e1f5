// Where the secrets of the first start go: to a terminal, to the program that asks for JSON, or to a file that only the owner can read.

import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { blocksOf } from "../docs/pages.ts";
import { main } from "../program.ts";
import { call, cleanUp, createFolder, runJson, serve, spawn } from "./command.ts";
import { openTerminal } from "./pseudo-terminal.ts";

afterAll(cleanUp);

const secret = /mlk?_[0-9A-Za-z]{20,}/;
const words = (dataDir: string) => ["serve", "--port", "0", "--data-dir", dataDir];

/** Starts a server whose output is no terminal, and stops it after `work`. @returns all that it printed */
async function serveInPipes(dataDir: string, work: (url: string) => Promise<void>): Promise<string> {
  const server = spawn(words(dataDir));
  const stderr = server.stderr.text();
  const reader = server.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let stdout = "";
  for (;;) {
    const { value, done } = await reader.read();
    stdout += value ?? "";
    const url = /https?:\/\/\S+(?=\/v1$)/m.exec(stdout)?.[0];
    if (done) return `${stdout}${await stderr}`;
    if (url === undefined || server.killed) continue;
    await work(url);
    server.kill("SIGTERM");
  }
}

test("no terminal: the key is in a file that only the owner can read, and its path is printed", async () => {
  const dataDir = join(createFolder(), "data");
  const path = join(dataDir, "first-api-key");
  const output = await serveInPipes(dataDir, async (url) => {
    expect((await call(url, readFileSync(path, "utf8").trim())).status).toBe(200);
  });
  expect(output).toContain(path);
  expect(output).not.toMatch(secret);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  // Nobody would see a sign-in link, so none is made.
  expect(output).toContain("memledger console");
  const sessions = await runJson(["console", "sessions", "--data-dir", dataDir]);
  expect(sessions.json).toEqual([]);
  const links = await runJson(["audit", "list", "--action", "session.link", "--data-dir", dataDir]);
  expect(links.object).toMatchObject({ logs: [], total: 0 });

  const again = await serveInPipes(dataDir, async () => {});
  expect(again).not.toContain(path);
});

/** systemd names the stream that is connected to the journal. */
const asInJournal = 'export JOURNAL_STREAM=$(stat -Lc %d:%i /proc/$$/fd/1); exec "$@"';

test.each([
  ["a file", 'exec "$@" >ready.json'],
  ["the journal of systemd", asInJournal],
])("--json: %s gets the path of the key", async (_, script) => {
  const folder = createFolder();
  const path = join(folder, "data", "first-api-key");
  const command = [process.execPath, main, "--json", ...words(join(folder, "data"))];
  const server = Bun.spawn(["sh", "-c", script, "sh", ...command], {
    cwd: folder,
    stdout: "pipe",
    stderr: "ignore",
  });
  while (!existsSync(path)) await Bun.sleep(20);
  server.kill("SIGTERM");
  const [piped] = await Promise.all([server.stdout.text(), server.exited]);
  const written = join(folder, "ready.json");
  const ready = JSON.parse(existsSync(written) ? readFileSync(written, "utf8") : piped);
  expect(ready).toEqual({
    event: "ready",
    url: expect.any(String),
    project_id: expect.any(String),
    api_key_file: path,
  });
  expect(readFileSync(path, "utf8")).toMatch(secret);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a terminal: the key and a sign-in link are printed, and no file is written", async () => {
  const dataDir = join(createFolder(), "data");
  const server = openTerminal(words(dataDir), { columns: 400 });
  const shown = await server.until("Stop it with Ctrl+C.");
  expect(shown).toMatch(/ml_[0-9A-Za-z]{43}/);
  expect(shown).toMatch(/\/console\/sign-in#mlk_[0-9A-Za-z]{43}/);
  expect(existsSync(join(dataDir, "first-api-key"))).toBe(false);
  const [readme] = blocksOf("README.md").filter(({ text }) => text.startsWith("API  "));
  const local = shown
    .slice(shown.indexOf("API  "))
    .replace(/\([0-9a-f]{32}\)/, "(id)")
    .replaceAll(/ml_[0-9A-Za-z]{43}/g, "ml_your_key")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:8420")
    .replace(dataDir, "/srv/memledger-data");
  expect(local).toStartWith(readme?.text.trimEnd() ?? "nothing is shown");
  // The log is readable, too.
  expect(shown).toMatch(/^\d\d:\d\d:\d\dZ info {2}server started {2}version=/m);
  expect(shown).not.toMatch(/^\{/m);
  expect(await server.interrupt()).toBe(0);
});

test("a project that an operator created gets no key, and the server says how to create one", async () => {
  const dataDir = createFolder();
  const { object } = await runJson(["project", "create", "--name", "default", "--data-dir", dataDir]);
  const output = await serveInPipes(dataDir, async () => {});
  expect(output).not.toMatch(secret);
  expect(output).toContain(
    `memledger key create --project ${object.id} --permissions memory.read,memory.write --data-dir ${dataDir}`,
  );
  expect(existsSync(join(dataDir, "first-api-key"))).toBe(false);
  const server = await serve(dataDir);
  expect(Object.keys(server.ready)).toEqual(["event", "url", "project_id"]);
  await server.end("SIGTERM");
  const keys = await runJson(["key", "list", "--project", "default", "--data-dir", dataDir]);
  expect(keys.json).toEqual([]);
});
