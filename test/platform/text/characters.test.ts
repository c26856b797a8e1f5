// Tests that texts of any content are shortened to well-formed ones, and that no character is split.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { countCharacters, shorten, shortenName } from "../../../src/platform/text/characters.ts";

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
