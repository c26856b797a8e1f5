// Owns CSV: RFC 4180, formula cells defused. Cells that plainly need nothing or only quotation marks are written here, because the
// library takes several times as long as everything else of an export together; it decides about all the others.

import { stringify } from "csv-stringify/sync";
import type { Json } from "../json/json.ts";
import { columnsOf, rowOf } from "./columns.ts";
import type { RowFormat } from "./row-format.ts";

const lineEnd = "\r\n";

/** Nothing in it is special to CSV, and no spreadsheet takes it for a formula. */
const plain = /^[A-Za-z0-9][^",\r\n]*$/;
const cellOptions = { escape_formulas: true, quoted_match: /[\r\n]/, eof: false };
/** User agents and error messages come again and again. */
const knownMax = 1_000;
const knownMaxCharacters = 1_000;

export function createCsv(verifiable: boolean): RowFormat {
  const columns = columnsOf(verifiable);
  const toCell = createCells();
  return {
    head: columns.join(",") + lineEnd,
    before: "",
    between: "",
    tail: "",
    appendRow(buffer, record) {
      const values = rowOf(record, verifiable);
      let text = "";
      for (const [index, column] of columns.entries()) {
        if (index > 0) text += ",";
        const cell = toCell(values[column] ?? null);
        if (isQuotedJson(cell)) {
          buffer.append(text);
          buffer.appendQuoted(cell);
          text = "";
        } else text += cell;
      }
      buffer.append(text + lineEnd);
    },
  };
}

/** JSON text with quotation marks, the only cells that `toCell` leaves to be quoted. */
function isQuotedJson(cell: string): boolean {
  return /^[{[]/.test(cell) && cell.includes('"');
}

function createCells(): (value: Json) => string {
  const known = new Map<string, string>();
  return (value) => {
    if (value === null) return "";
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (plain.test(text) || isQuotedJson(text)) return text;
    const before = known.get(text);
    if (before !== undefined) return before;
    const cell = stringify([[text]], cellOptions);
    if (text.length > knownMaxCharacters) return cell;
    if (known.size === knownMax) known.clear();
    known.set(text, cell);
    return cell;
  };
}
