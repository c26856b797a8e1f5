// Compares the parsers of entries: the regular expression for usual entries, the complete parser, and test/verify.py must give the same
// result for valid entries and for entries with any change.

import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import canonicalize from "canonicalize";
import fc from "fast-check";
import { parseAnyEntry, parseEntry } from "../../src/audit/verify/entry-parser.ts";
import type { Json, JsonObject } from "../../src/platform/json/json.ts";
import { program, testWith } from "../needs.ts";

const usual: JsonObject = {
  v: 1,
  chain: "c".repeat(32),
  seq: 15,
  id: "a".repeat(32),
  at: "2026-11-21T09:30:00.125Z",
  action: "memory.create",
  status: 201,
  code: 1000,
  key: "b".repeat(32),
  project: "d".repeat(32),
  memory: null,
  numbers: { duration: 12.375, credits_consumed: 0, balance_consumed_usd: 1.5e-7, is_cache_hit: false },
  payload_hash: "e".repeat(64),
  prev: "f".repeat(64),
};
const appended: JsonObject = {
  ...usual,
  code: null,
  numbers: { ...Object(usual.numbers), duration: null, tokens: { total_tokens: 3 } },
};

const performed: JsonObject = { ...usual, performed: true };

const value = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, 1, -1, 1.5, 1e21, 2 ** 53, "", "a", {}, [], { a: 1 }),
  fc.constantFrom("a".repeat(32), "A".repeat(32), "memory.", ".a", "a..b", "a.b", `${"a".repeat(99)}.b`),
  fc.constantFrom(
    "2026-02-30T00:00:00.000Z",
    "2026-11-21T23:59:60.000Z",
    '"',
    "\\",
    "\u0000",
    "\ud83d\ude00",
  ),
  fc.string({ unit: "binary" }),
  fc.double(),
);
const numberNames = ["duration", "credits_consumed", "balance_consumed_usd", "is_cache_hit", "tokens", "x"];

/** The text of an entry in which one member, of the entry or of its numbers, has another value, is added or is missing. */
const withOtherMember = fc
  .tuple(
    fc.constantFrom(usual, appended, performed),
    fc.constantFrom(...Object.keys(performed), "x"),
    fc.option(fc.constantFrom(...numberNames)),
    fc.option(value),
  )
  .map(([entry, name, number, other]) => {
    const change = (members: JsonObject, member: string): JsonObject => {
      const { [member]: _, ...rest } = members;
      return other === null ? rest : { ...rest, [member]: other };
    };
    const changed =
      number === null
        ? change(entry, name)
        : { ...entry, numbers: change({ ...Object(entry.numbers) }, number) };
    return toText(changed);
  });

/** A text in which some characters are replaced, removed or inserted. */
const withOtherText = fc
  .tuple(
    fc.constantFrom(toText(usual), toText(appended)),
    fc.nat(),
    fc.nat({ max: 3 }),
    fc.oneof(
      fc.constantFrom(
        "",
        " ",
        "0",
        "00",
        ".0",
        "e1",
        "-",
        '"',
        "\\u0041",
        "\\",
        "é",
        "\ud800",
        "null",
        "{",
        "}",
      ),
      fc.string({ maxLength: 3 }),
    ),
  )
  .map(([text, at, removed, inserted]) => {
    const start = at % (text.length + 1);
    return text.slice(0, start) + inserted + text.slice(start + removed);
  });

/** NaN and infinities have no JSON form; then the text of the usual entry is good enough. */
function toText(entry: JsonObject): string {
  try {
    return canonicalize(entry) ?? "";
  } catch {
    return canonicalize(usual) ?? "";
  }
}

describe("an entry", () => {
  test("of either kind is valid", () => {
    for (const entry of [usual, appended])
      expect(parseEntry(toText(entry))).toMatchObject({ seq: 15, action: "memory.create", memory: null });
  });

  test.each([
    ["id", "a".repeat(31)],
    ["id", "A".repeat(32)],
    ["action", "Memory.create"],
    ["action", "memory..create"],
    ["action", "a".repeat(101)],
    ["numbers", {}],
    ["numbers", { ...Object(usual.numbers), more: 1 }],
    ["numbers", { ...Object(usual.numbers), duration: "12" }],
    ["numbers", { ...Object(usual.numbers), is_cache_hit: 0 }],
    ["numbers", { ...Object(usual.numbers), tokens: 3 }],
  ])("with the %s %p is not valid", (member, other) => {
    const text = toText({ ...usual, [member]: other });
    expect([parseEntry(text), parseAnyEntry(text)]).toEqual([null, null]);
  });

  test("is read alike by the fast and by the complete parser, whatever changed in it", () => {
    fc.assert(
      fc.property(fc.oneof(withOtherMember, withOtherText), (text) => {
        expect(parseEntry(text)).toEqual(parseAnyEntry(text));
      }),
      { numRuns: 5_000 },
    );
  });
});

/** Around the limits of integers that every JSON number type holds exactly. */
const integers = [
  1e15 - 1,
  1e15,
  -1e14,
  -1e15,
  2168708836047964,
  2 ** 53 - 1,
  1 - 2 ** 53,
  2 ** 53,
  -(2 ** 53),
  1e21,
];

const python = Bun.which("python3");
const script = resolve(import.meta.dir, "../verify.py");
const driver = `
import json, runpy, sys
verifier = runpy.run_path(sys.argv[1])
for text in json.load(sys.stdin):
    print(json.dumps(verifier["read_entry"](text) is not None))
`;

testWith(program("python3"))("the second verifier accepts the same entries", () => {
  const texts = fc
    .sample(fc.oneof(withOtherMember, withOtherText), 3_000)
    // A text from a file or from SQLite is UTF-8 and has no lone surrogate.
    .filter((text) => text.isWellFormed())
    // The largest integers, which random numbers hit too seldom.
    .concat(integers.map((code) => toText({ ...usual, code })));
  const stdin = Buffer.from(JSON.stringify(texts));
  const child = Bun.spawnSync([python ?? "python3", "-c", driver, script], { stdin });
  const said = child.stdout.toString().trimEnd().split("\n");
  expect(said).toHaveLength(texts.length);
  const differing = texts.filter((text, index) => (parseEntry(text) !== null) !== (said[index] === "true"));
  expect(differing).toEqual([]);
});
