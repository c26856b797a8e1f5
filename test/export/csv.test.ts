// Proves that the quick way to CSV writes what the library would have written, whatever the records hold.

import { expect, test } from "bun:test";
import canonicalize from "canonicalize";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { columnsOf, rowOf } from "../../src/export/columns.ts";
import { RowBuffer } from "../../src/export/row-buffer.ts";
import { createRowFormat } from "../../src/export/row-formats.ts";
import { parseCsv } from "./exporting.ts";

const special = fc.constantFrom(
  "=",
  "+",
  "-",
  "@",
  "\t",
  "\r",
  "\n",
  '"',
  ",",
  "'",
  "{",
  "[",
  "＝",
  "é",
  "数",
  "",
);
const text = fc
  .tuple(special, fc.string({ unit: "grapheme", maxLength: 30 }), special)
  .map((parts) => parts.join(""));
const json = fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" });

const record = fc
  .record({
    payload: fc.option(
      fc.record(
        {
          user_agent: text,
          error_msg: text,
          model_id: text,
          metadata: json,
          output_content: fc.oneof(text, json),
        },
        { requiredKeys: [] },
      ),
    ),
    duration: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    status: fc.integer({ min: 100, max: 599 }),
  })
  .map(({ payload, duration, status }) => ({
    seq: 1,
    entry:
      canonicalize({
        id: "0".repeat(32),
        action: "gateway.chat",
        status,
        code: null,
        numbers: { duration },
      }) ?? "",
    hash: "f".repeat(64),
    salt: payload === null ? null : new Uint8Array(16),
    payload: payload === null ? null : (canonicalize(payload) ?? ""),
    removal: payload === null ? ("redacted" as const) : null,
  }));

test.each([true, false])("rows are those of csv-stringify (verifiable: %p)", (verifiable) => {
  const format = createRowFormat({ format: "csv", verifiable });
  const columns = columnsOf(verifiable);
  const buffer = new RowBuffer();
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), (records) => {
      for (const each of records) format.appendRow(buffer, each);
      const written = format.head + new TextDecoder("utf-8", { ignoreBOM: true }).decode(buffer.take());
      const expected = stringify(
        records.map((each) => rowOf(each, verifiable)),
        {
          header: true,
          columns: [...columns],
          record_delimiter: "\r\n",
          escape_formulas: true,
          // With CR LF it would leave cells with a lone CR or LF as they are, which readers take for the end of the line.
          quoted_match: /[\r\n]/,
          cast: { boolean: String },
        },
      );
      expect(written).toBe(expected);
      expect(parseCsv(written).every((row) => row.length === columns.length)).toBe(true);
    }),
    { numRuns: 400 },
  );
});

test("a row may be larger than the buffer is at first", () => {
  const buffer = new RowBuffer();
  const large = '"数"'.repeat(1_000_000);
  buffer.append("a");
  buffer.appendQuoted(large);
  buffer.append(large);
  const text = new TextDecoder().decode(buffer.take());
  expect(text).toBe(`a"${large.replaceAll('"', '""')}"${large}`);
  buffer.append("b");
  expect(new TextDecoder().decode(buffer.take())).toBe("b");
});
