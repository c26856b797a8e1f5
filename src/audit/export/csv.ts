// Owns the CSV format: RFC 4180, with formulas escaped. Cells that need no change or only quotation marks are written here, because the
// library takes several times as long as the rest of an export. The library writes all other cells.

import { stringify } from "csv-stringify/sync";
import type { Json } from "../../platform/json/json.ts";
import { mayBeFormula } from "../../platform/text/spreadsheet-formula.ts";
import { columnsOf, type Proofs, rowOf } from "./columns.ts";
import type { RowFormat } from "./row-format.ts";

const lineEnd = "\r\n";

/** Texts without characters that are special in CSV, and that no spreadsheet interprets as a formula. */
const plain = /^[A-Za-z0-9][^",\r\n]*$/;
const cellOptions = { quoted_match: /[\r\n]/, eof: false };
/** User agents and error messages repeat often, so their cells are cached. */
const knownMax = 1_000;
const knownMaxCharacters = 1_000;

export function createCsv(proofs: Proofs): RowFormat {
  const columns = columnsOf(proofs);
  const toCell = createCells();
  return {
    head: columns.join(",") + lineEnd,
    before: "",
    between: "",
    tail: "",
    appendRow(buffer, record) {
      const values = rowOf(record, proofs.verifiable);
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

/** Whether a cell is JSON text with quotation marks; `toCell` returns such cells without quotes, and `appendQuoted` adds them. */
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
    const cell = stringify([[mayBeFormula(text) ? `'${text}` : text]], cellOptions);
    if (text.length > knownMaxCharacters) return cell;
    if (known.size === knownMax) known.clear();
    known.set(text, cell);
    return cell;
  };
}
