// Holds docs/OPERATING.md to the source: every line of the log and every reason that it names exists.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const page = readFileSync(join(root, "docs/OPERATING.md"), "utf8");
const source = [...new Bun.Glob("src/**/*.ts").scanSync({ cwd: root })]
  .map((path) => readFileSync(join(root, path), "utf8"))
  .join("\n");

/** First cells of the rows of the table whose head begins with this word. */
function firstCells(head: string): string[] {
  const start = page.indexOf(`| ${head} |`);
  const table = page.slice(start, page.indexOf("\n\n", start)).split("\n").slice(2);
  return table.map((row) => row.split("|")[1]?.trim() ?? "");
}

test("lines of the log", () => {
  const messages = firstCells("message");
  expect(messages.length).toBeGreaterThan(10);
  expect(messages.filter((message) => !source.includes(`"${message}`))).toEqual([]);
});

test("reasons for not being ready", () => {
  const reasons = firstCells("reason")
    .flatMap((cell) => cell.split("; "))
    .filter((reason) => !/\bN\b|^the writer, /.test(reason));
  expect(reasons.length).toBeGreaterThan(6);
  expect(reasons.filter((reason) => !source.includes(`"${reason}"`))).toEqual([]);
});
