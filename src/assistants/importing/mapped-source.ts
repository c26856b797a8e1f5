// Owns reading any JSON Lines or CSV by a map of its fields.

import type { JsonObject } from "../../platform/json/json.ts";
import { type CsvRow, readCsv, separatorOf } from "./csv.ts";
import type { Entry } from "./entry.ts";
import { type FieldMap, fieldOf, mapRecord } from "./field-map.ts";
import { firstRecord, readEntries } from "./json-records.ts";
import { RefusedSource, type Source } from "./source.ts";
import { readTextLines } from "./text-lines.ts";

export interface MappedSource {
  /** Completes "it ...": what is read, and what is left out. */
  readonly reason: string;
  readonly entries: AsyncIterable<Entry>;
}

/** @throws RefusedSource when the file does not have the columns */
export async function openMapped(source: Source, map: FieldMap): Promise<MappedSource> {
  if (/^\ufeff?\s*[[{]/.test(source.head)) return openJson(source, map);
  const separator = separatorOf(source.head);
  const header = await headerOf(source, separator);
  const missing = [...map.values()].filter((name) => !header.includes(name));
  if (missing.length > 0)
    throw new RefusedSource(
      `${source.name} has no column ${quoted(missing)}. Its columns are ${quoted(header)}. Correct --map.`,
    );
  const twice = [...map.values()].filter((name) => header.indexOf(name) !== header.lastIndexOf(name));
  if (twice.length > 0)
    throw new RefusedSource(`${source.name} has several columns ${quoted(twice)}. Rename them.`);
  const rows = readCsv(readTextLines(source.stream), separator);
  return { reason: `has columns${leftOut(header, map)}`, entries: entriesOf(rows, header, map) };
}

async function openJson(source: Source, map: FieldMap): Promise<MappedSource> {
  const first = await firstRecord(source.head);
  const absent = first === null ? [] : [...map.values()].filter((name) => fieldOf(first, name) === undefined);
  const warning = absent.length === 0 ? "" : `; the first object has no ${quoted(absent)}`;
  return {
    reason: `has JSON objects${leftOut(Object.keys(first ?? {}), map)}${warning}`,
    entries: readEntries(source, (line, value) => mapRecord(line, value, map)),
  };
}

async function headerOf(
  { head, name }: Source,
  separator: ReturnType<typeof separatorOf>,
): Promise<readonly string[]> {
  const bytes = (async function* () {
    yield Buffer.from(head);
  })();
  for await (const row of readCsv(readTextLines(bytes), separator)) {
    if ("cells" in row) return row.cells.map((cell) => cell.trim());
    throw new RefusedSource(`${name} has no header: its line ${row.line} ${row.fault}.`);
  }
  return [];
}

async function* entriesOf(
  rows: AsyncIterable<CsvRow>,
  header: readonly string[],
  map: FieldMap,
): AsyncGenerator<Entry> {
  let isHeader = true;
  for await (const row of rows) {
    const { line } = row;
    if (isHeader) isHeader = false;
    else if ("fault" in row) yield row;
    else if (row.cells.length !== header.length)
      yield { line, fault: `has ${row.cells.length} cells; the header has ${header.length}` };
    else yield mapRecord(line, toRecord(header, row.cells), map);
  }
}

function toRecord(header: readonly string[], cells: readonly string[]): JsonObject {
  return Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ""]));
}

function leftOut(names: readonly string[], map: FieldMap): string {
  const used = [...map.values()];
  const left = names.filter((name) => !used.some((each) => each === name || each.startsWith(`${name}.`)));
  return left.length === 0 ? "" : `; not mapped: ${quoted(left)}`;
}

const shownMax = 20;

function quoted(names: readonly string[]): string {
  const shown = names.slice(0, shownMax).map((name) => `"${name}"`);
  return `${shown.join(", ")}${names.length > shownMax ? ", ..." : ""}`;
}
