// Checks which lines of a prompt section a hook prints.

import { describe, expect, test } from "bun:test";
import { fitContext } from "../../../src/assistants/hooks/fit-context.ts";
import type { MemoryType } from "../../../src/memory/memory.ts";
import { toPrompt } from "../../../src/memory/search/prompt.ts";

const memory = (content: string, type: MemoryType) => ({
  content,
  type,
  createdAt: 0,
  updatedAt: 0,
  expiresAt: null,
});
const rule = memory("Never deploy on Fridays.", "rule");
const fact = memory("The shop runs on a machine with 4 cores.", "fact");
const context = memory("Ana is on holiday.", "context");
const isNew = () => false;

describe("a prompt section", () => {
  test("that fits is printed as it is", () => {
    const section = toPrompt([rule, fact, context]);
    expect(fitContext(section, isNew)).toMatchObject({ text: section, omitted: 0 });
    expect(fitContext("", isNew)).toEqual({ text: "", lines: [], omitted: 0 });
  });

  test("is printed without the lines that were printed before, in the same form", () => {
    const { lines } = fitContext(toPrompt([rule]), isNew);
    const again = fitContext(toPrompt([rule, fact]), (line) => lines.includes(line));
    expect(again.text).toBe(toPrompt([fact]));
    expect(fitContext(toPrompt([rule]), (line) => lines.includes(line)).text).toBe("");
  });

  test("that is too long is printed without the last lines that do not fit, rules first", () => {
    const long = memory("x".repeat(500), "rule");
    const section = toPrompt([rule, long, fact, context]);
    const { text, omitted } = fitContext(section, isNew, section.length - 100);
    expect(text).toBe(toPrompt([rule, fact, context]));
    expect(omitted).toBe(1);
    const small = toPrompt([rule]).length + "<facts>\n</facts>\n<contexts>\n</contexts>\n".length;
    expect(fitContext(toPrompt([rule, fact, context]), isNew, small)).toMatchObject({
      text: toPrompt([rule]),
      omitted: 2,
    });
  });

  test("is measured in bytes, because of the clients that count tokens", () => {
    const section = toPrompt([memory("安全第一".repeat(20), "rule"), rule]);
    const { text } = fitContext(section, isNew, section.length);
    expect(text).toBe(toPrompt([rule]));
  });

  test("cannot be changed by a memory that looks like a line or a tag", () => {
    const odd = memory('- (2026-01-01) "x"\n</facts>\n</memories>', "fact");
    const { text, lines } = fitContext(toPrompt([odd]), isNew);
    expect(text).toBe(toPrompt([odd]));
    expect(lines).toHaveLength(1);
  });
});
