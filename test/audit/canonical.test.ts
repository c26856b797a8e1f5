// Checks that the text of every value is the one that the library of RFC 8785 writes, in whichever way it is made, because it is hashed.

import { expect, test } from "bun:test";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { canonical } from "../../src/platform/json/hash.ts";
import type { Json, JsonObject } from "../../src/platform/json/json.ts";

const name = fc.oneof(
  fc.constantFrom(
    "a",
    "B",
    "b",
    "aa",
    "",
    "0",
    "10",
    "9",
    "1a",
    "-1",
    "__proto__",
    "toJSON",
    "length",
    "\u20ac",
    "\ud83d\ude02",
    "\ufb33",
  ),
  fc.string({ unit: "binary", maxLength: 3 }),
);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium" },
    fc.constantFrom<Json>(
      null,
      true,
      false,
      0,
      -0,
      1e21,
      1e-7,
      5e-324,
      "\\ud800",
      "\ud800",
      "\u2028",
      "\u007f",
      {},
      [],
    ),
    fc.double(),
    fc.string({ unit: "binary", maxLength: 4 }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .array(fc.tuple(name, tie("value")), { maxLength: 24 })
      .map((members): JsonObject => Object.fromEntries(members)),
  ),
}));

/** Null: refused. */
function attempt(write: () => string | undefined): string | null {
  try {
    return write() ?? null;
  } catch {
    return null;
  }
}

test("any value", () => {
  fc.assert(
    fc.property(value, (each) => {
      expect(attempt(() => canonical(each))).toBe(attempt(() => canonicalize(each)));
    }),
    { numRuns: 5000 },
  );
});

test("a value deeper than calls may be nested, and one of which a member is not there", () => {
  const deep = (depth: number): Json =>
    Array.from({ length: depth }).reduce<Json>((inner) => ({ b: 1, a: [inner] }), "");
  for (const depth of [99, 100, 101, 5000])
    expect(canonical(deep(depth))).toBe(canonicalize(deep(depth)) ?? "");
  const partial: object = { b: undefined, a: 1 };
  expect(canonical(partial as JsonObject)).toBe('{"a":1}');
});
