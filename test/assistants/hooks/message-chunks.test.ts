// Checks how messages are divided into extractions.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { toChunks } from "../../../src/assistants/hooks/message-chunks.ts";
import type { SpokenMessage } from "../../../src/assistants/hooks/transcripts/transcript.ts";

const message = (content: string, end: number): SpokenMessage => ({ role: "user", content, end });

describe("chunks", () => {
  test("hold whole messages while they fit", () => {
    const chunks = toChunks([message("aaaa", 10), message("bbbb", 20), message("cccc", 30)], 9);
    expect(chunks).toEqual([
      {
        messages: [
          { role: "user", content: "aaaa" },
          { role: "user", content: "bbbb" },
        ],
        end: 20,
      },
      { messages: [{ role: "user", content: "cccc" }], end: 30 },
    ]);
  });

  test("divide a long message after a word, and end behind it only with its last part", () => {
    const chunks = toChunks([message("x", 5), message("one two three four", 10)], 10);
    expect(chunks.map(({ messages, end }) => [messages.map(({ content }) => content), end])).toEqual([
      [["x", "one two"], 5],
      [["three four"], 10],
    ]);
  });

  test("of no messages", () => {
    expect(toChunks([])).toEqual([]);
  });

  test("of any messages lose nothing, stay below the limit, and end in order", () => {
    const texts = fc.array(
      fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => text.trim() !== ""),
    );
    fc.assert(
      fc.property(texts, fc.integer({ min: 4, max: 40 }), (contents, maximum) => {
        const messages = contents.map((content, index) => message(content.trim(), index + 1));
        const chunks = toChunks(messages, maximum);
        const all = chunks.flatMap((chunk) => chunk.messages.map(({ content }) => content));
        expect(all.join("").replace(/\s/g, "")).toBe(contents.join("").replace(/\s/g, ""));
        for (const chunk of chunks) {
          const length = chunk.messages.reduce((sum, { content }) => sum + content.length, 0);
          expect(length).toBeLessThanOrEqual(maximum);
          for (const { content } of chunk.messages) expect(content.isWellFormed()).toBe(true);
        }
        const ends = chunks.map(({ end }) => end);
        expect(ends).toEqual(ends.toSorted((a, b) => a - b));
        expect(ends.at(-1) ?? 0).toBe(contents.length);
      }),
    );
  });
});
