// Tests the similarity that deduplication compares with its thresholds: what changes a statement always counts, and what does not never.

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  skipAboveSimilarity,
  updateAboveSimilarity,
} from "../../src/calls/operations/extraction/comparison-set.ts";
import {
  contentSimilarity,
  leastCosine,
  trigramsOf,
} from "../../src/memory/extraction/content-similarity.ts";

const similarity = (a: string, b: string, cosine = 1) =>
  contentSimilarity(cosine, trigramsOf(a), trigramsOf(b));

const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("the", "port", "is", "not", "Ana", "no", "and", "9", "-5", "1.5") },
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z]{1,8}$/) },
  { weight: 1, arbitrary: fc.stringMatching(/^(0|[1-9][0-9]{0,5})$/) },
  { weight: 1, arbitrary: fc.constantFrom("C++", "C#", "größer", "порт", "ポート", "🎉") },
);
const words = (max: number) => fc.array(word, { minLength: 1, maxLength: max });

/** As they are compared, so that "Ana" and "ana" are the same. */
const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

test("another word keeps a text of up to 30 words from being skipped, whatever the embeddings say", () => {
  let most = 0;
  fc.assert(
    fc.property(words(30), fc.nat(), word, (text, place, other) => {
      const at = place % text.length;
      fc.pre(!isSame(text[at] ?? "", other));
      const changed = similarity(text.join(" "), text.with(at, other).join(" "));
      most = Math.max(most, changed);
      expect(changed).toBeLessThanOrEqual(0.98);
    }),
    { numRuns: 2_000 },
  );
  // The property is about texts that are near enough to the threshold.
  expect(most).toBeGreaterThan(0.95);
});

test.each([
  ["a word", word],
  ["a negation", fc.constantFrom("not", "never", "no")],
])("%s that is inserted or removed does, too", (_, inserted) => {
  fc.assert(
    fc.property(words(30), fc.nat(), inserted, (text, place, other) => {
      const longer = text.toSpliced(place % (text.length + 1), 0, other);
      expect(similarity(text.join(" "), longer.join(" "))).toBeLessThanOrEqual(0.98);
      expect(similarity(longer.join(" "), text.join(" "))).toBeLessThanOrEqual(0.98);
    }),
    { numRuns: 500 },
  );
});

test("texts of any length with one other word are not skipped", () => {
  const text = Array.from({ length: 1_800 }, (_, at) => `w${(at * 7_919) % 1_000}`);
  for (const at of [0, 1, 900, 1_798, 1_799]) {
    const changed = similarity(text.join(" "), text.with(at, "other").join(" "));
    expect(changed).toBeLessThanOrEqual(skipAboveSimilarity);
    expect(changed).toBeGreaterThan(updateAboveSimilarity);
  }
});

test("identical texts have the similarity 1, and every other is symmetric and within 0 and 1", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 60 }),
    words(12).map((all) => all.join(" ")),
  );
  fc.assert(
    fc.property(text, text, fc.double({ min: 0, max: 1, noNaN: true }), (a, b, cosine) => {
      expect(similarity(a, a)).toBe(1);
      expect(similarity(a, b, cosine)).toBe(similarity(b, a, cosine));
      expect(similarity(a, b, cosine)).toBeGreaterThanOrEqual(0);
      expect(similarity(a, b, cosine)).toBeLessThanOrEqual(similarity(a, b));
      expect(similarity(a, b)).toBeLessThanOrEqual(1);
    }),
  );
});

test.each([
  ["Releases go out on Tuesdays.", "releases go out on TUESDAYS!"],
  ["Ana said: use tabs, never spaces.", "Ana said use tabs never spaces"],
  ["The “main” branch (of the team) is protected.", 'The "main" branch of the team is protected'],
  ["Don't deploy on Fridays", "don’t  deploy on\nFridays..."],
  ["¿Dónde vive Ana?", "dónde vive ana"],
  ["Cafe\u0301 at noon", "Café at noon…"],
  ["他住在北京。", "他住在北京"],
  ["安娜用「制表符」，从不用空格。", "安娜用制表符从不用空格"],
])("case and punctuation do not count: %s", (a, b) => {
  expect(similarity(a, b)).toBe(1);
});

test.each([
  ["The port is 5433.", "The port is 5434."],
  ["It was -5 degrees.", "It was 5 degrees."],
  ["The limit is 1.5 GB.", "The limit is 15 GB."],
  ["The limit is 1.5 GB.", "The limit is 1 5 GB."],
  ["The limit is .5 GB.", "The limit is 5 GB."],
  ["The limit is 1,000.", "The limit is 1.000."],
  ["Standup is at 10:30.", "Standup is at 10.30."],
  ["The area is 10² metres.", "The area is 102 metres."],
  ["Ana writes C++.", "Ana writes C#."],
  ["Ana writes C++.", "Ana writes C."],
  ["It stops if a != b", "It stops if a = b"],
  ["It stops if !ready", "It stops if ready"],
  ["Costs are 5 €.", "Costs are 5 $."],
  ["Ben likes tea.", "Ana likes tea."],
  ["Ana likes tea.", "Ana likes coffee."],
  ["Ana likes Ben.", "Ben likes Ana."],
  ["no no no yes", "no no yes yes"],
  ["Ana ate meat.", "Ana ate no meat."],
  ["他住在北京。", "他不住在北京。"],
  ["端口是五千", "端口是六千"],
  ["ポートは開いている", "ポートは閉じている"],
  ["เขาอยู่ที่นี่", "เขาไม่อยู่ที่นี่"],
  ["🎉", "🚀"],
  ["👍🏽", "👍🏿"],
  ["!!!", "???"],
  ["+", "-"],
  ["", "!"],
  ["", "a"],
])("a difference counts: %s | %s", (a, b) => {
  expect(similarity(a, b)).toBeLessThanOrEqual(skipAboveSimilarity);
});

test("no pair of embeddings that the search leaves out can reach a similarity", () => {
  const alike = trigramsOf("the same");
  expect(contentSimilarity(leastCosine(0.9), alike, alike)).toBeCloseTo(0.9, 12);
  expect(contentSimilarity(leastCosine(0.9) + 1e-6, alike, alike)).toBeGreaterThan(0.9);
});
