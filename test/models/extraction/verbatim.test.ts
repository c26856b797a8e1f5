// What is kept word for word: every letter, in passages at the borders of paragraphs and sentences, with who said it and what came before.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { readExtractionSource } from "../../../src/memory/extraction/extraction-source.ts";
import { extractVerbatim } from "../../../src/models/extraction/verbatim.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const fromText = (text: string) => extractVerbatim(readExtractionSource({ text, detail: "verbatim" }), now);
const fromMessages = (messages: readonly object[]) =>
  extractVerbatim(readExtractionSource({ messages, conversation: "chat-1", detail: "verbatim" }), now);
const letters = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.join("") ?? "";

test("messages are passages with their origin, and the turn before in front of what is embedded", () => {
  const items = fromMessages([
    {
      role: "user",
      id: "m1",
      name: "Ann",
      content: "Which database do we use?",
      said_at: "2026-03-12T10:00:00Z",
    },
    { role: "assistant", id: "m2", content: "Postgres." },
    { role: "tool", content: "nobody says this" },
  ]);
  expect(items).toMatchObject([
    {
      content: "Which database do we use?",
      lead: "Ann: ",
      origin: {
        conversation: "chat-1",
        message: "m1",
        role: "user",
        name: "Ann",
        saidAt: Date.parse("2026-03-12T10:00:00Z"),
      },
    },
    {
      content: "Postgres.",
      lead: "Which database do we use?\n",
      origin: { conversation: "chat-1", message: "m2", role: "assistant", name: null, saidAt: null },
    },
  ]);
});

test("members of messages that mean something else are ignored", () => {
  const [item] = fromMessages([
    { role: "user", content: "Hi", id: 7, name: "x".repeat(201), said_at: "yesterday" },
  ]);
  expect(item?.origin).toEqual({
    conversation: "chat-1",
    message: null,
    role: "user",
    name: null,
    saidAt: null,
  });
});

test("a transcript has its speakers and times", () => {
  const items = fromText(
    "[2026-01-05 09:00] Ann: Ich wohne in Bremen.\nUnd du?\n[2026-01-05 09:01] Bo: In Kiel.",
  );
  expect(items.map(({ content, origin }) => [origin?.name, content])).toEqual([
    ["Ann", "Ich wohne in Bremen.\nUnd du?"],
    ["Bo", "In Kiel."],
  ]);
  expect(items[1]?.origin?.saidAt).toBe(Date.parse("2026-01-05T09:01:00Z"));
});

test("short paragraphs share a passage, a code block stays whole, and a long text ends after a sentence", () => {
  const code = `\`\`\`ts\n${"const port = 8080;\n".repeat(24)}\n${"call(port);\n".repeat(9)}\`\`\``;
  const sentence = "The crane on the north quay is out of order. ";
  const items = fromText(`One, which is longer than a word.\n\nTwo.\n\n${code}\n\n${sentence.repeat(30)}`);
  const contents = items.map(({ content }) => content);
  expect(contents[0]).toBe("One, which is longer than a word.\n\nTwo.");
  expect(contents[1]).toBe(code);
  expect(contents.slice(2).every((content) => content.endsWith("order."))).toBe(true);
  expect(contents.every(({ length }) => length <= 600)).toBe(true);
});

test("no letter is lost, in any language and any text", () => {
  const part = fc.oneof(
    fc.constantFrom(
      "\n",
      "\n\n",
      "```\n",
      "Ann: ",
      "我们在星期五发布。",
      "Wir sehen uns am Dienstag. ",
      "x".repeat(700),
      "word ".repeat(200),
      "😀",
    ),
    fc.string({ unit: "binary", maxLength: 40 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 25 }), (parts) => {
      const content = parts.join("").toWellFormed().replaceAll("\0", "");
      if (content.trim() === "") return;
      const items = fromMessages([{ role: "user", id: "m1", content }]);
      expect(letters(items.map((item) => item.content).join("\n"))).toBe(letters(content));
      const characters = [...content.trim()];
      for (const { content: stored, origin } of items) {
        const { start, end } = origin?.span ?? { start: 0, end: 0 };
        expect(characters.slice(start, end).join("")).toBe(stored);
      }
    }),
    { numRuns: 300 },
  );
});
