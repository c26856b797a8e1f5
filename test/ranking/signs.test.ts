// Tests the signs that are read from the texts of a query and a memory.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createSignReader } from "../../src/ranking/signs.ts";

const read = (query: string, content: string) => createSignReader(query, null)({ content, createdAt: 0 });

describe("speaker", () => {
  test.each([
    ["What does Melanie paint?", "[8 May 2023] Melanie: I painted a lake.", 1],
    ["What is Melanie's hobby?", "Melanie: Pottery.", 1],
    ["What does Zoë like?", "(Monday) Zoë: Tea.", 1],
    ["What did Mary-Ann buy?", "Mary-Ann: A car.", 1],
    ["What did Mary buy?", "Mary-Ann: A car.", 0],
    ["What does Caroline paint?", "Melanie: Caroline paints.", 0],
    ["What does melanie paint?", "Melanie paints lakes.", 0],
    ["Which note is it?", "note: lower case is no name.", 0],
  ])("%s %s", (query, content, expected) => {
    expect(read(query, content).speaker).toBe(expected);
  });
});

describe("time", () => {
  test.each([
    ["When did she go?", "She went last Friday.", 1],
    ["How long has he been there?", "He came in 2019.", 1],
    ["What year was it?", "It was a good one.", 0],
    ["Where did she go?", "She went last Friday.", 0],
    ["When did she go?", "[8 May 2023] Melanie: She went.", 0],
    ["When did she go?", "A blackboard.", 0],
  ])("%s %s", (query, content, expected) => {
    expect(read(query, content).time).toBe(expected);
  });
});

describe("asks", () => {
  test.each([
    ["How are you?", 1],
    ["I am well. And you?", 0.5],
    ["Melanie: I am well. It rains. Does it? No.", 0.25],
    ["What?! Never.", 0],
    ["", 0],
    ["Look at this [photo: is it a dog?]", 0],
  ])("%s", (content, expected) => {
    expect(read("x", content).asks).toBe(expected);
  });
});

describe("period", () => {
  const may = { from: Date.UTC(2023, 4), until: Date.UTC(2023, 5) };
  test.each([
    ["[8 May 2023] Melanie: I painted.", 0, 1],
    ["[8 June 2023] Melanie: I painted.", Date.UTC(2023, 4, 8), 0],
    ["Melanie painted.", Date.UTC(2023, 4, 8), 1],
    ["Melanie painted.", Date.UTC(2023, 5, 8), 0],
  ])("%s created at %d", (content, createdAt, expected) => {
    expect(createSignReader("What did Melanie do in May?", may)({ content, createdAt }).period).toBe(
      expected,
    );
    expect(createSignReader("What did Melanie do?", null)({ content, createdAt }).period).toBe(0);
  });
});

test("every sign is in 0..1, whatever the texts are", () => {
  const texts = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.stringMatching(/^(\[[^\]]*\] )?[A-Z][a-z]*: [a-z?.! [\]]*$/),
  );
  fc.assert(
    fc.property(texts, texts, (query, content) => {
      for (const value of Object.values(read(query, content))) {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test.each([
  ["brackets", "[".repeat(10_000)],
  ["brackets with text", "[a".repeat(5_000)],
  ["closed brackets", "[]".repeat(5_000)],
  ["ends of sentences", "?".repeat(10_000)],
  ["white space", " ".repeat(10_000)],
  ["a long name", "A".repeat(10_000)],
  ["months", "may ".repeat(2_500)],
])("reads 10,000 characters of %s in linear time", (_, content) => {
  const reader = createSignReader("When did it happen?", { from: 0, until: 1 });
  const startedMs = performance.now();
  for (let at = 0; at < 32; at++) reader({ content, createdAt: 0 });
  // With quadratic time it takes more than a minute.
  expect(performance.now() - startedMs).toBeLessThan(20_000);
});
