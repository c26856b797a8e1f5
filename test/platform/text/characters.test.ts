// Tests that texts of any content are shortened to well-formed ones, and that no character is split.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { countCharacters, endOfText, shorten, shortenName } from "../../../src/platform/text/characters.ts";

test("a text is shortened before a character that does not fit", () => {
  expect(shorten("ab\u{1f600}c", 3)).toBe("ab");
  expect(shorten("ab\u{1f600}c", 4)).toBe("ab\u{1f600}");
  expect(shorten("abc", 3)).toBe("abc");
  expect(shorten("\u{1f600}", 0)).toBe("");
  expect(shortenName("x".repeat(101))).toHaveLength(100);
});

test("what is left of any text is well-formed, a beginning of it, and at most one unit shorter than it may be", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 12 }), fc.nat(14), (text, max) => {
      const short = shorten(text, max);
      expect(short.isWellFormed()).toBe(true);
      expect(text.toWellFormed().startsWith(short)).toBe(true);
      expect(short.length).toBeGreaterThanOrEqual(Math.min(text.length, max) - 1);
      expect(short.length).toBeLessThanOrEqual(max);
    }),
  );
  expect(shorten("\ud800\udc00\udc00", 3)).toBe("\ud800\udc00\ufffd");
  expect(shorten("a\ud800", 2)).toBe("a\ufffd");
});

test("characters are code points", () => {
  expect(countCharacters("a\u{1f600}e\u0301")).toBe(4);
});

test("the end of a text begins with a word, also without white space between words", () => {
  expect(endOfText("We meet at the old mill.", 12)).toBe("old mill.");
  expect(endOfText("We meet at the old mill.", 9)).toBe("old mill.");
  expect(endOfText(" We meet. ", 20)).toBe("We meet.");
  const said = "次の会議は金曜日の午後三時に渋谷のオフィスで行います。";
  const end = endOfText(`${said.repeat(10)}\n${said}`, 40);
  expect(end).toEndWith(`行います。\n${said}`);
  expect(countCharacters(end)).toBeGreaterThan(36);
  expect(endOfText("x".repeat(50), 10)).toBe("x".repeat(10));
  expect(endOfText("\u{1f600}".repeat(50), 10)).toBe("\u{1f600}".repeat(10));
});

test("the end of any text is well-formed, and not longer than it may be", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.integer({ min: 1, max: 20 }),
      (text, max) => {
        const end = endOfText(text, max);
        expect(end.isWellFormed()).toBe(true);
        expect(countCharacters(end)).toBeLessThanOrEqual(max);
        expect(text.toWellFormed().trimEnd()).toEndWith(end);
      },
    ),
  );
});
