// Checks the reading of transcript files: where a batch ends, what is skipped, and which files are not read.

import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRecords } from "../../../src/assistants/hooks/transcripts/read-records.ts";
import { RefusedFile } from "../../../src/platform/files/regular-file.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-hooks-"));
const path = join(folder, "transcript.jsonl");
afterEach(() => rmSync(path, { force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

/** Reads to the end as the extraction does. */
function readAll(from = 0, windowBytes = 64): { values: unknown[]; end: number } {
  const values: unknown[] = [];
  let end = from;
  for (;;) {
    const batch = readRecords(path, end, windowBytes);
    values.push(...batch.records.map(({ value }) => value));
    if (batch.end === end) return { values, end };
    end = batch.end;
  }
}

describe("a transcript", () => {
  test("is read in windows, each line once", () => {
    const lines = Array.from({ length: 50 }, (_, index) => ({ index, text: "ä".repeat(index % 20) }));
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    for (const windowBytes of [64, 65, 100, 1_000, 1_000_000]) {
      expect(readAll(0, windowBytes).values).toEqual(lines);
    }
  });

  test("is read again from the end of the last batch", () => {
    writeFileSync(path, '{"a":1}\n');
    const first = readAll();
    appendFileSync(path, '{"a":2}\n');
    expect(readAll(first.end).values).toEqual([{ a: 2 }]);
  });

  test("whose last line has no end is read up to the line before, until the line is complete", () => {
    writeFileSync(path, '{"a":1}\n{"a":');
    const first = readAll();
    expect(first).toEqual({ values: [{ a: 1 }], end: 8 });
    appendFileSync(path, "2}");
    const second = readAll(first.end);
    expect(second.values).toEqual([{ a: 2 }]);
    appendFileSync(path, '\n{"a":3}\n');
    expect(readAll(second.end).values).toEqual([{ a: 3 }]);
  });

  test("loses only a line that is longer than the window, and lines that are no objects", () => {
    const long = JSON.stringify({ image: "A".repeat(300), nested: { a: 1 } });
    writeFileSync(path, `{"a":1}\n${long}\n\nno JSON\n[1]\nnull\n\u0000\n{"a":2}\n`);
    expect(readAll().values).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test("that was replaced by a shorter file is read from its beginning", () => {
    writeFileSync(path, '{"a":1}\n');
    expect(readRecords(path, 1_000).records.map(({ value }) => value)).toEqual([{ a: 1 }]);
  });

  test("without content", () => {
    writeFileSync(path, "");
    expect(readAll()).toEqual({ values: [], end: 0 });
  });
});

describe("what is no regular file is refused without waiting", () => {
  test("a pipe", () => {
    expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
    expect(() => readRecords(path, 0)).toThrow(RefusedFile);
  });

  test.each(["/dev/zero", folder])("%s", (odd) => {
    expect(() => readRecords(odd, 0)).toThrow(RefusedFile);
  });

  test("nothing", () => {
    expect(() => readRecords(join(folder, "missing"), 0)).toThrow("ENOENT");
  });
});
