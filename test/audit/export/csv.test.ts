// Proves that the quick way to CSV writes what the library would have written, whatever the records hold.

import { expect, test } from "bun:test";
import canonicalize from "canonicalize";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { columnsOf, rowOf } from "../../../src/audit/export/columns.ts";
import { RowBuffer } from "../../../src/audit/export/row-buffer.ts";
import { createRowFormat } from "../../../src/audit/export/row-formats.ts";
import { cutPayload } from "../../../src/audit/parts/parts.ts";
import { readPayloadText } from "../../../src/audit/parts/stored-payload.ts";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { mayBeFormula } from "../../../src/platform/text/spreadsheet-formula.ts";
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
/** What `mayBeFormula` says is tested below. */
const escaped = ([column, value]: readonly [string, unknown]) =>
  [column, typeof value === "string" && mayBeFormula(value) ? `'${value}` : value] as const;
const json = fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" });

/** A payload as it is stored. With `present`: of version 2, with a part for each member, of which some have their text. */
function toStored(payload: JsonObject, present: readonly boolean[] | null) {
  if (present === null)
    return { content: Buffer.from(canonicalize(payload) ?? ""), salt: new Uint8Array(16) };
  const places = Object.keys(payload).map((name) => ({ at: `/${name}`, about: [] }));
  const parts = cutPayload(payload, [], places);
  const lines = parts.map(({ header, text }, index) =>
    present[index] === false ? `${header}\n` : `${header}\t${text}\n`,
  );
  const salts = parts.map((_, index) => new Uint8Array(present[index] === false ? 32 : 16).fill(index));
  return { content: Buffer.from(lines.join("")), salt: Buffer.concat(salts) };
}

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
    present: fc.option(fc.array(fc.boolean(), { minLength: 6, maxLength: 6 })),
    duration: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    status: fc.integer({ min: 100, max: 599 }),
  })
  .map(({ payload, present, duration, status }) => ({
    stored: payload === null ? null : toStored(JSON.parse(canonicalize(payload) ?? ""), present),
    duration,
    status,
  }))
  .map(({ stored, duration, status }) => ({
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
    salt: stored?.salt ?? null,
    content: stored?.content ?? null,
    payload: stored && readPayloadText(stored),
    erased: [],
    removal: stored === null ? ("redacted" as const) : null,
  }));

test.each([true, false])("rows are those of csv-stringify (verifiable: %p)", (verifiable) => {
  const format = createRowFormat({ format: "csv", verifiable, hasGaps: false });
  const columns = columnsOf({ verifiable, hasGaps: false });
  const buffer = new RowBuffer();
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), (records) => {
      for (const each of records) format.appendRow(buffer, each);
      const written = format.head + new TextDecoder("utf-8", { ignoreBOM: true }).decode(buffer.take());
      const expected = stringify(
        records.map((each) => Object.fromEntries(Object.entries(rowOf(each, verifiable)).map(escaped))),
        {
          header: true,
          columns: [...columns],
          record_delimiter: "\r\n",
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

test.each([
  ...["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "\r\n=1", "\n", "\ttext", "\rtext", "\ntext"],
  ...[
    " =1",
    "  +1",
    "\u00a0=1",
    "\u3000@a",
    "\ufeff=1",
    "\u200b=1",
    "\u00ad-1",
    "\u0000=1",
    "\u001b=1",
    "\u2028=1",
    "\v=1",
    "\f=1",
  ],
  ...["＝1", "＋1", "－1", "＠a", " ＝1", "\n＝1", "﹦1", "﹢1", "﹣1", "﹫a"],
])("a text that a spreadsheet may read as a formula gets an apostrophe: %j", (text) => {
  const format = createRowFormat({ format: "csv", verifiable: false, hasGaps: false });
  const buffer = new RowBuffer();
  const entry =
    canonicalize({ id: "0".repeat(32), action: "gateway.chat", status: 200, code: null, numbers: {} }) ?? "";
  const payload = canonicalize({ user_agent: text }) ?? "";
  format.appendRow(buffer, {
    seq: 1,
    entry,
    hash: "f".repeat(64),
    salt: new Uint8Array(16),
    content: Buffer.from(payload),
    payload,
    erased: [],
    removal: null,
  });
  const [head = [], row = []] = parseCsv(
    format.head + new TextDecoder("utf-8", { ignoreBOM: true }).decode(buffer.take()),
  );
  expect(row[head.indexOf("user_agent")]).toBe(`'${text}`);
});

test.each(["a=1", "1", "'=1", " a=1", "{=1}", '"=1', "é", "數", "\u200bé"])(
  "any other text is not changed: %j",
  (text) => {
    expect(mayBeFormula(text)).toBe(false);
  },
);
