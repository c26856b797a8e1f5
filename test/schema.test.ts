// Tests what every field of the API goes through: nothing is coerced, nothing is dropped, and the fault is named with what to do.

import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { Refusal } from "../src/errors.ts";
import type { Json } from "../src/json.ts";
import { Choice, createParser, Fields, Nullable, Text, Timestamp } from "../src/schema.ts";

const parse = createParser(
  Fields({
    text: Type.Optional(Text({ maxLength: 10, description: "" })),
    choice: Type.Optional(Choice(["rule", "fact"], { description: "" })),
    number: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    whole: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
    flag: Type.Optional(Type.Boolean()),
    time: Type.Optional(Nullable(Timestamp({ description: "" }))),
    list: Type.Optional(Type.Array(Choice(["a", "b"], { description: "" }), { minItems: 1 })),
  }),
);

describe("what is valid stays as it was sent", () => {
  test.each<[string, Record<string, Json>]>([
    ["nothing", {}],
    ["ten characters", { text: "0123456789" }],
    ["ten characters outside the basic plane", { text: "😀".repeat(10) }],
    ["white space around text", { text: "  a\n" }],
    ["an emoji of seven code points", { text: "👩‍👩‍👧‍👦" }],
    ["right-to-left text", { text: "שלום" }],
    ["the least and the greatest", { number: 0, whole: 50 }],
    ["minus zero", { number: -0 }],
    ["a whole number with a fraction of nothing", { whole: 1.0 }],
    ["null where it means something", { time: null }],
  ])("%s", (_, value) => {
    const copy = structuredClone(value);
    expect(parse(value)).toBe(value);
    expect(value).toEqual(copy);
  });
});

describe("what is not valid is refused by name", () => {
  test.each<[string, unknown, string, RegExp]>([
    ["eleven characters", { text: "01234567890" }, "text", /is 1 character too long; the maximum is 10/],
    ["eleven emoji", { text: "😀".repeat(11) }, "text", /is 1 character too long/],
    ["empty text", { text: "" }, "text", /must not be blank/],
    ["blank text", { text: " \t\n\u00a0\u3000" }, "text", /must not be blank/],
    ["a next line alone", { text: "\u0085" }, "text", /must not be blank/],
    ["a byte order mark alone", { text: "\ufeff" }, "text", /must not be blank/],
    ["NUL", { text: "a\0b" }, "text", /NUL/],
    ["a lone high surrogate", { text: "a\ud83d" }, "text", /lone surrogate/],
    ["a lone low surrogate", { text: "\ude00a" }, "text", /lone surrogate/],
    ["a number for text", { text: 5 }, "text", /must be a string of 1 to 10 characters/],
    ["null for text", { text: null }, "text", /must be a string/],
    ["an unknown choice", { choice: "Rule" }, "choice", /must be one of "rule", "fact"/],
    ["a number in a string", { number: "0.5" }, "number", /must be a number from 0 to 1/],
    ["too small a number", { number: -1e-12 }, "number", /from 0 to 1/],
    ["too large a number", { number: 1.0000000000000002 }, "number", /from 0 to 1/],
    ["NaN", { number: Number.NaN }, "number", /from 0 to 1/],
    ["infinity", { number: Number.POSITIVE_INFINITY }, "number", /from 0 to 1/],
    ["a fraction", { whole: 1.5 }, "whole", /a whole number from 1 to 50/],
    ["too large a whole number", { whole: 51 }, "whole", /from 1 to 50/],
    ["1 for true", { flag: 1 }, "flag", /must be true or false/],
    ["a date without time", { time: "2026-12-31" }, "time", /RFC 3339.* or null/],
    ["a day that does not exist", { time: "2026-02-30T00:00:00Z" }, "time", /RFC 3339/],
    ["an empty list", { list: [] }, "list", /./],
    ["a wrong item", { list: ["a", "c"] }, "list/1", /must be one of "a", "b"/],
    ["an unknown field", { nmber: 1 }, "nmber", /is unknown; known fields are text, choice/],
    ["a field of JavaScript", JSON.parse('{"__proto__":{"text":"x"}}'), "__proto__", /is unknown/],
    ["a field named constructor", { constructor: 1 }, "constructor", /is unknown/],
    ["a field with slashes and tildes", { "a/b~c": 1 }, "a/b~c", /is unknown/],
    ["an array", [], "", /must be a JSON object/],
    ["null", null, "", /must be a JSON object/],
    ["text", "{}", "", /must be a JSON object/],
  ])("%s", (_, value, field, reason) => {
    const refusal = refusalOf(value);
    expect(refusal).toMatchObject({ code: 1400, data: { field } });
    expect(refusal.message).toMatch(reason);
    expect(refusal.message).toMatch(/^(Field ".+"|The request) .+\.$/s);
  });

  test("a name that is long or not well-formed does no harm in the message", () => {
    const { message, data } = refusalOf({ [`${"x".repeat(99)}😀${"y".repeat(10_000)}`]: 1, "\ud800": 1 });
    expect(message.length).toBeLessThan(400);
    expect(message.isWellFormed()).toBe(true);
    expect(String(data?.field).isWellFormed()).toBe(true);
  });
});

function refusalOf(value: unknown): Refusal {
  try {
    parse(value);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("the value was accepted");
}
