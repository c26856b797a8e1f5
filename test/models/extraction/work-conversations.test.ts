// Tests that the conversations about work are fit for measuring: they are long enough, and each question has its answer in them.

import { expect, test } from "bun:test";
import { isAnswered } from "../../../bench/answers.ts";
import { readExtractionSource } from "../../../src/memory/extraction/extraction-source.ts";
import { builtInDetails, extractBuiltIn } from "../../../src/models/extraction/built-in.ts";
import { isNoise, loadWorkConversations } from "./sessions/work-conversations.ts";

const conversations = loadWorkConversations();

test.each(conversations.map((each) => [each.name, each] as const))(
  "%s has 20 to 60 messages, and at least eight questions that it answers",
  (_, { messages, questions, noise }) => {
    expect(messages.length).toBeGreaterThanOrEqual(20);
    expect(messages.length).toBeLessThanOrEqual(60);
    expect(questions.length).toBeGreaterThanOrEqual(8);
    expect(noise.length).toBeGreaterThan(5);
    const contents = messages.map(({ content }) => content);
    expect(questions.filter(({ answer }) => !isAnswered(contents, answer))).toEqual([]);
  },
);

test("what is marked as noise is noise, and what answers a question is not", () => {
  const bug = conversations.find(({ name }) => name === "bug-fix");
  if (bug === undefined) throw new Error("The conversation is missing.");
  expect(isNoise("All 42 tests pass.", bug)).toBe(true);
  expect(isNoise("I've read the test.", bug)).toBe(true);
  expect(isNoise("Marek has to approve it because he owns the payment path.", bug)).toBe(false);
});

test("the same is found in a whole conversation and in each answer with what the user said before it", () => {
  const now = Date.parse("2026-11-23T12:00:00Z");
  for (const detail of builtInDetails) {
    for (const { messages } of conversations) {
      const starts = messages.flatMap(({ role }, at) => (role === "user" ? [at] : []));
      const exchanges = starts.map((start, at) => messages.slice(start, starts[at + 1]));
      const contentsOf = (said: typeof messages) =>
        extractBuiltIn(readExtractionSource({ messages: [...said], detail }), now).map(
          ({ content }) => content,
        );
      expect(exchanges.flatMap(contentsOf)).toEqual(contentsOf(messages));
    }
  }
});
