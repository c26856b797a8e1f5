// Tests that a recording names what differs from run to run, and that no difference passes that expected-changes does not list.

import { expect, test } from "bun:test";
import { compare, parseExpectedChanges, parseSections, printSections } from "./difference.ts";
import { createRecording, printJson } from "./recording.ts";

const nothing = parseExpectedChanges("# a comment\n\n");
const before = new Map([
  ["memory.create", "### performed\nThe memory was mended.\n"],
  ["memory.read", "### performed\nmend it\n"],
]);
const after = new Map([...before, ["memory.create", "### performed\nThe memory was repaired.\n"]]);
const expected = (line: string) => compare("HTTP API", before, after, parseExpectedChanges(line));

test("sections are read as they were written", () => {
  expect(parseSections(printSections("HTTP API", before))).toEqual(before);
});

test("equal recordings have no difference", () => {
  expect(compare("HTTP API", before, new Map(before), nothing)).toEqual([]);
});

test("a difference names the transport and the operation, with both lines", () => {
  const [difference = "", ...more] = compare("HTTP API", before, after, nothing);
  expect(difference).toStartWith("HTTP API / memory.create\n@@");
  expect(difference).toContain("-The memory was mended.\n+The memory was repaired.");
  expect(more).toEqual([]);
});

test("an operation that is gone or new is a difference", () => {
  expect(compare("HTTP API", before, new Map([...before].slice(1)), nothing)).toHaveLength(1);
  expect(compare("HTTP API", new Map(), before, nothing)).toHaveLength(2);
});

test("a listed change passes, and no other one", () => {
  expect(expected('"mended" -> "repaired": plain words')).toEqual([]);
  expect(expected("HTTP API / memory.create: plain words")).toEqual([]);
  expect(expected('"mended" -> "restored": plain words')).toHaveLength(1);
  expect(expected("console / memory.create: plain words")).toHaveLength(1);
});

test("a line without a reason is refused", () => {
  for (const line of ["HTTP API / memory.create", "HTTP API / memory.create: ", '"mended" -> "repaired"'])
    expect(() => parseExpectedChanges(line)).toThrow("expected-changes");
});

test("what differs from run to run has a name, the same for the same value, and all else stays", () => {
  const recording = createRecording();
  const [one, other, kept] = ["a1", "b2", "c3"].map((text) => text.repeat(16)) as [string, string, string];
  recording.know(kept, "fact");
  const value = {
    ids: [one, other, one, kept],
    at: "2026-11-28T07:00:00.123Z",
    until: "2099-01-01T00:00:00Z",
  };
  recording.observe("memory.read", "performed", printJson({ ...value, duration: 12.5, similarity: 0.87654 }));
  const [, text = ""] = /^### performed\n(.*)$/s.exec(recording.sections().get("memory.read") ?? "") ?? [];
  expect(JSON.parse(text)).toEqual({
    ids: ["<id 1>", "<id 2>", "<id 1>", "<fact>"],
    at: "<time>",
    until: "2099-01-01T00:00:00Z",
    duration: "<duration>",
    similarity: 0.88,
  });
});
