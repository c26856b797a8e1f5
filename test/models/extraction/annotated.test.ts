// Holds the built-in extractor to its precision and recall on the annotated texts. Says totals only: what the unseen half contains
// must not be learned from a failure.

import { expect, test } from "bun:test";
import { plain } from "../../../src/memory/extraction/extraction-source.ts";
import { extractByRules } from "../../../src/models/extraction/rules/extract.ts";
import { addScores, emptyScore, loadAnnotated, rates, scoreText } from "./score.ts";

test.each([
  ["seen", { precision: 0.96, recall: 0.86, types: 0.96, expiries: 0.96 }],
  ["unseen", { precision: 0.87, recall: 0.72, types: 0.91, expiries: 0.91 }],
] as const)("the %s half", (half, floors) => {
  const texts = loadAnnotated(half);
  expect(texts.length).toBeGreaterThanOrEqual(30);
  const total = texts
    .map((text) => scoreText(text, extractByRules(plain(text.text), Date.parse(text.now))))
    .reduce(addScores, emptyScore);
  const reached = rates(total);
  const short = Object.entries(floors).filter(
    ([rate, floor]) => reached[rate as keyof typeof floors] < floor,
  );
  expect({ short, reached }).toEqual({ short: [], reached });
});

test("the score counts what it says", () => {
  const text = "We use Bun. Hello there! The limit is 5.";
  const remember = [
    { evidence: "We use Bun.", type: "fact", expires: null },
    { evidence: "The limit is 5.", type: "rule", expires: "2026-12-31" },
  ];
  const annotated = { id: "a", kind: "notes", language: "en", now: "2026-11-21T00:00:00Z", text, remember };
  const expiresAt = Date.parse("2026-12-31T23:59:59.999Z");
  const score = scoreText(annotated, [
    { evidence: "We use Bun", type: "fact", expiresAt: null },
    { evidence: "Hello there!", type: "fact", expiresAt: null },
    { evidence: "The limit is 5.", type: "fact", expiresAt },
  ]);
  expect(score).toEqual({
    texts: 1,
    items: 3,
    right: 2,
    annotated: 2,
    found: 2,
    typesRight: 1,
    expiriesRight: 2,
  });
  expect(rates(score)).toMatchObject({ precision: 2 / 3, recall: 1, types: 0.5, expiries: 1 });
});
