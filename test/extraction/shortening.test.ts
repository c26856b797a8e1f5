// Tests the shortening of sentences of conversations, and that nothing that is named is lost.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { shorten } from "../../src/extraction/rules/shortening.ts";

test.each([
  ["Wow, that is my bike!", "That is my bike."],
  ["Yeah, I bought a kayak!", "I bought a kayak."],
  ["Hey Marta! I moved to Graz.", "I moved to Graz."],
  ["Thanks, Marta! My garden has six beds.", "My garden has six beds."],
  ["Thanks Marta - I planted leeks.", "I planted leeks."],
  ["I planted leeks, Marta!", "I planted leeks."],
  ["Hi Mar, guess what, I won a prize.", "I won a prize."],
  ["By the way, I really love the new oven.", "I love the new oven."],
  ["Oh, and I just wanted to tell you that I sold the car.", "I sold the car."],
  ["Gonna visit the harbour, which is pretty exciting!", "Gonna visit the harbour"],
  [
    "I tried the sauna, and it was so relaxing and great fun!",
    "I tried the sauna, and it was so relaxing and great fun.",
  ],
  ["I joined a choir, and it's amazing!", "I joined a choir"],
  ["Just wanted to give you a heads up on my week - I sold the boat.", "I sold the boat."],
  ["We have a cat too!", "We have a cat."],
])("%s", (sentence, expected) => {
  expect(shorten(sentence, "Marta")).toBe(expected);
});

test.each([
  "I'm not really a singer.",
  "Martin, my brother, builds boats.",
  "I wanted to tell you about the fair.",
  "I think the loop is slow.",
  "Lena forgot her passport, so we went back.",
  "Great Dane puppies arrived at the farm.",
  "Sure Start is a programme for children.",
])("%s stays", (sentence) => {
  expect(shorten(sentence, "Marta")).toBe(sentence);
});

test("numbers and names in the middle stay, and the sentence never grows", () => {
  const named = fc.constantFrom("Oslo", "Ada", "42", "2019", "Fluffy");
  const openings = fc.constantFrom(
    "",
    "Wow, ",
    "Oh, and ",
    "Hey Marta! ",
    "By the way, ",
    "Yeah, honestly, ",
  );
  fc.assert(
    fc.property(openings, named, named, (before, first, second) => {
      const sentence = `${before}I really saw ${first} with ${second} there!`;
      const short = shorten(sentence, "Marta");
      expect(short).toBe(`I saw ${first} with ${second} there.`);
      expect(shorten(short, "Marta")).toBe(short);
    }),
  );
});
