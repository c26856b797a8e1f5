// Owns the rows of CSV files (RFC 4180): cells between quotation marks may have separators, line breaks and doubled quotation marks. Keeps one
// row in memory. Must never leave out a row without a fault.

import { recordMaxBytes } from "./limits.ts";
import { type TextLine, tooLong } from "./text-lines.ts";

export type CsvRow = { readonly line: number } & (
  | { readonly cells: readonly string[] }
  | { readonly fault: string }
);

export const separators = [",", ";", "\t"] as const;
export type Separator = (typeof separators)[number];

/** The separator that the first line has most often outside quotation marks. */
export function separatorOf(head: string): Separator {
  const [line = ""] = head.replace(/"[^"]*"/g, "").split("\n");
  const count = (separator: string) => line.split(separator).length;
  return separators.reduce((best, each) => (count(each) > count(best) ? each : best));
}

/** `line` is the one on which the row begins. Blank lines are left out. */
export async function* readCsv(lines: AsyncIterable<TextLine>, separator: Separator): AsyncGenerator<CsvRow> {
  let row: Row | null = null;
  for await (const each of lines) {
    if ("fault" in each) {
      // What a quoted cell continues with is unknown, so the next line is a new row.
      if (row !== null) yield { line: row.line, fault: "has a quoted cell that is not readable" };
      row = null;
      yield each;
      continue;
    }
    if (row === null && each.text.trim() === "") continue;
    row ??= { line: each.line, cells: [], cell: "", characters: 0, state: "start", fault: null };
    addLine(row, each.text, separator);
    if (row.state === "quoted") continue;
    yield toRow(row);
    row = null;
  }
  if (row !== null)
    yield { line: row.line, fault: "has a quotation mark that does not end; the file is not complete" };
}

interface Row {
  readonly line: number;
  cells: string[];
  cell: string;
  characters: number;
  /** In which kind of cell the end of the text is; "closed": behind its quotation mark. */
  state: "start" | "plain" | "quoted" | "closed";
  fault: string | null;
}

function addLine(row: Row, text: string, separator: Separator): void {
  const keep = (part: string, characters = part.length) => {
    row.characters += characters;
    if (row.characters > recordMaxBytes) [row.fault, row.cells, row.cell] = [tooLong, [], ""];
    else row.cell += part;
  };
  const endCell = () => {
    // An empty cell needs memory, too.
    keep("", 1);
    if (row.fault === null) row.cells.push(row.cell);
    [row.cell, row.state] = ["", "start"];
  };
  if (row.state === "quoted") keep("\n");
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (row.state === "quoted") {
      const end = text.indexOf('"', at);
      keep(text.slice(at, end === -1 ? undefined : end));
      if (end === -1) return;
      at = end;
      row.state = "closed";
    } else if (character === '"' && row.state === "closed") {
      keep('"');
      row.state = "quoted";
    } else if (character === separator) endCell();
    else if (character === '"' && row.state === "start") row.state = "quoted";
    else {
      if (row.state === "closed") row.fault ??= "has text behind a quoted cell";
      row.state = row.state === "closed" ? "closed" : "plain";
      keep(character);
    }
  }
  if (row.state !== "quoted") endCell();
}

function toRow({ line, cells, fault }: Row): CsvRow {
  return fault === null ? { line, cells } : { line, fault };
}
