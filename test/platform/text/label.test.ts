// Checks what a label is: which texts are the same one, in which order labels are, and what is refused as one.

import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { toTagFilter, toTags } from "../../../src/memory/tags.ts";
import { Refusal } from "../../../src/platform/errors.ts";
import { createParser, Fields, Label } from "../../../src/platform/schema/schema.ts";
import { compareLabels, toLabel } from "../../../src/platform/text/label.ts";

test.each([
  ["itself", "team:payments", "team:payments"],
  ["without white space at its ends", " \t\u00a0\u3000a b\u2028\n", "a b"],
  ["with white space inside as it is", "a \u00a0 b", "a \u00a0 b"],
  ["composed", "e\u0301", "\u00e9"],
  ["Hangul", "\u1112\u1161\u11ab", "\ud55c"],
  ["with compatibility forms as they are", "\ufb01", "\ufb01"],
  ["in its case", "Team", "Team"],
  ["with the joiners that emoji need", "\u{1f469}\u200d\u{1f4bb}", "\u{1f469}\u200d\u{1f4bb}"],
])("a text becomes a label: %s", (_, text, label) => {
  expect(toLabel(text)).toBe(label);
  expect(toLabel(toLabel(text))).toBe(label);
});

test("labels are sorted by code points, as SQLite sorts them", () => {
  const sorted = ["", "A", "a", "ab", "b", "\u00e9", "\uff21", "\u{1f600}"];
  expect(sorted.toReversed().sort(compareLabels)).toEqual(sorted);
  // UTF-16 would put the emoji first.
  expect("\u{1f600}" < "\uff21").toBe(true);
});

describe("tags", () => {
  test("are a set in canonical form", () => {
    expect(toTags(["b", " a ", "a", "\uff21", "\u{1f600}", "b\n", "e\u0301", "\u00e9"])).toEqual([
      "a",
      "b",
      "\u00e9",
      "\uff21",
      "\u{1f600}",
    ]);
    expect(toTags([])).toEqual([]);
  });

  test("of a filter have the same form, and none are no filter", () => {
    expect(toTagFilter([" b", "a", "b"], "any")).toEqual({ tags: ["a", "b"], match: "any" });
    expect(toTagFilter(["a"])).toEqual({ tags: ["a"], match: "all" });
    expect(toTagFilter(undefined)).toBeNull();
  });
});

describe("the schema of a label", () => {
  const parse = createParser(
    Fields({ tags: Type.Array(Label({ maxLength: 4, description: "A label." }), { maxItems: 2 }) }),
  );
  test.each([
    ["of the maximum length", "abcd"],
    ["whose code points are counted, not its UTF-16 units", "\u{1f600}".repeat(4)],
    ["of the maximum length when it is composed", "e\u0301".repeat(4)],
    ["of the maximum length without the white space around it", "   abcd   "],
    ["with a line feed at its end", "abcd\n"],
  ])("accepts one %s", (_, tag) => {
    expect(parse({ tags: [tag] })).toEqual({ tags: [tag] });
  });

  test.each([
    ["that is empty", "", "tags/0", /^must not be blank; send 1 to 4 characters$/],
    ["that is blank", " \u3000\n", "tags/0", /^must not be blank; send 1 to 4 characters$/],
    ["that is too long", "abcde", "tags/0", /^is 1 character too long; the maximum is 4$/],
    ["that is longer in NFC", "\u0958".repeat(3), "tags/0", /^is 2 characters too long/],
    ["with a line feed in it", "a\nb", "tags/0", /^contains a control character/],
    ["with a control character at its end", "a\u0007", "tags/0", /^contains a control character/],
    ["with a C1 control", "a\u0085b", "tags/0", /^contains a control character/],
    ["with NUL", "a\0b", "tags/0", /NUL; remove it$/],
    ["with a lone surrogate", "a\ud800", "tags/0", /lone surrogate/],
    ["that is a number", 5, "tags/0", /^must be a string of 1 to 4 characters$/],
    ["that is null", null, "tags/0", /^must be a string of 1 to 4 characters$/],
    ["that is a list", ["a"], "tags/0", /^must be a string of 1 to 4 characters$/],
  ])("refuses one %s", (_, tag, field, reason) => {
    let refusal: unknown;
    try {
      parse({ tags: [tag] });
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal).toMatchObject({ code: 1400, data: { field, reason: expect.stringMatching(reason) } });
  });
});
