// Tests that the questions about a time are fit for measuring: each has one answer among the memories, and the period that it asks for has
// that memory and not the others of its series.

import { expect, test } from "bun:test";
import { shareOfPeriod } from "../../src/memory/memory-period.ts";
import { periodOf } from "../../src/platform/dates/query-period.ts";
import { loadDatedQuestions } from "./dated/dated-questions.ts";

/** A Monday, a Sunday, the first and the last day of a year, and a leap day. */
const days = ["2026-11-23", "2026-11-29", "2027-01-01", "2027-12-31", "2028-02-29"];

test.each(days)("each question asks for the time of one memory of its series, on %s", (day) => {
  const now = Date.parse(`${day}T12:00:00Z`);
  const { memories, questions } = loadDatedQuestions(now);
  expect(questions.length).toBeGreaterThanOrEqual(60);
  const wrong: string[] = [];
  for (const { series, question, answer } of questions) {
    const period = periodOf(question, now);
    const isOfPeriod = (content: string) =>
      period !== null && shareOfPeriod({ content, createdAt: now, origins: [] }, period) > 0.5;
    const ofSeries = memories.filter((memory) => memory.series === series && isOfPeriod(memory.content));
    const answers = memories.filter(({ content }) => content.includes(answer));
    const [only] = ofSeries;
    if (answers.length !== 1 || ofSeries.length !== 1 || answers[0] !== only)
      wrong.push(`${question} ${ofSeries.map(({ content }) => content)}`);
  }
  expect(wrong).toEqual([]);
});
