// An answer of a language model that is made to take long takes no longer than another one of its size.

import { expect, test } from "bun:test";
import { ChatFailure } from "../../../src/models/extraction/chat-failure.ts";
import { parseLlmAnswer } from "../../../src/models/extraction/llm-answer.ts";

const characters = 300_000;
/** Milliseconds; what was quadratic took seconds and more. */
const longestMs = 2_000;

test.each(["\n", "\r\n", "\u2028", "[ ", "\n[ ", "[\n", "{", '{"', '{"a":', "{,", '{"\\', " ,"])(
  "of %j, repeated",
  (piece) => {
    const answer = piece.repeat(characters / piece.length);
    const start = performance.now();
    expect(() => parseLlmAnswer(answer)).toThrow(ChatFailure);
    expect(performance.now() - start).toBeLessThan(longestMs);
  },
);

test.each(["[]", " [ ]\t", "No statements.\n\n[\n]\n", "```json\n[]\n```"])(
  "%j is an empty list",
  (answer) => {
    expect(parseLlmAnswer(answer)).toMatchObject({ items: [], leftOut: [] });
  },
);
