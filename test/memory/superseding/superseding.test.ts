// Tests which statements are about one attribute: by examples, and on pairs of statements that somebody else has labelled.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { attributesOf } from "../../../src/memory/superseding/attribute.ts";
import { supersedes } from "../../../src/memory/superseding/superseding.ts";
import { isFound, judge, loadPairs } from "./labelled-pairs.ts";

const isSuperseded = (older: string, newer: string): boolean => isFound({ older, newer });

describe("the older statement is superseded", () => {
  test.each([
    ["Ana lives in Oslo.", "Ana moved to Bergen."],
    [
      "The user lives in Oslo.",
      "The user moved to Bergen in March because of a new job. (said on 2026-03-04)",
    ],
    ["Ana works at Acme.", "Ana joined Globex as an engineer."],
    ["Ana works at Acme.", "Ana no longer works at Acme."],
    ["Ana is single.", "Ana got engaged to Piotr."],
    ["Ana is a vegetarian.", "Ana eats meat again."],
    ["The user drinks coffee every morning.", "The user no longer drinks coffee."],
    ["Ana's favourite colour is blue.", "Ana's favourite colour is now green."],
    ["The user's manager is Priya.", "Tom is the user's new manager since March."],
    ["The team uses Jest for unit tests.", "The team switched from Jest to Vitest for unit tests."],
    ["The API listens on port 8080.", "The API now listens on port 9090."],
    ["The default branch is main.", "The default branch was renamed to trunk."],
    ["The deadline for the beta is 3 May.", "The deadline for the beta was moved to 10 May."],
    ["Releases go out on Tuesdays.", "Releases go out on Thursdays."],
    ["The standup is at 9:30.", "The standup was moved to 10:00."],
  ])("%s %s", (older, newer) => expect(isSuperseded(older, newer)).toBe(true));
});

describe("both stay", () => {
  test.each([
    ["Ana lives in Oslo.", "Ben moved to Bergen."],
    ["Ana lives in Oslo.", "Ana wants to move to Bergen."],
    ["Ana lives in Oslo.", "Ana lives in Oslo, Norway."],
    ["Ana lives in Oslo.", "Ana visited Bergen."],
    ["Ana works at Acme.", "Ana volunteers at a shelter."],
    ["Ana works at Acme.", "Ana no longer works at Globex."],
    ["The team uses Jest for unit tests.", "The team uses Playwright for browser tests."],
    ["The deadline for the beta is 3 May.", "The deadline for the release is 10 May."],
    ["The standup is at 9:30.", "The standup is on Mondays."],
    ["Ana lives in Oslo.", "Ana says that Ben lives in Bergen."],
  ])("%s %s", (older, newer) => expect(isSuperseded(older, newer)).toBe(false));
});

test("any text is read, its keys are bounded, and no statement supersedes itself", () => {
  const words = fc.constantFrom(
    ..."Ana the user's manager is moved to Oslo from Bergen was lives in works at for no longer uses Jest 8080 port of on".split(
      " ",
    ),
  );
  const text = fc.oneof(
    fc.string({ maxLength: 400 }),
    fc.array(words, { maxLength: 40 }).map((each) => each.join(" ")),
  );
  fc.assert(
    fc.property(text, (content) => {
      for (const { key } of attributesOf(content)) expect(key.length).toBeLessThanOrEqual(200);
      expect(supersedes(content, content)).toBe(false);
    }),
    { numRuns: 5_000 },
  );
});

test("of pairs that somebody else has labelled, nearly all that are found are right", () => {
  const pairs = loadPairs();
  expect(pairs.filter(({ isSuperseded }) => isSuperseded)).toHaveLength(200);
  expect(pairs).toHaveLength(400);
  for (const half of ["seen", "unseen"]) {
    const { found, right, labelled } = judge(pairs.filter((pair) => pair.half === half));
    expect(right / found).toBeGreaterThanOrEqual(0.95);
    expect(right / labelled).toBeGreaterThanOrEqual(0.35);
  }
});
