// Attacks an import with long lines that are written so that a reader tries many ways to read them. Without linear readers, each of these
// takes minutes.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importMemories, noCounts } from "../../src/assistants/importing/import-memories.ts";
import { openImport } from "../../src/assistants/importing/open-import.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const length = 400_000;
const repeated = (text: string) => text.repeat(length / text.length);

test.each([
  ["opening brackets", "basic-memory", `- ${repeated("[[")}`],
  ["brackets that almost close", "basic-memory", `- ${repeated("[[a]")}`],
  ["spaces in front of a bracket", "basic-memory", `- a${repeated(" ")}[`],
  ["hash signs", "basic-memory", `- [a] ${repeated(" #")}x`],
  ["empty lines behind a brace", null, `{${repeated("\n")}`],
  ["fields in front of the results", null, `{${repeated('"count": 1, ')}`],
  ["fields with spaces", null, `{${repeated('"next" : null , ')}x`],
  ["nested arrays", null, repeated("[")],
] as const)("%s", async (name, format, text) => {
  const path = join(folder, name);
  writeFileSync(path, `${text}\n`);
  const counts = noCounts();
  try {
    const { entries } = await openImport(path, format);
    const options = { entries, calls: null, type: "fact", tags: [], subject: null, now: 0 } as const;
    await importMemories({ ...options, onMessage() {}, onProgress() {} }, counts);
  } catch (error) {
    expect(String(error)).toContain("was not recognised");
  }
  expect(counts.created).toBe(0);
});
