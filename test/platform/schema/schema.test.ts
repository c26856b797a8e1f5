// Tests what every field of the API goes through: nothing is coerced, nothing is dropped, and the fault is named with what to do.

import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { Refusal } from "../../../src/platform/errors.ts";
import type { Json } from "../../../src/platform/json/json.ts";
import {
  Choice,
  createParser,
  Fields,
  Nullable,
  Text,
  Timestamp,
} from "../../../src/platform/schema/schema.ts";

const parse = createParser(
  Fields({
    text: Type.Optional(Text({ maxLength: 10, description: "" })),
    choice: Type.Optional(Choice(["rule", "fact"], { description: "" })),
    number: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    name: Type.Optional(Type.String({ maxLength: 3 })),
    whole: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
    flag: Type.Optional(Type.Boolean()),
    time: Type.Optional(Nullable(Timestamp({ description: "" }))),
    list: Type.Optional(Type.Array(Choice(["a", "b"], { description: "" }), { minItems: 1 })),
    few: Type.Optional(Nullable(Type.Array(Type.Integer(), { maxItems: 2 }))),
    pair: Type.Optional(Type.Array(Type.Integer(), { minItems: 2, maxItems: 3 })),
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
    ["a string that is too long", { name: "long" }, "name", /must be a string of at most 3 characters/],
    ["a fraction", { whole: 1.5 }, "whole", /a whole number from 1 to 50/],
    ["too large a whole number", { whole: 51 }, "whole", /from 1 to 50/],
    ["1 for true", { flag: 1 }, "flag", /must be true or false/],
    ["a number for a time", { time: 5 }, "time", /RFC 3339.* or null/],
    [
      "another text for a time",
      { time: "tomorrow" },
      "time",
      /must be an RFC 3339 timestamp with a time zone/,
    ],
    ["a date without time", { time: "2026-12-31" }, "time", /has no time of day; .* 2026-12-31T00:00:00Z/],
    ["a time without zone", { time: "2026-12-31T09:30:00" }, "time", /has no time zone; add Z/],
    [
      "a day that does not exist",
      { time: "2026-02-30T00:00:00Z" },
      "time",
      /does not exist: 2026-02 has .* 28/,
    ],
    ["no month", { time: "2026-13-01T00:00:00Z" }, "time", /has the month 13/],
    ["no hour", { time: "2026-01-01T24:00:00Z" }, "time", /has the hour 24/],
    ["no minute", { time: "2026-01-01T09:60:00Z" }, "time", /has the minute 60/],
    ["no second", { time: "2026-01-01T09:30:61Z" }, "time", /has the second 61/],
    ["no offset", { time: "2026-01-01T09:30:00+24:00" }, "time", /has the offset \+24:00/],
    [
      "a year of five digits",
      { time: "10000-01-01T00:00:00Z" },
      "time",
      /has the year 10000; years are 0000/,
    ],
    [
      "a year of six digits",
      { time: "+002026-01-01T00:00:00Z" },
      "time",
      /has the year \+002026; .* no sign/,
    ],
    ["a year of too many digits", { time: `${"9".repeat(99)}-01-01` }, "time", /must be an RFC 3339/],
    ["a date with no such day", { time: "2026-02-30" }, "time", /does not exist: 2026-02 has .* 28\.$/],
    ["a date with the day 0", { time: "2026-11-00" }, "time", /does not exist: 2026-11 has .* 30\.$/],
    ["a date with no such month", { time: "2026-13-01" }, "time", /has the month 13; months are 01 to 12\.$/],
    ["no such day and no zone", { time: "2026-02-30T09:30:00" }, "time", /does not exist: 2026-02/],
    ["no such hour and no seconds", { time: "2026-02-28T25:30Z" }, "time", /has the hour 25/],
    ["no such offset and no colon", { time: "2026-02-28T23:30:00+2400" }, "time", /has the offset \+2400;/],
    ["no seconds", { time: "2026-11-22T10:00Z" }, "time", /has no seconds; .* 2026-11-22T10:00:00Z/],
    [
      "no seconds and no zone",
      { time: "2026-11-22t10:00" },
      "time",
      /has no seconds; .* 2026-11-22T10:00:00Z/,
    ],
    ["an offset without a colon", { time: "2026-11-22T10:00:00+0100" }, "time", /has no colon .* \+01:00\.$/],
    ["an offset of hours", { time: "2026-11-22T10:00:00.5-03" }, "time", /has no minutes .* -03:00\.$/],
    ["a comma", { time: "2026-11-22T10:00:00,5Z" }, "time", /has a comma .* write a period/],
    ["a comma and no zone", { time: "2026-11-22T10:00:00,5" }, "time", /has a comma .* write a period/],
    [
      "a year past the last in UTC",
      { time: "9999-12-31T23:59:59-01:00" },
      "time",
      /outside the years 0000 to 9999/,
    ],
    ["an empty list", { list: [] }, "list", /is empty; send at least 1 item/],
    ["too many items", { few: [1, 2, 3] }, "few", /has 3 items; the maximum is 2/],
    ["too many items where null is allowed", { few: [1, 2, 3, "x"] }, "few", /has 4 items; the maximum is 2/],
    ["too few items", { pair: [1] }, "pair", /has 1 item; send at least 2 items/],
    ["a number for a list", { few: 5 }, "few", /must be an array of at most 2 items or null/],
    ["text for a list", { list: "a" }, "list", /must be an array of at least 1 item/],
    ["an object for a list", { pair: {} }, "pair", /must be an array of 2 to 3 items/],
    ["a wrong item", { list: ["a", "c"] }, "list/1", /must be one of "a", "b"/],
    ["an unknown field", { nmber: 1 }, "nmber", /is unknown; did you mean "number"\?$/],
    ["another unknown field", { colour: 1 }, "colour", /is unknown; known fields are text, choice/],
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
    expect(refusal.message).toMatch(/^(Field ".+"|The request) .+[.?]$/s);
  });

  test("a name that is long or not well-formed does no harm in the message", () => {
    const { message, data } = refusalOf({ [`${"x".repeat(99)}😀${"y".repeat(10_000)}`]: 1, "\ud800": 1 });
    expect(message.length).toBeLessThan(400);
    expect(message.isWellFormed()).toBe(true);
    expect(String(data?.field).isWellFormed()).toBe(true);
  });
});

describe("a misspelt field is named before what is missing because of it", () => {
  const item = Fields({ name: Type.String(), size: Type.Integer() });
  const strict = createParser(
    Fields({ content: Type.String(), kind: Type.String(), items: Type.Optional(Nullable(Type.Array(item))) }),
  );
  test.each<[string, unknown, string, RegExp]>([
    ["at the top", { Content: "x" }, "Content", /^is unknown; did you mean "content"\?$/],
    ["beside another", { kind: "x", contents: "y" }, "contents", /^is unknown; did you mean "content"\?$/],
    ["below", { content: "x", kind: "y", items: [{ nme: "a", size: 1 }] }, "items/0/nme", /mean "name"\?$/],
    ["nothing is misspelt", { content: "x" }, "kind", /^is required$/],
    ["what is missing is elsewhere", { content: "x", items: [{ nme: "a" }] }, "kind", /^is required$/],
    [
      "in an array",
      { content: "x", kind: "y", items: [{ name: "a", size: 1 }, 7] },
      "items/1",
      /^must be a JSON object$/,
    ],
    [
      "a wrong type below",
      { content: "x", kind: "y", items: [{ name: "a", size: "1" }] },
      "items/0/size",
      /whole number/,
    ],
    ["a wrong type above", { content: "x", kind: "y", items: {} }, "items", /^must be an array or null$/],
  ])("%s", (_, value, field, reason) => {
    expect(refusalOf(value, strict).data).toEqual({ field, reason: expect.stringMatching(reason) });
  });
});

function refusalOf(value: unknown, parser: (value: unknown) => unknown = parse): Refusal {
  try {
    parser(value);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("the value was accepted");
}
