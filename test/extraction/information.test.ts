// Tests which sentences of a conversation say something.

import { expect, test } from "bun:test";
import { contentWords, saysSomething } from "../../src/extraction/rules/information.ts";

const speaker = { name: "Ida", role: "person", addressee: "Tom" } as const;
const names = new Set(["ida", "tom"]);

test.each([
  "I planted leeks in the garden.",
  "I am looking for a job.",
  "I don't have a car.",
  "My sister teaches chemistry.",
  "We watched the match at the harbour.",
  "The bakery on Mill Street closed in 2019.",
  "The council rejected the tunnel.",
  "We made pizza.",
  "I'm doing kickboxing.",
  "It's a position in the fashion department of a bank.",
])("says something: %s", (sentence) => {
  expect(saysSomething(sentence, speaker, names)).toBe(true);
});

test.each([
  "I feel so happy and grateful.",
  "That is really great, Tom.",
  "You painted the fence so well.",
  "I'm so proud of you and your garden.",
  "Gardening is important for everybody's health.",
  "It's great to have a garden.",
  "Let's keep planting trees.",
  "We had a great time.",
  "I'm doing my best.",
  "It's such a wonderful feeling.",
  "We all need friends.",
  "The colours look amazing.",
])("says nothing: %s", (sentence) => {
  expect(saysSomething(sentence, speaker, names)).toBe(false);
});

test('without another speaker, "you" may be anybody', () => {
  const alone = { name: null, role: "unknown", addressee: null } as const;
  expect(saysSomething("I sent you the invoice for the roof.", alone, new Set())).toBe(true);
});

test("words of grammar, judgements and the names of the speakers are no content", () => {
  expect(contentWords("Tom's wonderful kayak is really at the old boathouse, the kayak!", names)).toEqual([
    "kayak",
    "boathouse",
  ]);
});
