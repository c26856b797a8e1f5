// Tests `memledger memory export`: the file, its mode and its round trip through an import, and outputs that cannot be written.

import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { normalise } from "../calls/storage/seam.ts";
import { passage, storePassages } from "../engines/sqlite/direct-transaction.ts";
import { startTestApp } from "../fixture.ts";
import { main } from "../program.ts";
import { cleanUp, createFolder, run } from "./command.ts";

const app = await startTestApp();
afterAll(async () => {
  await app.stop();
  await cleanUp();
});
const folder = createFolder();
const variables = { MEMLEDGER_API_KEY: app.apiKey };
const memory = (words: readonly string[], key = variables) =>
  run(["memory", ...words, "--url", app.url], key);

const items = Array.from({ length: 130 }, (_, at) => ({
  content: `Box ${at} is "empty"\u2028.`,
  memory_type: at % 2 === 0 ? "fact" : "rule",
  importance: at / 200,
  is_active: at !== 7,
  ...(at < 5 && { metadata: { shelf: `${at}`, "10": null, sizes: [at, 0.5] } }),
  ...(at < 3 && { tags: ["attic"], expires_at: "2099-01-01T00:00:00.000Z" }),
}));
await app.call("POST", "/v1/memories/batch", { body: { memories: items } });

test("a file has all memories, only its owner can read it, and an import of it makes equal ones", async () => {
  const file = join(folder, "sub", "all.jsonl");
  const { exitCode, stdout } = await memory(["export", "--out", file]);
  expect([exitCode, stdout]).toEqual([0, `memories  130\nfile      ${file}\n`]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, "sub"))).toEqual(["all.jsonl"]);
  const lines = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject(items);

  const other = await app.createProject("pro");
  const key = { MEMLEDGER_API_KEY: other.key };
  for (const count of ["created        130", "already there  130"]) {
    expect((await memory(["import", file], key)).stdout).toContain(count);
  }
  const copy = await memory(["export", "--out", "-"], key);
  const copies = copy.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const byContent = (all: typeof items) => all.toSorted((a, b) => (a.content < b.content ? -1 : 1));
  expect(byContent(copies)).toMatchObject(byContent(items));
  expect(copy.stderr).toBe("130 memories were written\n");
});

test("filters and vectors", async () => {
  const { stdout } = await memory([
    "export",
    "--out",
    "-",
    "--tag",
    "attic",
    "--type",
    "fact",
    "--with-vectors",
  ]);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ content }) => content)).toEqual([items[0]?.content, items[2]?.content]);
  expect(lines[0]).toMatchObject({
    embedding: expect.stringMatching(/^[\w+/]{100,}=*$/),
    embedding_model: { id: expect.any(String), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
});

test("passages of conversations are written only if they are asked for, or nothing else is", async () => {
  const { id, key } = await app.createProject("pro");
  await app.call("POST", "/v1/memories", { key, body: { content: "Kept.", memory_type: "context" } });
  const { database } = locate(app.config.dataDir);
  const vector = normalise(new Float32Array(384).fill(1));
  await storePassages(database, { project: id, subject: null }, [passage("Said.", vector)]);
  const contents = async (words: readonly string[]) => {
    const { stdout } = await memory(["export", "--out", "-", ...words], { MEMLEDGER_API_KEY: key });
    return stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).content);
  };
  expect(await contents([])).toEqual(["Kept.", "Said."]);
  expect(await contents(["--origin", "conversation"])).toEqual(["Said."]);
  expect(await contents(["--origin", "kept"])).toEqual(["Kept."]);
  const file = join(folder, "said.jsonl");
  await memory(["export", "--out", file], { MEMLEDGER_API_KEY: key });
  const other = await app.createProject("pro");
  const imported = await memory(["import", file], { MEMLEDGER_API_KEY: other.key });
  expect(imported.stdout).toContain("created        2");
  const { data } = await app.call("GET", "/v1/memories?origin=kept", { key: other.key });
  expect(data.pagination).toMatchObject({ total: 2 });
});

test("a file that exists is replaced only with --force", async () => {
  const file = join(folder, "mine.jsonl");
  writeFileSync(file, "mine");
  const refused = await memory(["export", "--out", file]);
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringMatching(/already exists/)]);
  expect(readFileSync(file, "utf8")).toBe("mine");
  expect((await memory(["export", "--out", file, "--force"])).exitCode).toBe(0);
  expect(readFileSync(file, "utf8").split("\n")).toHaveLength(131);
});

test("an output that cannot be written leaves nothing, and the message says what to do", async () => {
  const full = await run(["memory", "export", "--out", "/dev/full", "--url", app.url], variables);
  expect([full.exitCode, full.stderr]).toEqual([
    1,
    expect.stringMatching(/is not a regular file\. Choose another path/),
  ]);
  const directory = await memory(["export", "--out", folder]);
  expect([directory.exitCode, directory.stderr]).toEqual([1, expect.stringMatching(/is not a regular file/)]);
  if (process.getuid?.() !== 0) {
    const locked = join(folder, "locked");
    mkdirSync(locked);
    chmodSync(locked, 0o500);
    const refused = await memory(["export", "--out", join(locked, "a.jsonl")]);
    expect(refused.stderr).toMatch(/permission denied/);
  }
  const small = Bun.spawn(
    [
      "bash",
      "-c",
      `ulimit -f 8; exec "$@"`,
      "bash",
      process.execPath,
      main,
      "memory",
      "export",
      "--with-vectors",
      "--out",
      join(folder, "cut.jsonl"),
      "--url",
      app.url,
    ],
    { env: { PATH: process.env.PATH ?? "", HOME: folder, ...variables }, stderr: "pipe" },
  );
  const message = await small.stderr.text();
  expect([await small.exited, message]).toEqual([
    1,
    expect.stringMatching(/cannot be written: the file size limit/),
  ]);
  expect(readdirSync(folder).filter((name) => name.includes("cut"))).toEqual([]);
  expect(existsSync(join(folder, "cut.jsonl"))).toBe(false);
});

test("a server that is restarted meanwhile ends the export, and the message says so", async () => {
  let pages = 0;
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      pages += 1;
      if (pages === 2) await app.restart();
      const { pathname, search } = new URL(request.url);
      return fetch(`${app.url}${pathname}${search}`, { headers: request.headers });
    },
  });
  const file = join(folder, "restarted.jsonl");
  const { exitCode, stderr } = await run(
    ["memory", "export", "--out", file, "--url", `${proxy.url}`],
    variables,
  );
  await proxy.stop(true);
  expect([pages, exitCode, stderr]).toEqual([
    2,
    1,
    expect.stringMatching(/restarted during the export.*Run the command again/),
  ]);
  expect(existsSync(file)).toBe(false);
});

test("a project that does not exist is not created", async () => {
  const dataDir = join(createFolder(), "data");
  const words = ["memory", "export", "--out", "-", "--project", "nobody", "--data-dir", dataDir];
  const { exitCode, stderr } = await run(words);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/There is no memledger database in .*Correct --data-dir/),
  ]);
});
