// Tests what Markdown becomes: every block word for word, with the headings above it, rules by their headings, and nothing left out.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Entry } from "../../../src/assistants/importing/entry.ts";
import { markdown } from "../../../src/assistants/importing/formats/markdown.ts";
import { openStream } from "../../../src/assistants/importing/source.ts";

async function read(text: string): Promise<Entry[]> {
  const chunks = (async function* () {
    yield Buffer.from(text);
  })();
  return Array.fromAsync(markdown.read(await openStream(chunks, "CLAUDE.md")));
}

/** Type, words in front and content of each memory. */
async function memoriesOf(text: string): Promise<unknown[]> {
  return (await read(text)).map((entry) => {
    if (!("memory" in entry)) return "fault" in entry ? `! ${entry.fault}` : `- ${entry.skipped}`;
    const { memory_type: type = "fact", lead = null, content } = entry.memory;
    return [type, lead, content];
  });
}

const cases: Readonly<Record<string, readonly [text: string, memories: readonly unknown[]]>> = {
  "paragraphs with their headings": [
    "Intro text\nover two lines.\n\n# Guide\n\n## Deploy ##\nUse blue.\n\nUse green.\n\n# Team\nAna leads.\n",
    [
      ["fact", null, "Intro text over two lines."],
      ["fact", "Guide / Deploy", "Use blue."],
      ["fact", "Guide / Deploy", "Use green."],
      ["fact", "Team", "Ana leads."],
    ],
  ],
  "underlined headings, lines, and a line in bold type": [
    "Rules\n=====\nUse tabs.\n\n---\n\nStyle\n-----\n**Names**\n\nShort ones.\n",
    [
      ["rule", "Rules", "Use tabs."],
      ["rule", "Rules / Style / Names", "Short ones."],
    ],
  ],
  "rules by the innermost heading that decides": [
    "# Conventions\nA.\n## Examples\nB.\n## Naming\nC.\n# Regeln\n- D\n# History\nE.\n",
    [
      ["rule", "Conventions", "A."],
      ["fact", "Conventions / Examples", "B."],
      ["rule", "Conventions / Naming", "C."],
      ["rule", "Regeln", "D"],
      ["fact", "History", "E."],
    ],
  ],
  "nested lists, with the items above": [
    "- Deploys\n  - on Tuesdays\n    1. in the morning\n  - by two people\n- Backups\n\n  They are kept a year.\n\nEnd.\n",
    [
      ["fact", null, "Deploys"],
      ["fact", "Deploys", "on Tuesdays"],
      ["fact", "Deploys / on Tuesdays", "in the morning"],
      ["fact", "Deploys", "by two people"],
      ["fact", null, "Backups"],
      ["fact", "Backups", "They are kept a year."],
      ["fact", null, "End."],
    ],
  ],
  "what introduces a list or code is not torn off": [
    "Never do these:\n\n- use npm\n- push to main\n\nRules:\n- use bun\n\nRun this:\n\n```sh\nbun test\n\nbun run check\n```\n\nOnly a colon:\n\nNext.\n",
    [
      ["fact", "Never do these:", "use npm"],
      ["fact", "Never do these:", "push to main"],
      ["rule", "Rules:", "use bun"],
      ["fact", null, "Run this:\n```sh\nbun test\n\nbun run check\n```"],
      ["fact", null, "Only a colon:"],
      ["fact", null, "Next."],
    ],
  ],
  "code, quotes, tables and comments": [
    "~~~\n# no heading\n- no item\n~~~\n> We agreed\n> on blue.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n<!-- a\ncomment --> After it.\n",
    [
      ["fact", null, "~~~\n# no heading\n- no item\n~~~"],
      ["fact", null, "> We agreed\n> on blue."],
      ["fact", null, "| a | b |\n|---|---|\n| 1 | 2 |"],
      "- is a comment",
      ["fact", null, "After it."],
    ],
  ],
  "front matter of Cursor, and of Obsidian": [
    "---\ndescription: how we work\nalwaysApply: true\ntitle: House\ntags: [team]\ncreated: 2024-03-12\n---\nUse tabs.\n",
    [["fact", "House", "Use tabs."]],
  ],
  "a heading with nothing below it": [
    "# A\n## B\nx\n# C\n",
    [["fact", "A / B", "x"], "- is a heading with nothing below it"],
  ],
  "a line instead of front matter": ["---\nUse tabs.\n", [["fact", null, "Use tabs."]]],
  "a comment that does not end": [
    "A.\n\n<!-- b\nc\n",
    [["fact", null, "A."], "! begins a comment that does not end"],
  ],
  "code that does not end": ["```\na\n", [["fact", null, "```\na"]]],
};

test.each(Object.entries(cases))("%s", async (_, [text, memories]) => {
  expect(await memoriesOf(text)).toEqual([...memories]);
});

test("the memories of a note have its tags and its date", async () => {
  const [entry] = await read("---\ntags: '#team, x'\ncreated: 2024-03-12T08:00\n---\n- Use tabs\n");
  expect(entry).toMatchObject({
    line: 5,
    memory: { tags: ["team", "x"], origins: [{ said_at: "2024-03-12T08:00:00.000Z" }] },
  });
});

const parts = [
  "# A",
  "## B",
  "### Rules",
  "Text.",
  "More words here",
  "- item",
  "  - nested",
  "    deeper",
  "1. one",
  "> quote",
  "| a | b |",
  "```",
  "~~~",
  "---",
  "===",
  "**Bold**",
  "Intro:",
  "",
  "",
  "\t- tab",
  "<b>x</b>",
  "Ünïcödé 🙂",
  "    code",
];

describe("of any Markdown", () => {
  const anyText = fc.array(fc.constantFrom(...parts), { maxLength: 40 }).map((lines) => lines.join("\n"));
  const words = (text: string) => text.replace(/\s+/g, " ").trim();

  test("each memory is a part of the file, white space aside", () =>
    fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        for (const entry of await read(text))
          if ("memory" in entry) expect(words(text)).toContain(words(String(entry.memory.content)));
      }),
      { numRuns: 500 },
    ));

  test("each word is in a memory, in front of one below it, or in a line that is listed as left out", () =>
    fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const entries = await read(`${text}\n\nEnd.\n`);
        const lines = text.split("\n");
        const found = entries.flatMap((entry) => {
          if ("memory" in entry) return [entry.memory.content, entry.memory.lead ?? ""];
          const rest = lines.slice(entry.line - 1);
          const blank = rest.findIndex((line) => line.trim() === "");
          return blank === -1 ? rest : rest.slice(0, blank);
        });
        for (const word of ["More words here", "one", "quote", "nested", "deeper", "Ünïcödé 🙂"]) {
          if (text.includes(word)) expect(words(found.join(" "))).toContain(word);
        }
      }),
      { numRuns: 500 },
    ));
});

test("deep lists and long headings cost time in proportion to their length", async () => {
  const deep = Array.from({ length: 1_500 }, (_, at) => `${" ".repeat(at)}- item ${at}`).join("\n");
  const wide = `- ${"x".repeat(900_000)}\n${"  - y\n".repeat(20_000)}`;
  const startMs = performance.now();
  expect(await read(deep)).toHaveLength(1_500);
  expect(await read(wide)).toHaveLength(20_001);
  expect(await read(`# a${" ".repeat(300_000)}b #\n\nx\n`)).toHaveLength(1);
  expect(performance.now() - startMs).toBeLessThan(10_000);
});

test("front matter of blank lines without an end is not kept in memory", async () => {
  const entries = await read(`---\na: b\n${"\n".repeat(1_100_000)}---\nUse tabs.\n`);
  const found = entries.flatMap((entry) => ("memory" in entry ? [entry.memory.content] : []));
  expect(found).toEqual(["a: b", "Use tabs."]);
});
