// Holds docs/OPERATIONS.md to the source: every message that it quotes exists.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root, tableOf } from "./pages.ts";

/** Texts of the source, in which parts of a message that differ from case to case are `...`. */
const source = [...new Bun.Glob("src/**/*.ts").scanSync({ cwd: root })]
  .map((path) => readFileSync(join(root, path), "utf8").replaceAll(/\$\{[^}]*\}/g, "..."))
  .join("\n");

const messages = tableOf("docs/OPERATIONS.md", "message", "By message").map(([message = ""]) => message);

test("the page quotes messages", () => expect(messages.length).toBeGreaterThan(25));

test.each(messages)("the program has the message: %s", (message) => {
  expect(source.includes(message)).toBe(true);
});
