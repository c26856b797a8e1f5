// Proves the two forms of the log: JSON for programs, and lines that people read on a terminal.

import { expect, test } from "bun:test";
import { createLogger } from "../../../src/platform/log/logger.ts";

function logged(isRead: boolean, fields: Record<string, unknown>): string {
  const lines: string[] = [];
  createLogger("info", (line) => lines.push(line) > 0, isRead).warn("the disk is nearly full", fields);
  return lines.join("");
}

test("for programs: one line of JSON", () => {
  const line = logged(false, { free: 12, error: new Error("no\nspace") });
  expect(JSON.parse(line)).toMatchObject({ level: "warn", message: "the disk is nearly full", free: 12 });
  expect(line.split("\n")).toHaveLength(2);
});

test("on a terminal: time, level, message and fields", () => {
  const line = logged(true, { folder: "/srv/data", free: 12, none: null, cause: "a long write", ok: false });
  expect(line.slice("21:19:04".length)).toBe(
    'Z warn  the disk is nearly full  folder=/srv/data  free=12  cause="a long write"  ok=false\n',
  );
});

test("on a terminal a stack trace has its lines, and no control character is written", () => {
  const line = logged(true, { error: "Error: no\n  at write", name: "\u001b[31mred\u0007" });
  expect(line).toEndWith("error=\n    Error: no\n    at write  name=\uFFFD[31mred\uFFFD\n");
});
