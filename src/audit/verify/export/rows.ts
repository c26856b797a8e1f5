// Owns reading the rows of an export file, JSON or CSV, in constant memory. Checks the form of the file, but not the values of the rows.

import canonicalize from "canonicalize";
import { isObject, type Json, type JsonObject } from "../../../platform/json/json.ts";
import { mayBeFormula } from "../../../platform/text/spreadsheet-formula.ts";
import { parseUnambiguousJson } from "../unambiguous-json.ts";

export interface ExportRow {
  has(column: string): boolean;
  /** The text of a column; null when the column is null, absent or not a text. */
  text(column: string): string | null;
  /** The value of a column; undefined when it has none. In CSV: of a JSON text. */
  json(column: string): Json | undefined;
  /** Whether a column shows this value. */
  shows(column: string, value: Json): boolean;
}

/** The server writes no longer rows. */
const rowLimitBytes = 512 * 1024 * 1024;
const lineFeed = 0x0a;
const quote = 0x22;

/** The rows of a file in order; null stands for a line that is not a row in the exact form of the format. */
export function readRows(
  file: AsyncIterable<Uint8Array>,
  format: "json" | "csv",
): AsyncGenerator<ExportRow | null> {
  return format === "csv" ? readCsvRows(file) : readJsonRows(file);
}

async function* readCsvRows(file: AsyncIterable<Uint8Array>): AsyncGenerator<ExportRow | null> {
  let header: readonly string[] | null = null;
  let isHeader = true;
  for await (const line of splitLines(file, true)) {
    const text = decode(line);
    const cells = text === null ? null : parseCsvLine(text);
    if (isHeader) {
      // If two columns have the same name, readers disagree about which one counts.
      header = cells !== null && new Set(cells).size === cells.length ? cells : null;
    } else yield header === null || cells?.length !== header.length ? null : csvRow(header, cells);
    isHeader = false;
  }
}

/** The lines are `[`, one object each with a comma after all but the last, and `]`. */
async function* readJsonRows(file: AsyncIterable<Uint8Array>): AsyncGenerator<ExportRow | null> {
  let columns: string | null = null;
  let state: "start" | "after [" | "after blank" | "after row" | "after comma" | "after ]" = "start";
  for await (const line of splitLines(file, false)) {
    const text = decode(line);
    if (state === "start" && text === "[") state = "after [";
    else if (text === "]" && (state === "after [" || state === "after blank" || state === "after row"))
      state = "after ]";
    // The first version wrote a blank line into an export without records.
    else if (state === "after [" && text === "") state = "after blank";
    else {
      const isInPlace = state === "after [" || state === "after comma";
      const hasComma = text?.endsWith(",") ?? false;
      const object = text === null ? null : readObject(hasComma ? text.slice(0, -1) : text);
      const names = object === null ? null : Object.keys(object).join();
      columns ??= names;
      yield isInPlace && object !== null && names === columns ? jsonRow(object) : null;
      if (state !== "after ]") state = hasComma ? "after comma" : "after row";
    }
  }
  // An empty file has no rows; that rows are missing shows elsewhere.
  if (state !== "after ]" && state !== "start") yield null;
}

const notTerminated = new Uint8Array([0xff]);

/** Lines without their line feed; in CSV a line feed between quotes ends no line. A last line without one is not decodable. */
async function* splitLines(file: AsyncIterable<Uint8Array>, isCsv: boolean): AsyncGenerator<Uint8Array> {
  /** The beginning of the line that no chunk has ended yet. */
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let isQuoted = false;
  for await (const chunk of file) {
    let start = 0;
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      if (isCsv && hasOddQuotes(chunk, from, end)) isQuoted = !isQuoted;
      from = end + 1;
      if (isQuoted) continue;
      const part = chunk.subarray(start, end);
      yield parts.length === 0 ? part : joined([...parts, part]);
      [parts, bytes, start] = [[], 0, from];
    }
    if (isCsv && hasOddQuotes(chunk, from, chunk.length)) isQuoted = !isQuoted;
    if (start === chunk.length) continue;
    // A copy, because the stream may use its buffer again.
    parts.push(chunk.slice(start));
    bytes += chunk.length - start;
    if (bytes > rowLimitBytes) return yield notTerminated;
  }
  if (bytes > 0) yield notTerminated;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function hasOddQuotes(data: Uint8Array, start: number, end: number): boolean {
  let isOdd = false;
  for (let at = data.indexOf(quote, start); at !== -1 && at < end; at = data.indexOf(quote, at + 1))
    isOdd = !isOdd;
  return isOdd;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** Null when the text is not an object, or names a member twice. */
function readObject(text: string): JsonObject | null {
  const value = parseUnambiguousJson(text);
  return isObject(value) ? value : null;
}

function jsonRow(value: JsonObject): ExportRow {
  return {
    has: (column) => Object.hasOwn(value, column),
    text(column) {
      const shown = value[column];
      return typeof shown === "string" ? shown : null;
    },
    json: (column) => value[column],
    shows: (column, expected) => isSame(value[column] ?? null, expected),
  };
}

function isSame(shown: Json, expected: Json): boolean {
  if (typeof expected !== "object" || expected === null) return shown === expected;
  return canonicalize(shown) === canonicalize(expected);
}

/** The cells of one line, given without its line feed; null when the line is not RFC 4180. */
function parseCsvLine(line: string): string[] | null {
  if (!line.endsWith("\r")) return null;
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    if (line[at] === '"') {
      let end = at + 1;
      for (; ; end += 2) {
        end = line.indexOf('"', end);
        if (end === -1) return null;
        if (line[end + 1] !== '"') break;
      }
      cells.push(line.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 1;
    } else {
      const comma = line.indexOf(",", at);
      const end = comma === -1 ? line.length - 1 : comma;
      cells.push(line.slice(at, end));
      at = end;
    }
    if (at === line.length - 1) return cells;
    if (line[at] !== ",") return null;
    at += 1;
  }
}

function csvRow(header: readonly string[], cells: readonly string[]): ExportRow {
  const cellOf = (column: string) => cells[header.indexOf(column)] ?? "";
  return {
    has: (column) => header.includes(column),
    text: (column) => cellOf(column) || null,
    json: (column) => parseUnambiguousJson(cellOf(column)),
    shows: (column, expected) => showsInCsv(cellOf(column), expected),
  };
}

/** Texts that version 0.1.0 has escaped. */
const previousFormula = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

function showsInCsv(cell: string, expected: Json): boolean {
  if (expected === null) return cell === "";
  if (typeof expected === "string") {
    const escaped = (isFormula: boolean) => (isFormula ? `'${expected}` : expected);
    return cell === escaped(mayBeFormula(expected)) || cell === escaped(previousFormula.test(expected));
  }
  if (typeof expected !== "object") return cell === String(expected);
  const shown = parseUnambiguousJson(cell);
  return shown !== undefined && isSame(shown, expected);
}
