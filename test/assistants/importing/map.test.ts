// Tests `--map`: any JSON Lines or CSV, with the values that tables have, and each line that cannot be read.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { readCsv, separatorOf, separators } from "../../../src/assistants/importing/csv.ts";
import { addToMap, requireContent } from "../../../src/assistants/importing/field-map.ts";
import { openImport } from "../../../src/assistants/importing/open-import.ts";
import { readTextLines } from "../../../src/assistants/importing/text-lines.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-map-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function open(text: string | Uint8Array, map: string) {
  const file = join(folder, "table");
  writeFileSync(file, text);
  return openImport(file, null, requireContent(addToMap(map)));
}
const read = async (text: string | Uint8Array, map: string) =>
  (await Array.fromAsync((await open(text, map)).entries)).map(({ file: _, ...entry }) => entry);

async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const rows = (text: string, size = 1_000) =>
  Array.fromAsync(readCsv(readTextLines(chunksOf(text, size)), separatorOf(text)));

test("a table has each field of a memory in a column", async () => {
  const header = "text,kind,weight,ts,until,labels,extra,on,key,who,heading,speaker,part,topic";
  const row =
    '"Ana said ""yes"", twice.",Rule,0.8,1714128000,2099-01-31,"a, b","{""n"":1}",no,17,user:ada,Team,Ana,User,tea';
  const map =
    "content=text,type=kind,importance=weight,created=ts,expires_at=until,tags=labels,metadata=extra,is_active=on,source_id=key,subject=who,lead=heading,name=speaker,role=part,metadata.topic=topic";
  expect(await read(`\ufeff${header}\r\n${row}\r\n`, map)).toEqual([
    {
      line: 2,
      memory: {
        content: 'Ana said "yes", twice.',
        memory_type: "rule",
        importance: 0.8,
        expires_at: "2099-01-31T23:59:59Z",
        tags: ["a", "b"],
        metadata: { n: 1, topic: "tea" },
        is_active: false,
        source_id: "17",
        subject: "user:ada",
        lead: "Team",
        origins: [{ said_at: "2024-04-26T10:40:00.000Z", name: "Ana", role: "user" }],
      },
    },
  ]);
});

test("JSON objects have fields within fields, and an object without the content is refused", async () => {
  const text =
    '{"value":{"text":"A"},"at":"2024-03-12","id":7}\n{"value":{}}\n[1]\n{"value":{"text":"B"},"at":null}\n';
  const map = "content=value.text,said_at=at,source_id=id";
  expect(await read(text, map)).toMatchObject([
    { line: 1, memory: { content: "A", source_id: "7", origins: [{ said_at: "2024-03-12T00:00:00.000Z" }] } },
    { line: 2, fault: 'has no "value.text"' },
    { line: 3, fault: expect.stringMatching(/is not a JSON object/) },
    { line: 4, memory: { content: "B" } },
  ]);
  expect(await read('[{"t":"A"},\n{"t":"B"}]', "content=t")).toMatchObject([
    { line: 1, memory: { content: "A" } },
    { line: 2, memory: { content: "B" } },
  ]);
});

test("what is not mapped is named before anything is stored", async () => {
  expect((await open("text;lang;score\nA;en;1\n", "content=text")).format).toEqual({
    name: "map",
    reason: 'has columns; not mapped: "lang", "score"',
  });
  expect(
    (await open('{"text":"A","meta":{"x":1},"lang":"en"}\n', "content=text,tags=tag,lead=meta.x")).format,
  ).toMatchObject({ reason: 'has JSON objects; not mapped: "lang"; the first object has no "tag"' });
});

describe("a map that does not fit", () => {
  const maps: Readonly<Record<string, readonly [string, RegExp]>> = {
    "an unknown field": ["contents=text", /"contents" is unknown; did you mean "content"\?/],
    "no pair": ["content", /"content" is not a pair such as content=text/],
    "an empty source": ["content=", /is not a pair/],
    "a field twice": ["content=a,content=b", /"content" is mapped twice/],
    "no content": ["lead=a", /Say which field is the content/],
    "a part of the metadata without a name": ["content=a,metadata.=b", /"metadata\." is unknown/],
  };
  test.each(Object.entries(maps))("%s", (_, [map, message]) => {
    expect(() => requireContent(addToMap(map))).toThrow(message);
  });

  test("a column that the table does not have, or has twice", async () => {
    await expect(open("a,b\n1,2\n", "content=text")).rejects.toThrow(
      /has no column "text"\. Its columns are "a", "b"\. Correct --map\./,
    );
    await expect(open("text,text\n1,2\n", "content=text")).rejects.toThrow(/has several columns "text"/);
    await expect(open('"a\n', "content=text")).rejects.toThrow(
      /has no header: its line 1 has a quotation mark/,
    );
  });
});

describe("a line at fault is refused alone", () => {
  const tables: Readonly<Record<string, readonly [string | Uint8Array, readonly object[]]>> = {
    "too few and too many cells": [
      "text,b\nA\nB,1,2\nC,1\n",
      [{ line: 2, fault: "has 1 cells; the header has 2" }, { line: 3, fault: /has 3 cells/ }, { line: 4 }],
    ],
    "text behind a quoted cell": [
      'text,b\n"A"x,1\nB,1\n',
      [{ line: 2, fault: "has text behind a quoted cell" }, { line: 3 }],
    ],
    "a quotation mark that does not end": [
      'text,b\nA,1\n"B,1\nC,1\n',
      [{ line: 2 }, { line: 3, fault: /quotation mark that does not end/ }],
    ],
    "bytes that are not UTF-8": [
      Buffer.concat([Buffer.from("text\nA\n"), Buffer.from([0xe9, 0x0a]), Buffer.from("B\n")]),
      [{ line: 2 }, { line: 3, fault: /not valid UTF-8/ }, { line: 4 }],
    ],
    "bytes that are not UTF-8 in a quoted cell": [
      Buffer.concat([Buffer.from('text\n"A\n'), Buffer.from([0xe9, 0x0a]), Buffer.from("B\n")]),
      [{ line: 2, fault: /not readable/ }, { line: 3, fault: /not valid UTF-8/ }, { line: 4 }],
    ],
    "an empty cell": [
      "text,b\n,1\n  ,2\nC,3\n",
      [{ fault: 'has no "text"' }, { fault: 'has no "text"' }, {}],
    ],
  };
  test.each(Object.entries(tables))("%s", async (_, [text, expected]) => {
    const found = await read(text, "content=text");
    expect(found).toHaveLength(expected.length);
    for (const [at, { fault, ...rest }] of (expected as { fault?: string | RegExp }[]).entries())
      expect(found[at]).toMatchObject({
        ...rest,
        ...(fault === undefined ? { memory: {} } : { fault: expect.stringMatching(fault) }),
      });
  });

  test("a quoted cell of any length is not kept in memory, and the next row is read", async () => {
    async function* huge(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('text,b\n"');
      for (let sent = 0; sent < 64; sent++) yield Buffer.from(`${"x".repeat(1_023)}\n`.repeat(1_024));
      yield Buffer.from('",1\nB,2\n');
    }
    const found = await Array.fromAsync(readCsv(readTextLines(huge()), ","));
    expect(found).toMatchObject([
      { cells: ["text", "b"] },
      { line: 2, fault: expect.stringMatching(/longer than 1 MiB/) },
      { cells: ["B", "2"] },
    ]);
  });
});

test("any table is read as it was written, in chunks of any size", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.array(fc.constantFrom("a", "", 'say "x"', "two\nlines", "a;b", "c,d", "e\tf", "日本"), {
          minLength: 2,
          maxLength: 2,
        }),
        {
          minLength: 1,
          maxLength: 10,
        },
      ),
      fc.constantFrom(...separators),
      fc.integer({ min: 1, max: 9 }),
      async (table, delimiter, size) => {
        const text = stringify([["x", "y"], ...table], { delimiter, quoted_string: true });
        const found = await rows(text, size);
        expect(found.map((row) => ("cells" in row ? row.cells : row.fault))).toEqual([["x", "y"], ...table]);
      },
    ),
  ));

describe("a hostile table", () => {
  test("has values that no text can be made of, and the other rows count", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const lines = [
      { text: "A", on: { toString: 1, valueOf: 1 } },
      { text: "B", labels: deep },
      { text: "C", extra: `{"a":${deep}}` },
      { text: "D", on: "no" },
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const entries = await read(text, "content=text,is_active=on,tags=labels,metadata=extra");
    expect(entries).toHaveLength(lines.length);
    expect(() => JSON.stringify(entries)).not.toThrow();
    expect(entries.slice(2)).toMatchObject([
      { memory: { content: "C", metadata: lines[2]?.extra } },
      { memory: { content: "D", is_active: false } },
    ]);
  });

  test("keeps no more of a row without an end than of a long one", async () => {
    const cells = ",".repeat(500_000);
    const row = `a${`${cells}"\n"`.repeat(4)}\nb,c\n`;
    const [first, ...others] = await rows(`a,b\n${row}`, 64 * 1024).then((all) => all.slice(1));
    expect(first).toMatchObject({ line: 2, fault: expect.stringContaining("longer") });
    expect(others).toEqual([{ line: 7, cells: ["b", "c"] }]);
  });
});
