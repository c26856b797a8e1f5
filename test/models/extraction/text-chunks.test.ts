// How texts are cut for a language model: nothing is lost, nothing is too long, and neighbours overlap by whole sentences.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { splitSentences } from "../../../src/models/extraction/sentences.ts";
import { splitIntoChunks } from "../../../src/models/extraction/text-chunks.ts";

const limits = { maxBytes: 100, overlapMaxBytes: 30 };

function cut(text: string) {
  const sentences = splitSentences(text).map(({ start, text }) => ({ start, end: start + text.length }));
  return { sentences, chunks: splitIntoChunks(text, sentences, limits) };
}

const sentence = fc
  .tuple(fc.stringMatching(/^[A-Z][a-z éß]{0,50}$/), fc.constantFrom(". ", "! ", "?\n", ".\n\n\n", " "))
  .map((parts) => parts.join(""));
const cjk = fc.stringMatching(/^[我住在罗马]{1,60}。$/);
const noise = fc.string({ unit: "grapheme", maxLength: 80 });
const texts = fc.array(fc.oneof(sentence, cjk, noise), { maxLength: 40 }).map((parts) => parts.join(""));

test("chunks cover every character that is not white space, once as their own", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { chunks } = cut(text);
      const own = chunks.map(({ ownStart, end }) => text.slice(ownStart, end)).join("");
      expect(own.replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
    }),
  );
});

test("no chunk is longer than the limit, and each goes on", () => {
  fc.assert(
    fc.property(texts, (text) => {
      for (const { start, ownStart, end } of cut(text).chunks) {
        expect(Buffer.byteLength(text.slice(start, end))).toBeLessThanOrEqual(limits.maxBytes);
        expect(Buffer.byteLength(text.slice(start, ownStart))).toBeLessThanOrEqual(limits.overlapMaxBytes);
        expect(ownStart).toBeLessThan(end);
        expect(text.slice(start, end).isWellFormed()).toBe(true);
      }
    }),
  );
});

test("a sentence that fits is whole in one chunk", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { sentences, chunks } = cut(text);
      for (const { start, end } of sentences) {
        const isShort = Buffer.byteLength(text.slice(start, end)) <= limits.maxBytes - limits.overlapMaxBytes;
        if (isShort) expect(chunks.some((chunk) => chunk.start <= start && end <= chunk.end)).toBe(true);
      }
    }),
  );
});

test("what is too long is cut between words", () => {
  const text = "words without a stop ".repeat(50);
  for (const { start, end } of cut(text).chunks) {
    expect(text.slice(start, end)).toMatch(/^((words|without|a|stop) ?)+$/);
  }
});

test("what fits is repeated, sentence by sentence", () => {
  const text = "One is short. Two is short. ".repeat(10);
  const { chunks } = cut(text);
  expect(chunks.length).toBeGreaterThan(2);
  for (const { start, ownStart } of chunks.slice(1)) {
    expect(text.slice(start, ownStart)).toMatch(/^(One|Two) is short\. (One|Two) is short\. $/);
  }
});
