// Proves that JSON text is either read as it is written or refused, and that the bounds hold before anything is built.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isInteroperable } from "../../../src/platform/json/json.ts";
import { JsonFault, parseJson } from "../../../src/platform/json/json-text.ts";

function faultOf(text: string, bounds: { maxDepth?: number; maxValues?: number } = {}): JsonFault | null {
  try {
    parseJson(text, bounds);
    return null;
  } catch (error) {
    if (error instanceof JsonFault) return error;
    throw error;
  }
}

/** The exact value of a JSON number: a whole number and a power of ten. */
function exact(token: string): [bigint, number] {
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  let digits = BigInt(`${sign}${whole}${fraction}`);
  let exponent = Number(power) - fraction.length;
  if (digits === 0n) return [0n, 0];
  for (; digits % 10n === 0n; digits /= 10n) exponent += 1;
  return [digits, exponent];
}

describe("any JSON", () => {
  test("that JavaScript writes is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(0, 2, "\t"), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 1_000 },
    );
  });

  test("that is broken is refused, whatever it is broken by", () => {
    const piece = fc.constantFrom(
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      "1",
      "-",
      ".",
      "e",
      "true",
      " ",
      "a",
      "\u0000",
      "é",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          expect(faultOf(text)).toMatchObject({
            field: null,
            reason: expect.stringContaining("not valid JSON"),
          });
          return;
        }
        if (faultOf(text) === null) expect(parseJson(text)).toEqual(value as never);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("numbers", () => {
  test("with any value of a double are read", () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: 1, max: 17 }),
        (value, digits) => {
          // Whole numbers are the next test's: those of 17 digits are not always recorded as the same whole number.
          const written = [
            String(value),
            value.toExponential(),
            value.toExponential(16),
            value.toPrecision(17),
          ];
          const isOrdinary = Math.abs(value) > 1e-300 && Math.abs(value) < 1e300;
          if (isOrdinary) written.push(value.toPrecision(digits));
          for (const text of written.filter((each) => /[.e]/.test(each))) {
            expect({ text, fault: faultOf(text) }).toEqual({ text, fault: null });
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("that are whole are recorded as the same whole number or refused", () => {
    const whole = fc.oneof(
      fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
      fc.bigInt({ min: 2n ** 53n - 100n, max: 2n ** 53n + 100n }),
    );
    fc.assert(
      fc.property(whole, (value) => {
        const text = String(value);
        const isRecorded = faultOf(text) === null;
        expect({ text, isRecorded }).toEqual({
          text,
          isRecorded:
            JSON.stringify(exact(text), bigints) === JSON.stringify(exact(recordedAs(text)), bigints),
        });
      }),
      { numRuns: 5_000 },
    );
  });

  const bigints = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
  /** As canonical JSON writes it, without an exponent's plus sign. */
  const recordedAs = (text: string) => JSON.stringify(Number(text)).replace("e+", "e");

  test.each([
    "0",
    "-0",
    "-0.0",
    "1.10",
    "1e3",
    "1E+3",
    "100e-2",
    "0e99999",
    "5e-324",
    "1e22",
    "1e23",
    "123456789012345.67",
    "0.30000000000000004",
    "9007199254740992",
    "9007199254740994",
    "10000000000000000000000",
    (0.1).toPrecision(60),
  ])("%s is read", (text) => {
    expect(faultOf(`{"x":[${text}]}`)).toBeNull();
  });

  test.each([
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "36028797018963968",
    "1e309",
    "-1e400",
    "1e-324",
    "4e-324",
    "0.1234567890123456789",
    `0.${"0".repeat(400)}1`,
    "1".repeat(400),
    "3.141592653589793238462643383279",
  ])("%s is refused by its place", (text) => {
    const fault = faultOf(`{"a":1,"x":{"y":[true,${text},9007199254740993]}}`);
    expect(fault?.field).toBe("x/y/1");
    expect(fault?.reason).toContain(text.slice(0, 40));
    expect(fault?.reason.length).toBeLessThan(150);
  });
});

describe("names", () => {
  test("may appear once in each object", () => {
    for (const text of [
      '{"a":{"a":1},"b":{"a":1}}',
      '[{"a":1},{"a":1}]',
      '{"a":"a","b":"a"}',
      '{"__proto__":1,"constructor":2}',
      '{"a":["a","a"],"A":1}',
    ]) {
      expect({ text, fault: faultOf(text) }).toEqual({ text, fault: null });
    }
    for (const [text, field] of [
      ['{"a":1,"b":2,"a":1}', "a"],
      ['[{"a":1,"b":{"c":[1,{"d":{},"d":[]}]}}]', "0/b/c/1/d"],
      ['{"\\u0061":1,"a":1}', "a"],
      ['{"\\"":1,"\\u0022":1}', '"'],
      ['{"__proto__":1,"__proto__":2}', "__proto__"],
      ['{"":1,"":2}', ""],
    ] as const) {
      expect({ text, field: faultOf(text)?.field }).toEqual({ text, field });
    }
  });
});

describe("bounds", () => {
  test("of depth and of values are exact, and named", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(faultOf(nested(5), { maxDepth: 5 })).toBeNull();
    expect(faultOf(nested(6), { maxDepth: 5 })?.reason).toContain("more than 5 levels");
    for (const [text, values] of [
      ["[]", 1],
      ['{"a":1,"b":[true,"x",{}]}', 6],
      ["[{},{},{}]", 4],
      ["7", 1],
    ] as const) {
      expect(faultOf(text, { maxValues: values })).toBeNull();
      expect(faultOf(text, { maxValues: values - 1 })?.reason).toContain(
        `more than ${values - 1} JSON value`,
      );
    }
  });

  test("what a text within them becomes is within those of the ledger", () => {
    expect(isInteroperable(parseJson("[".repeat(64) + "]".repeat(64)))).toBe(true);
    expect(faultOf("[".repeat(65) + "]".repeat(65))?.field).toBeNull();
  });
});
