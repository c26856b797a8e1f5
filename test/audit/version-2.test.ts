// Tests version 2 of the record format: the golden texts, and the verification of made databases and of forged ones.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { goldenTexts, makeVersion2Database } from "./version-2-database.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-version-2-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("golden texts of version 2", () => {
  const texts = goldenTexts(makeVersion2Database(join(folder, "golden")));
  test.each(Object.keys(texts))("%s", (name) => {
    expect(texts[name]).toBe(readFileSync(join(import.meta.dir, "golden/v2", name), "utf8"));
  });
});
