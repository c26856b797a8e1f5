// Tests `memledger memory import` as processes: its output and exit codes, and that an import which is killed, or whose server is killed,
// is continued without duplicates.

import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLocalChannel } from "../../src/assistants/local-access/local-channel.ts";
import { isObject } from "../../src/platform/json/json.ts";
import { readAnswer } from "../../src/platform/received-answer.ts";
import { toPrintable } from "../../src/platform/text/printable.ts";
import { endServersAfterEach, untilEnded } from "../assistants/local-access/background.ts";
import { cleanUp, createFolder, run, runJson, spawn } from "./command.ts";

afterEach(cleanUp);
const { directory, serverOf } = endServersAfterEach();

const line = (at: number) =>
  `${JSON.stringify({ content: `Shelf ${at} is full.`, source_id: `shelf:${at}` })}\n`;
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => line(from + at)).join("");

async function countStored(dataDir: string): Promise<number> {
  const channel = createLocalChannel({ dataDir, project: "shelves", start: false });
  const response = await channel.fetch("/v1/memories?page_size=1", { method: "GET" });
  const { pagination } = await readAnswer(response);
  return isObject(pagination) ? Number(pagination.total) : Number.NaN;
}

async function untilStored(dataDir: string, count: number): Promise<void> {
  while ((await countStored(dataDir).catch(() => 0)) < count) await Bun.sleep(20);
}

/** An import that reads what `feed` writes. */
function startImport(dataDir: string) {
  const words = [
    "memory",
    "import",
    "-",
    "--format",
    "memledger",
    "--project",
    "shelves",
    "--data-dir",
    dataDir,
    "--json",
  ];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const feeds: Uint8Array[] = [];
  let wake = () => {};
  const input = new ReadableStream<Uint8Array>({
    async pull(stream) {
      while (feeds.length === 0) {
        const fed = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if ((await Promise.race([fed.then(() => "fed"), ended.then(() => "ended")])) === "ended")
          return stream.close();
      }
      const next = feeds.shift();
      if (next !== undefined) stream.enqueue(next);
    },
  });
  return {
    child: spawn(words, {}, input),
    end,
    feed(text: string) {
      feeds.push(Buffer.from(text));
      wake();
    },
  };
}

test("a tag that no memory can have is refused before the file is read", async () => {
  for (const tag of ["", " ", "x".repeat(65)]) {
    const { exitCode, stderr } = await run(["memory", "import", "nothing.md", "--tag", tag]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("A tag has 1 to 64 characters")]);
  }
});

test("a project that did not exist is named, because its name may be misspelt", async () => {
  const dataDir = directory();
  const file = join(createFolder(), "notes.md");
  writeFileSync(file, "- Releases go out on Tuesdays.\n");
  const words = ["memory", "import", file, "--project", "shpo", "--data-dir", dataDir];
  const created = 'There was no project "shpo", so it was created.';
  expect((await run(words)).stderr).toContain(created);
  expect((await run(words)).stderr).not.toContain(created);
});

test("the help says that an export creates no project", async () => {
  expect((await run(["memory", "export", "--help"])).stdout).toContain("project, which must exist;");
  expect((await run(["memory", "import", "--help"])).stdout).toContain("created if it does not exist;");
});

test("an import is continued without duplicates after it or its server was killed", async () => {
  const dataDir = directory();
  const first = startImport(dataDir);
  first.feed(lines(0, 60));
  await untilStored(dataDir, 60);
  first.feed(lines(60, 120));
  first.child.kill("SIGKILL");
  await first.child.exited;
  first.end();

  const second = startImport(dataDir);
  second.feed(lines(0, 130));
  await untilStored(dataDir, 130);
  const server = await serverOf(dataDir);
  second.feed(lines(130, 300));
  process.kill(server, "SIGKILL");
  await untilEnded(server);
  second.end();
  const output = JSON.parse(await second.child.stdout.text());
  expect(await second.child.exited).toBe(0);
  expect(output).toMatchObject({ facts: 300, skipped: 0, refused: 0 });
  expect(output.created + output.existing).toBe(300);
  expect(output.existing).toBeGreaterThanOrEqual(60);
  expect(await countStored(dataDir)).toBe(300);
  await serverOf(dataDir);
  const verified = await runJson(["audit", "verify", "--data-dir", dataDir]);
  expect(verified.exitCode).toBe(10);
});

describe("the command", () => {
  const written = (name: string, text: string | Uint8Array) => {
    const path = join(createFolder(), name);
    writeFileSync(path, text);
    return path;
  };

  test("prints the place of each refused line, the counts, and exits with 1", async () => {
    const file = written("list.jsonl", `${line(1)}{"content":\n${line(2)}`);
    const { exitCode, stdout, stderr } = await run(["memory", "import", file, "--dry-run"]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `${file} is read as memledger: it has JSON objects with the field "content".\n${file}:2: is not valid JSON. Check quotes and commas, and that the text is complete\n`,
    );
    expect(stdout).toBe(
      "rules     0\nfacts     2\ncontexts  0\nskipped   0\nrefused   1\nstored    nothing (dry run)\n",
    );
  });

  test("limits the messages, not the count", async () => {
    const file = written("list.jsonl", "no JSON\n".repeat(200));
    const { stderr, stdout } = await run(["memory", "import", file, "--dry-run", "--format", "memledger"]);
    expect(stdout).toMatch(/refused +200/);
    expect(stderr.trim().split("\n")).toHaveLength(51);
    expect(stderr).toMatch(/More messages are not printed; all are counted\.\n$/);
  });

  test("accepts an empty file, and says so", async () => {
    const file = written("list.jsonl", "");
    const { exitCode, stderr } = await run(["memory", "import", file, "--dry-run"]);
    expect([exitCode, stderr]).toEqual([0, `${file} is empty: it has no memories.\n`]);
  });

  const refused: Readonly<Record<string, readonly [() => string[], number, RegExp]>> = {
    "a file that does not exist": [
      () => [join(createFolder(), "none")],
      1,
      /none cannot be used: it does not exist\. Correct the path\./,
    ],
    "a gzip file": [
      () => [written("a.gz", Bun.gzipSync("{}"))],
      1,
      /is compressed with gzip\. Decompress it/,
    ],
    "a directory without notes": [() => [createFolder()], 1, /contains no Markdown files/],
    "a directory for another format": [
      () => {
        const folder = createFolder();
        mkdirSync(join(folder, "sub"));
        return [folder, "--format", "mem0"];
      },
      1,
      /the format mem0 reads files\. Name a file/,
    ],
    "an unknown format": [() => ["-", "--format", "csv"], 2, /Allowed choices are mcp-memory, mem0/],
    "an unknown type": [() => ["-", "--type", "note"], 2, /Allowed choices are rule, fact, context/],
    "no file": [() => [], 2, /missing required argument 'file'/],
    "a server without a key": [
      () => [written("a.md", "- a\n"), "--url", "http://127.0.0.1:1"],
      2,
      /--url needs an API key/,
    ],
  };
  test.each(Object.entries(refused))("refuses %s", async (_, [words, code, message]) => {
    const { exitCode, stderr } = await run(["memory", "import", ...words()]);
    expect([exitCode, stderr]).toEqual([code, expect.stringMatching(message)]);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

test("an import that the server refuses ends although its pipe stays open", async () => {
  const refusing = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => Response.json({ code: 1401, message: "The key was revoked.", data: null }, { status: 401 }),
  });
  const input = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(Buffer.from('{"content":"A"}\n')),
  });
  const words = ["memory", "import", "-", "--format", "memledger", "--url", String(refusing.url)];
  const child = spawn(words, { MEMLEDGER_API_KEY: "mk_revoked" }, input);
  const [exitCode, stderr] = [await child.exited, await child.stderr.text()];
  await refusing.stop(true);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("The key was revoked.")]);
});

test("what a file contains does not reach the terminal as a command", async () => {
  const folder = createFolder();
  const attack = "\u001b]0;title\u0007\u009b2J\u202e\n\rforged.md:9: ok";
  const file = join(folder, "a.json");
  const items = [
    { content: "x", [attack]: 1 },
    { content: "x", memory_type: attack },
    { content: "x", tags: [attack] },
  ];
  writeFileSync(file, items.map((item) => `${JSON.stringify(item)}\n`).join(""));
  const words = ["memory", "import", file, "--format", "memledger", "--dry-run"];
  for (const more of [[], ["--json"], ["--type", attack], ["--url", attack], [`--${attack}`]]) {
    const { stdout, stderr } = await run([...words, ...more]);
    expect(stdout + stderr).toBe(toPrintable(stdout + stderr));
    expect(stderr).not.toMatch(/^\r?forged/m);
  }
});
