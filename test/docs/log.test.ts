// Holds docs/operator/LOG.md to the source: every line of the log and every reason that it names exists.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root, tableOf } from "./pages.ts";

const page = "docs/operator/LOG.md";
const files = [...new Bun.Glob("src/**/*.ts").scanSync({ cwd: root })].map((path) =>
  readFileSync(join(root, path), "utf8"),
);
const source = files.join("\n");

/** What a template has in place of its expressions is for the reader to know. */
const plain = (text: string) => text.replaceAll(/\$\{[^}]*\}/g, "NAME");

interface Line {
  readonly level: string;
  readonly message: string;
}

/** The text that each call of a logger begins with; of a call with a name, the text that the name has in the same file. */
const logged: readonly Line[] = files.flatMap((file) => {
  const calls = file.matchAll(
    /(?:[lL]ogger|createLogger\(\w+\))\.(info|warn|error)\(\s*(?:"([^"]+)"|`([^`]+)`|(\w+))/g,
  );
  return [...calls].flatMap(([, level = "", text, template, name]) => {
    if (name === undefined) return [{ level, message: plain(text ?? template ?? "") }];
    const named = file.matchAll(new RegExp(`const ${name} =\\s+(?:"([^"]+)"|\`([^\`]+)\`)[;,]`, "g"));
    return [...named].map(([, found, other]) => ({ level, message: plain(found ?? other ?? "") }));
  });
});

test.each([
  ["error", "Errors", 15],
  ["warn", "Warnings", 8],
])("the lines of the log with the level %s are those of the table", (level, title, least) => {
  const documented = tableOf(page, "message", title).map(([message = ""]) => message);
  const inSource = logged.filter((line) => line.level === level).map(({ message }) => message);
  expect(documented.length).toBeGreaterThan(least);
  // The table has a message up to its first semicolon; what follows says what to do.
  const isDocumented = (message: string) => documented.includes(message.split(";")[0] ?? "");
  expect(inSource.filter((message) => !isDocumented(message))).toEqual([]);
  expect(documented.filter((message) => !inSource.some((each) => each.startsWith(message)))).toEqual([]);
});

test("reasons for not being ready", () => {
  const reasons = tableOf(page, "reason")
    .flatMap(([cell = ""]) => (source.includes(`"${cell}"`) ? [cell] : cell.split("; ")))
    .filter((reason) => !/\bN\b|^the writer, /.test(reason));
  expect(reasons.length).toBeGreaterThan(6);
  expect(reasons.filter((reason) => !source.includes(`"${reason}"`))).toEqual([]);
});
