// Random TOML: a table is appended, changed and removed, and every byte that is not part of it stays.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parse } from "smol-toml";
import { UnusableConfiguration } from "../../../src/assistants/connect/text-edit.ts";
import { readTable, removeTable, setTable } from "../../../src/assistants/connect/toml-edit.ts";
import { tomlTexts } from "./random-text.ts";

const path = ["mcp_servers", "memledger"];
const entry = { command: "C:\\Program Files\\memledger.exe", args: ["mcp", '"quoted"', "ü\u007f"] };

describe("any file", () => {
  test("the table is appended: all bytes before it stay, and removing it gives them back", () => {
    fc.assert(
      fc.property(tomlTexts, (text) => {
        const added = setTable(text, path, entry);
        expect(added.startsWith(text)).toBe(true);
        expect(parse(added)).toMatchObject({ mcp_servers: { memledger: entry } });
        expect(readTable(added, path)).toEqual(entry);
        const removed = removeTable(added, path);
        // A line break at the end is added to a last line without one.
        expect(removed === text || removed === `${text}${/\r?\n/.exec(text)?.[0] ?? "\n"}`).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("the table between other tables is changed: everything in front of it and behind it stays", () => {
    fc.assert(
      fc.property(tomlTexts, tomlTexts, (before, after) => {
        const own =
          '[mcp_servers.memledger] # ours\ncommand = "old" # why\nenabled = false\nargs = [\n  "a",\n]\n';
        const head = before === "" || before.endsWith("\n") ? before : `${before}\n`;
        const rest = after.replaceAll(/\bmodel = .*/g, "");
        const text = `${head}${own}${rest}`;
        if (!isValid(text)) return;
        const changed = setTable(text, path, { command: "new", args: null, url: "https://x" });
        const expected = '[mcp_servers.memledger] # ours\ncommand = "new" # why\nenabled = false\n';
        expect(changed.startsWith(`${head}${expected}`)).toBe(true);
        expect(changed.endsWith(rest)).toBe(true);
        expect(readTable(changed, path)).toEqual({ command: "new", enabled: false, url: "https://x" });
        expect(removeTable(text, path)).toBe(`${head.replace(/(^|\n)\r?\n$/, "$1")}${rest}`);
      }),
      { numRuns: 500 },
    );
  });
});

/** Two random halves may define the same table twice. */
function isValid(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

test("tables below it are removed with it", () => {
  const own = "[mcp_servers.memledger]\ncommand = 'x'\n\n[mcp_servers.memledger.env]\nA = 'b'\n";
  expect(removeTable(`a = 1\n\n${own}\n[z]\n`, path)).toBe("a = 1\n\n[z]\n");
});

test("a quoted name is the same name", () => {
  const text = '["mcp_servers".\'memledger\']\ncommand = "x"\n';
  expect(setTable(text, path, { command: "y" })).toBe('["mcp_servers".\'memledger\']\ncommand = "y"\n');
});

describe("a file that cannot be edited", () => {
  const form = "which is the only form that can be changed here";
  test.each([
    ["a = \nb = 1", "not valid TOML at line 2, column 1"],
    ["[a]\nb = 'x\n", "not valid TOML at line 2, column 7"],
    ["[a]\n[a]\n", "not valid TOML at line 2"],
    ["mcp_servers = { x = { command = 'y' } }\n", "[mcp_servers.memledger] cannot be added"],
    ["mcp_servers = 1\n", "[mcp_servers.memledger] cannot be added"],
    ["\n[mcp_servers]\nmemledger = { command = 'x' }\n", `(line 2, column 1), ${form}`],
    ["mcp_servers.memledger.command = 'x'\n", `(line 1, column 1), ${form}`],
  ])("%j", (text, message) => {
    expect(() => setTable(text, path, entry)).toThrow(message);
    expect(() => setTable(text, path, entry)).toThrow(UnusableConfiguration);
  });

  test("an entry in another form is not removed", () => {
    expect(() => removeTable("mcp_servers.memledger.command = 'x'\n", path)).toThrow(form);
  });
});

test("what does not exist is not removed", () => {
  expect(removeTable("a = 1", path)).toBe("a = 1");
  expect(readTable("a = 1", path)).toBeUndefined();
});
