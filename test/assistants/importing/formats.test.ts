// Tests what each format makes of a file: the memories with their lines, what is left out, what is at fault, and how it is detected.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { Entry } from "../../../src/assistants/importing/entry.ts";
import {
  detectFormat,
  type FormatName,
  formatNames,
  formats,
} from "../../../src/assistants/importing/formats/formats.ts";
import { openImport } from "../../../src/assistants/importing/open-import.ts";
import { openStream } from "../../../src/assistants/importing/source.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-importing-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function* chunksOf(text: string | Uint8Array, size = 1_000_000): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const sourceOf = (text: string | Uint8Array, size?: number) => openStream(chunksOf(text, size), "notes.md");
const detect = async (text: string) => (await detectFormat(await sourceOf(text)))?.name;

async function read(format: FormatName, text: string | Uint8Array, size?: number): Promise<Entry[]> {
  return Array.fromAsync(formats[format].read(await sourceOf(text, size)));
}

const contents = (entries: readonly Entry[]) =>
  entries.map((entry) =>
    "memory" in entry ? entry.memory.content : "fault" in entry ? `! ${entry.fault}` : "-",
  );

const mem0Memory = {
  id: "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
  memory: "Dev works at TechCorp",
  user_id: "dev",
  metadata: { type: "professional" },
  categories: ["work"],
  created_at: "2025-07-22T04:40:22.738559-07:00",
  expiration_date: "2099-08-01",
};
const entity = {
  type: "entity",
  name: "Ana",
  entityType: "person",
  observations: ["lives in Porto", "Ana likes tea"],
};
const relation = { type: "relation", from: "Ana", to: "Acme", relationType: "works_at" };
const note = `---
title: Coffee Brewing
type: note
tags: [coffee, "home"]
permalink: coffee-brewing
---
# Coffee Brewing
Some text.

## Observations
- [method] Pour over is clearer #brewing (own experience)
- [ ] buy beans
- [x] clean the mill

## Relations
- relates_to [[Tea Brewing]]
- [[Water]]
`;

interface Sample {
  readonly format: FormatName;
  readonly text: string;
  readonly entries: readonly object[];
}

const samples: Readonly<Record<string, Sample>> = {
  "our export": {
    format: "memledger",
    text: `${JSON.stringify({ id: "0".repeat(32), content: "A", memory_type: "rule", is_active: false, importance: 1, created_at: "2024-05-01T10:00:00Z", embedding: "AAAA", tags: ["t"] })}\n`,
    entries: [
      {
        line: 1,
        memory: {
          content: "A",
          memory_type: "rule",
          is_active: false,
          importance: 1,
          tags: ["t"],
          origins: [{ said_at: "2024-05-01T10:00:00.000Z" }],
          source_id: `memledger:${"0".repeat(32)}`,
        },
      },
    ],
  },
  "lines written by hand, with CRLF, a byte order mark and blank lines": {
    format: "memledger",
    text: '\ufeff{"content":"A"}\r\n\r\n{"content":"B","source_id":"b"}',
    entries: [
      { line: 1, memory: { content: "A" } },
      { line: 3, memory: { content: "B", source_id: "b" } },
    ],
  },
  "an array instead of lines": {
    format: "memledger",
    text: '[\n  {"content": "A {[\\"]}"},\n  {"content": "B"}\n]',
    entries: [
      { line: 2, memory: { content: 'A {["]}' } },
      { line: 3, memory: { content: "B" } },
    ],
  },
  "the answer of mem0": {
    format: "mem0",
    text: JSON.stringify(
      { results: [mem0Memory], relations: [{ source: "dev", relationship: "works_at", target: "techcorp" }] },
      null,
      2,
    ),
    entries: [
      {
        line: 3,
        memory: {
          content: "Dev works at TechCorp",
          tags: ["work"],
          subject: "user:dev",
          memory_type: "context",
          expires_at: "2099-08-01T23:59:59Z",
          metadata: { type: "professional" },
          origins: [{ said_at: "2025-07-22T11:40:22.738Z" }],
          source_id: `mem0:${mem0Memory.id}`,
        },
      },
      { memory: { content: "dev works at techcorp" } },
    ],
  },
  "an array of mem0 on one line": {
    format: "mem0",
    text: JSON.stringify([{ id: "1", memory: "Likes tea" }]),
    entries: [{ line: 1, memory: { content: "Likes tea", source_id: "mem0:1" } }],
  },
  "the file of the MCP memory server": {
    format: "mcp-memory",
    text: `${[entity, { type: "entity", name: "Acme", entityType: "company", observations: [] }, relation].map((each) => JSON.stringify(each)).join("\n")}\n`,
    entries: [
      { line: 1, memory: { content: "Ana: lives in Porto", tags: ["person"] } },
      { line: 1, memory: { content: "Ana likes tea" } },
      { line: 2, memory: { content: "Acme (company)" } },
      { line: 3, memory: { content: "Ana works at Acme" } },
    ],
  },
  "a note of Basic Memory": {
    format: "basic-memory",
    text: note,
    entries: [
      {
        line: 11,
        memory: {
          content: "Coffee Brewing: Pour over is clearer (own experience)",
          tags: ["coffee", "home", "method", "brewing"],
        },
      },
      { line: 16, memory: { content: "Coffee Brewing relates to Tea Brewing", tags: ["coffee", "home"] } },
      { line: 17, memory: { content: "Coffee Brewing relates to Water" } },
    ],
  },
  "the list of ChatGPT": {
    format: "chatgpt",
    text: "```markdown\n# Model Set Context\n1. [2024-04-26]. User loves dogs.\n\n2. [2024-04-30]. User loves technology.\nUser has a cat.\n```\n",
    entries: [
      {
        line: 3,
        memory: { content: "User loves dogs.", origins: [{ said_at: "2024-04-26T00:00:00.000Z" }] },
      },
      { line: 5, memory: { content: "User loves technology." } },
      { line: 6, memory: { content: "User has a cat." } },
    ],
  },
  "the list of Claude": {
    format: "claude",
    text: "```\n[2025-03-01] - Prefers short answers.\n- [unknown] - Works in Lisbon.\n```\nThat is the complete set.\n",
    entries: [
      {
        line: 2,
        memory: { content: "Prefers short answers.", origins: [{ said_at: "2025-03-01T00:00:00.000Z" }] },
      },
      { line: 3, memory: { content: "Works in Lisbon." } },
      { line: 5, skipped: "is not an entry of the list" },
    ],
  },
  "memories.json of Claude": {
    format: "claude",
    text: JSON.stringify([
      {
        conversations_memory:
          "**Work context**\n\nAna is an advisor.\nShe works in Porto.\n\n- Likes tea\n- Likes trains",
        project_memories: { p: "Uses Go." },
        account_uuid: "a",
      },
    ]),
    entries: [
      { memory: { content: "Ana is an advisor. She works in Porto.", lead: "Work context" } },
      { memory: { content: "Likes tea" } },
      { memory: { content: "Likes trains" } },
      { memory: { content: "Uses Go." } },
    ],
  },
  "Markdown lists": {
    format: "markdown",
    text: "# Rules\n\nRead this first.\n\n- Use tabs\n  in all files\n* Never use npm\n  1. Use bun\n- [ ] Write tests\n```sh\n- no item\n```\n",
    entries: [
      { line: 3, memory: { content: "Read this first.", memory_type: "rule", lead: "Rules" } },
      { line: 5, memory: { content: "Use tabs in all files", memory_type: "rule", lead: "Rules" } },
      { line: 7, memory: { content: "Never use npm" } },
      { line: 8, memory: { content: "Use bun", lead: "Rules / Never use npm" } },
      { line: 9, memory: { content: "Write tests\n```sh\n- no item\n```" } },
    ],
  },
};

describe.each(Object.entries(samples))("%s", (_, { format, text, entries }) => {
  test(`is detected as ${format}`, async () => {
    expect(await detect(text)).toBe(format);
  });

  test("is read, in chunks of any size", async () => {
    for (const size of [1_000_000, 7, 1]) {
      const found = await read(format, text, size);
      expect(found).toHaveLength(entries.length);
      expect(found).toMatchObject([...entries]);
    }
  });
});

test("equal things have equal source ids, other things have others", async () => {
  const idsOf = async (text: string) =>
    (await read("mcp-memory", text)).map((entry) => ("memory" in entry ? entry.memory.source_id : null));
  const ids = await idsOf(`${JSON.stringify(entity)}\n${JSON.stringify(relation)}`);
  expect(new Set(ids)).toHaveLength(3);
  expect(await idsOf(`${JSON.stringify(relation)}\n${JSON.stringify(entity)}`)).toEqual([
    ids[2],
    ids[0],
    ids[1],
  ]);
});

describe("a broken line is a fault of this line only", () => {
  const cases: Readonly<Record<string, readonly [FormatName, string | Uint8Array, readonly RegExp[]]>> = {
    "JSON that does not end": [
      "memledger",
      '{"content":"A"}\n{"content": "B\n{"content":"C"}',
      [/^A$/, /is not valid JSON/, /^C$/],
    ],
    "no object": ["memledger", '"A"\n{"content":"C"}', [/is not a JSON object/, /^C$/]],
    "a name that appears twice": [
      "memledger",
      '{"content":"A","content":"B"}',
      [/has a field "content" that/],
    ],
    "an unknown field": [
      "memledger",
      '{"content":"A","importence":1}',
      [/has a field "importence" that is unknown; did you mean "importance"/],
    ],
    "bytes that are not UTF-8": [
      "memledger",
      Buffer.concat([
        Buffer.from('{"content":"A"}\n'),
        Buffer.from([0xff, 0xfe, 0x0a]),
        Buffer.from('{"content":"C"}'),
      ]),
      [/^A$/, /is not valid UTF-8/, /^C$/],
    ],
    "a NUL byte": ["memledger", '{"content":"A\0"}\n{"content":"C"}', [/is not valid JSON/, /^C$/]],
    "a text that is not UTF-8": [
      "chatgpt",
      Buffer.from([0x41, 0x0a, 0xc3, 0x28, 0x0a, 0x42]),
      [/^A$/, /is not valid UTF-8/, /^B$/],
    ],
    "an array that does not end": [
      "mem0",
      '[{"memory":"A"},\n{"memory":"B"',
      [/^A$/, /begins a JSON object that does not end/],
    ],
    "an array without its bracket": ["mem0", '[{"memory":"A"}', [/^A$/, /ends inside a JSON document/]],
    "an element that is no memory": [
      "mem0",
      '[{"memory":1},{"memory":"B"}]',
      [/has no field "memory"/, /^B$/],
    ],
    "elements that are no objects": [
      "mem0",
      '["Likes tea", 1.5, {"memory":"B"}, ["C"], null]',
      [/is not a JSON object/, /is not a JSON object/, /^B$/, /is not a JSON object/, /is not a JSON object/],
    ],
    "elements of a result that are no objects": [
      "mem0",
      '{"results": [\n"Likes tea",\n{"memory":"B"}]}',
      [/is not a JSON object/, /^B$/],
    ],
    "an object over several lines without an array": [
      "mem0",
      '{\n"memory": "A"\n}',
      [/has no array of JSON objects/],
    ],
    "text around an array": ["mem0", '[{"memory":"A"}] and {more}', [/^A$/, /is not a JSON object/]],
    "front matter that does not end": [
      "basic-memory",
      "---\ntags: [a]\n- [fact] B is C",
      [/begins front matter that does not end/, /B is C/],
    ],
    "an entity without a name": [
      "mcp-memory",
      '{"type":"entity","observations":[]}',
      [/is an entity without "name"/],
    ],
    "an observation that is not a text": [
      "mcp-memory",
      '{"type":"entity","name":"A","observations":[1,"b"]}',
      [/an observation that is not a text/, /^A: b$/],
    ],
    "front matter that is not YAML": [
      "basic-memory",
      "---\ntags: [a\n---\n- [fact] B is C",
      [/not valid YAML/, /B is C/],
    ],
  };
  test.each(Object.entries(cases))("%s", async (_, [format, text, expected]) => {
    const found = contents(await read(format, text));
    expect(found).toHaveLength(expected.length);
    for (const [at, pattern] of expected.entries()) expect(String(found[at])).toMatch(pattern);
  });
});

test("a line of any length is not kept in memory, and the next ones are read", async () => {
  const megabyte = Buffer.alloc(1024 * 1024, 0x78);
  const count = 512;
  async function* huge(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"content":"A"}\n{"content":"');
    for (let sent = 0; sent < count; sent++) yield megabyte;
    yield Buffer.from('"}\n{"content":"C"}\n');
  }
  const before = process.memoryUsage().rss;
  const entries = await Array.fromAsync(formats.memledger.read(await openStream(huge(), "huge")));
  expect(contents(entries)).toEqual(["A", expect.stringMatching(/is longer than 1 MiB/), "C"]);
  expect(entries.map(({ line }) => line)).toEqual([1, 2, 3]);
  expect(process.memoryUsage().rss - before).toBeLessThan((count / 2) * megabyte.length);
});

test("an element of any length is not kept in memory either", async () => {
  async function* huge(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('[{"memory":"');
    for (let sent = 0; sent < 8; sent++) yield Buffer.alloc(1024 * 1024, 0x78);
    yield Buffer.from('"},{"memory":"B"}]');
  }
  const entries = await Array.fromAsync(formats.mem0.read(await openStream(huge(), "huge")));
  expect(contents(entries)).toEqual([expect.stringMatching(/is longer than 1 MiB/), "B"]);
});

test.each<[FormatName, string, readonly unknown[]]>([
  ["markdown", "- Use tabs\n", [expect.stringMatching(/is longer than 1 MiB/), "[b] B"]],
  ["basic-memory", "---\n", ["notes: B"]],
])("what %s continues over many lines is not kept in memory", async (format, first, expected) => {
  const lines = Buffer.from(`  ${"x".repeat(1_022)}\n`.repeat(1_024));
  async function* huge(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(first);
    for (let sent = 0; sent < 8; sent++) yield lines;
    yield Buffer.from("- [b] B\n");
  }
  const entries = await Array.fromAsync(formats[format].read(await openStream(huge(), "notes.md")));
  expect(contents(entries)).toEqual([...expected]);
});

test("relations to one note with other remarks are other memories", async () => {
  const entries = await read("basic-memory", "- uses [[B]] (for tests)\n- uses [[B]] (for releases)\n");
  const ids = entries.map((entry) => ("memory" in entry ? entry.memory.source_id : null));
  expect(new Set(ids).size).toBe(2);
});

describe("a source that cannot be imported", () => {
  const cases: Readonly<Record<string, readonly [Uint8Array, RegExp]>> = {
    "a gzip file": [
      Bun.gzipSync('{"content":"A"}'),
      /compressed with gzip. Decompress it: gunzip -c FILE \| memledger memory import -/,
    ],
    "a zstd file": [Bun.zstdCompressSync('{"content":"A"}'), /compressed with zstd/],
    "a ZIP archive": [Buffer.from("PK\x03\x04rest"), /ZIP archive. Unpack it/],
    "a database": [Buffer.from("SQLite format 3\0rest"), /SQLite database/],
    "a file in UTF-16": [Buffer.from("\ufeff- a", "utf16le"), /UTF-16. Convert it to UTF-8: iconv/],
  };
  test.each(Object.entries(cases))("%s is refused as a whole", async (_, [bytes, message]) => {
    await expect(sourceOf(bytes)).rejects.toThrow(message);
  });

  test("a text in no known format", async () => {
    await expect(detect("Dear Ana,\nhow are you?\n")).rejects.toThrow(
      /format of notes.md was not recognised. Name it with --format: .*If each line is one memory, use --format chatgpt/,
    );
  });

  test("a first line that is longer than what is read to detect the format", async () => {
    const text = `${JSON.stringify({ content: "x".repeat(400_000) })}\n`;
    await expect(detect(text)).rejects.toThrow(
      /notes.md was not recognised, because its first line is longer than 64 KiB. Name it with --format: mcp-memory/,
    );
  });

  test("a directory, unless the format reads directories", async () => {
    const notes = join(folder, "notes");
    mkdirSync(join(notes, "sub", ".obsidian"), { recursive: true });
    await expect(openImport(notes, null)).rejects.toThrow(/contains no Markdown files/);
    writeFileSync(join(notes, "sub", "b.md"), "- [fact] Tea is hot\n");
    writeFileSync(join(notes, "a.md"), note);
    writeFileSync(join(notes, "sub", ".obsidian", "c.md"), "- [fact] hidden\n");
    symlinkSync(join(notes, "a.md"), join(notes, "link.md"));
    await expect(openImport(notes, "mem0")).rejects.toThrow(
      /is a directory, and the format mem0 reads files/,
    );
    const { format, entries } = await openImport(notes, null);
    expect(format).toEqual({ name: "basic-memory or markdown", reason: "is a directory" });
    const found = await Array.fromAsync(entries);
    expect(found.map(({ file, line }) => [file, line])).toEqual([
      [join(notes, "a.md"), 11],
      [join(notes, "a.md"), 16],
      [join(notes, "a.md"), 17],
      [join(notes, "sub", "b.md"), 1],
    ]);
  });
});

test("a file that changes while it is read is reported", async () => {
  const path = join(folder, "changing.jsonl");
  writeFileSync(path, '{"content":"A"}\n');
  const { entries, changedFiles, bytes } = await openImport(path, null);
  expect(bytes).toBe(16);
  for await (const _ of entries) writeFileSync(path, '{"content":"A"}\n{"content":"B"}\n');
  expect(changedFiles()).toEqual([path]);
});

test("an empty file, and one of white space, has no format and no memories", async () => {
  for (const text of ["", "\n \n", "\ufeff"]) expect(await detect(text)).toBeUndefined();
});

test("any bytes are read without a failure", () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...formatNames),
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc
          .array(
            fc.constantFrom(
              "{",
              "}",
              "[",
              "]",
              '"',
              "\\",
              "\n",
              "\r",
              "- ",
              "[a] ",
              "---",
              "[[",
              "]]",
              "memory",
              ":",
              "x",
              "\0",
            ),
            { maxLength: 60 },
          )
          .map((parts) => Buffer.from(parts.join(""))),
      ),
      fc.integer({ min: 1, max: 20 }),
      async (format, bytes, size) => {
        const whole = await sourceOf(bytes).catch(() => null);
        if (whole === null) return;
        const entries = await Array.fromAsync(formats[format].read(whole));
        const again = await read(format, bytes, size);
        expect(again).toEqual(entries);
        expect(entries.every(({ line }) => Number.isSafeInteger(line) && line > 0)).toBe(true);
      },
    ),
  ));
