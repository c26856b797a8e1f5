// Owns CSV: RFC 4180, formula cells defused. Cells that plainly need nothing or only quotation marks are written here, because the
// library takes several times as long as everything else of an export together; it decides about all the others.

import { stringify } from "csv-stringify/sync";
import type { StoredRecord } from "../audit/record.ts";
import type { Json } from "../json.ts";
import { columnsOf, rowOf } from "./columns.ts";
import type { RowFormat } from "./row-format.ts";

export const csvLineEnd = "\r\n";

/** Nothing in it is special to CSV, and no spreadsheet takes it for a formula. */
const plain = /^[A-Za-z0-9][^",\r\n]*$/;
/** User agents and error messages come again and again. */
const memoryMax = 1_000;
const memoryMaxCharacters = 1_000;

export function createCsv(verifiable: boolean): RowFormat {
  const columns = columnsOf(verifiable);
  const toCell = createCells();
  return {
    head: columns.join(",") + csvLineEnd,
    between: "",
    tail: "",
    row(record: StoredRecord) {
      const values = rowOf(record, verifiable);
      let line = "";
      for (const [index, column] of columns.entries()) {
        if (index > 0) line += ",";
        line += toCell(values[column] ?? null);
      }
      return line + csvLineEnd;
    },
  };
}

function createCells(): (value: Json) => string {
  const memory = new Map<string, string>();
  return (value) => {
    if (value === null) return "";
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (plain.test(text)) return text;
    if (text.startsWith("{") && text.includes('"')) return `"${text.replaceAll('"', '""')}"`;
    const known = memory.get(text);
    if (known !== undefined) return known;
    const cell = stringify([[text]], { escape_formulas: true, eof: false });
    if (text.length <= memoryMaxCharacters) {
      if (memory.size === memoryMax) memory.clear();
      memory.set(text, cell);
    }
    return cell;
  };
}
