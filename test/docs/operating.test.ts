// Holds docs/operator/OPERATING.md to the source: every line of the log and every reason that it names exists.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const page = readFileSync(join(root, "docs/operator/OPERATING.md"), "utf8");
const files = [...new Bun.Glob("src/**/*.ts").scanSync({ cwd: root })].map((path) =>
  readFileSync(join(root, path), "utf8"),
);
const source = files.join("\n");

/** First cells of the rows of the table whose head begins with this word. */
function firstCells(head: string): string[] {
  const start = page.indexOf(`| ${head} |`);
  const table = page.slice(start, page.indexOf("\n\n", start)).split("\n").slice(2);
  return table.map((row) => row.split("|")[1]?.trim() ?? "");
}

/** What a template has in place of its expressions is for the reader to know. */
const plain = (text: string) => text.replaceAll(/\$\{[^}]*\}/g, "NAME");

/** The text that each call of a logger begins with; of a call with a name, the text that the name has in the same file. */
function logged(): string[] {
  return files.flatMap((file) => {
    const calls = file.matchAll(
      /(?:[lL]ogger|createLogger\(\w+\))\.(?:info|warn|error)\(\s*(?:"([^"]+)"|`([^`]+)`|(\w+))/g,
    );
    return [...calls].flatMap(([, text, template, name]) => {
      if (name === undefined) return [plain(text ?? template ?? "")];
      const named = file.matchAll(new RegExp(`const ${name} =\\s+(?:"([^"]+)"|\`([^\`]+)\`)[;,]`, "g"));
      return [...named].map(([, found, other]) => plain(found ?? other ?? ""));
    });
  });
}

const documented = firstCells("message").flatMap((cell) => cell.split("; "));

test("no line of the log is missing", () => {
  const messages = logged();
  expect(messages.length).toBeGreaterThan(25);
  const isTold = (message: string) =>
    documented.some((cell) => message === cell || message.startsWith(`${cell};`));
  expect([...new Set(messages)].filter((message) => !isTold(message))).toEqual([]);
});

test("lines of the log", () => {
  const known = logged();
  expect(documented.length).toBeGreaterThan(25);
  expect(documented.filter((message) => !known.some((each) => each.startsWith(message)))).toEqual([]);
});

test("reasons for not being ready", () => {
  const reasons = firstCells("reason")
    .flatMap((cell) => cell.split("; "))
    .filter((reason) => !/\bN\b|^the writer, /.test(reason));
  expect(reasons.length).toBeGreaterThan(6);
  expect(reasons.filter((reason) => !source.includes(`"${reason}"`))).toEqual([]);
});
