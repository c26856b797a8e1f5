// Random JSON with comments: a value is added, changed and removed, and every byte that is not part of it stays.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findNodeAtLocation, parse, parseTree } from "jsonc-parser";
import { appendItem, removeValue, setValue } from "../../../src/assistants/connect/jsonc-edit.ts";
import { readValue } from "../../../src/assistants/connect/jsonc-tree.ts";
import { UnusableConfiguration } from "../../../src/assistants/connect/text-edit.ts";
import { isObject, type Json } from "../../../src/platform/json/json.ts";
import { jsonObjects, printJsonc, styles } from "./random-text.ts";

const entry = { command: "/opt/memledger", args: ["mcp", "--data-dir", "/data"], env: {} };
const values = (text: string): Json => parse(text, [], { allowTrailingComma: true });

/** Whether `shorter` is `longer` without some characters. */
function isContained(shorter: string, longer: string): boolean {
  let position = 0;
  for (const char of longer) if (char === shorter[position]) position += 1;
  return position === shorter.length;
}

describe("any file", () => {
  test("a property is added: nothing else changes, and removing it gives the same bytes", () => {
    fc.assert(
      fc.property(jsonObjects, styles, (root, style) => {
        const text = printJsonc({ ...root, mcpServers: { other: { command: "x" } } }, style);
        const added = setValue(text, ["mcpServers", "memledger"], entry);
        expect(values(added)).toEqual({ ...root, mcpServers: { other: { command: "x" }, memledger: entry } });
        expect(isContained(text, added)).toBe(true);
        expect(removeValue(added, ["mcpServers", "memledger"])).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test("objects on the way are created", () => {
    fc.assert(
      fc.property(jsonObjects, styles, (root, style) => {
        const { hooks: _, ...others } = root;
        const text = printJsonc(others, style);
        const added = appendItem(text, ["hooks", "Start"], entry);
        expect(values(added)).toEqual({ ...others, hooks: { Start: [entry] } });
        const again = appendItem(added, ["hooks", "Start"], { second: true });
        expect(values(again)).toEqual({ ...others, hooks: { Start: [entry, { second: true }] } });
        expect(removeValue(again, ["hooks", "Start", 1])).toBe(added);
        const removed = removeValue(added, ["hooks"]);
        expect(values(removed)).toEqual(others);
        if (Object.keys(others).length > 0) expect(removed).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test("a value in the middle is changed: everything in front of it and behind it stays", () => {
    fc.assert(
      fc.property(jsonObjects, jsonObjects, styles, (before, after, style) => {
        const { ours: _, ...others } = before;
        const root = {
          ...others,
          ours: { args: ["old"] },
          ...Object.fromEntries(Object.entries(after).map(([name, value]) => [`${name}-2`, value])),
        };
        const text = printJsonc(root, style);
        const changed = setValue(text, ["ours", "args"], ["new", "words"]);
        expect(values(changed)).toEqual({ ...root, ours: { args: ["new", "words"] } });
        const tree = parseTree(text, [], { allowTrailingComma: true });
        const old = tree === undefined ? undefined : findNodeAtLocation(tree, ["ours", "args"]);
        const [start, end] = [old?.offset ?? 0, (old?.offset ?? 0) + (old?.length ?? 0)];
        expect(text.slice(start, end)).toContain('"old"');
        expect(changed.startsWith(text.slice(0, start))).toBe(true);
        expect(changed.endsWith(text.slice(end))).toBe(true);
        const removed = removeValue(text, ["ours"]);
        const { ours: __, ...left } = root;
        expect(values(removed)).toEqual(left);
        expect(isContained(removed, text)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the text that is added", () => {
  test.each([
    ["", '{\n  "s": {\n    "m": 1\n  }\n}\n'],
    ["\r\n \r\n", '{\r\n  "s": {\r\n    "m": 1\r\n  }\r\n}\r\n'],
    ["// Zed\n", '// Zed\n{\n  "s": {\n    "m": 1\n  }\n}\n'],
    ["{}", '{\n  "s": {\n    "m": 1\n  }\n}'],
    ['{"a":1}', '{"a":1, "s": {"m":1}}'],
    ['{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"s": {\n\t\t"m": 1\n\t}\n}'],
    ['{\n  "a": 1, // c\n}', '{\n  "a": 1, // c\n  "s": {\n    "m": 1\n  },\n}'],
    ['{\n  "a": 1 // c\n}', '{\n  "a": 1, // c\n  "s": {\n    "m": 1\n  }\n}'],
    ['{\n    "s": {}\n}', '{\n    "s": {\n        "m": 1\n    }\n}'],
    ["{ // c\n}", '{ // c\n  "s": {\n    "m": 1\n  }\n}'],
    ['{\n  "s": { "a": 1 }\n}', '{\n  "s": { "a": 1, "m": 1 }\n}'],
  ])("%j", (text, expected) => {
    expect(setValue(text, ["s", "m"], 1)).toBe(expected);
  });
});

describe("a file that cannot be edited", () => {
  test.each([
    ['{"a": 1 "b": 2}', "not valid JSON at line 1, column 9: comma expected"],
    ['{\n  "a": \n', "not valid JSON at line 3, column 1: value expected"],
    ['{\n  "a": tru\n}', "not valid JSON at line 2, column 8: unexpected text"],
    ['{"a": "x\n"}', "not valid JSON at line 1, column 7: unexpected end of string"],
    ["[1]", "the file is not an object at line 1, column 1"],
    ['{"s": []}', '"s" is not an object at line 1, column 7'],
    ['{"s": null}', '"s" is not an object at line 1, column 7'],
    ['{"s": {},\n "s": {}}', '"s" appears a second time at line 2, column 2'],
    ["{} {}", "not valid JSON at line 1, column 4: end of file expected"],
  ])("%j", (text, message) => {
    expect(() => setValue(text, ["s", "m"], 1)).toThrow(new UnusableConfiguration(message));
  });

  test("an object where an array belongs", () => {
    expect(() => appendItem('{"hooks": {"Start": {}}}', ["hooks", "Start"], 1)).toThrow(
      '"hooks.Start" is not an array at line 1, column 21',
    );
  });
});

test("what does not exist is not removed, and reads as undefined", () => {
  expect(removeValue('{"a": 1}', ["b", "c"])).toBe('{"a": 1}');
  expect(readValue('{"a": {}}', ["a", "b"])).toBeUndefined();
  expect(isObject(readValue("{}", []))).toBe(true);
});
