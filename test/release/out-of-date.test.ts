// Proves that a start from a clone builds when the source has changed, and only then.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOutOfDate } from "../../release/out-of-date.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-test-"));
afterAll(() => rmSync(folder, { recursive: true }));
const [built, source, inner] = ["built", "source", "source/inner"].map((name) => join(folder, name));
const file = join(inner ?? "", "file.ts");

/** Everything is older than what was built, except for what `change` touches. */
function afterChange(change: () => void): boolean {
  mkdirSync(inner ?? "", { recursive: true });
  for (const path of [file, join(source ?? "", "other.ts"), built ?? ""]) writeFileSync(path, "");
  for (const path of [file, join(source ?? "", "other.ts"), inner ?? "", source ?? ""])
    utimesSync(path, 1, 1);
  change();
  return isOutOfDate(built ?? "", [source ?? ""]);
}

test.each([
  ["nothing", () => {}, false],
  ["a file in a folder", () => utimesSync(file, 4e9, 4e9), true],
  ["the names in a folder", () => utimesSync(inner ?? "", 4e9, 4e9), true],
  ["what was built is missing", () => rmSync(built ?? ""), true],
])("%s", (_, change, isOld) => expect(afterChange(change)).toBe(isOld));
