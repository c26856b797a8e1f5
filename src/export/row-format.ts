// Owns what a file format of exports is: text around rows, and a row for each record.

import type { StoredRecord } from "../audit/record.ts";
import { createCsv } from "./csv.ts";
import type { Export, ExportFormat } from "./export.ts";
import { createJson } from "./json.ts";
import type { RowBuffer } from "./row-buffer.ts";

export interface RowFormat {
  readonly head: string;
  /** Stands before the first row, and between two rows. */
  readonly before: string;
  readonly between: string;
  readonly tail: string;
  appendRow(buffer: RowBuffer, record: StoredRecord): void;
}

const formats: Readonly<Record<ExportFormat, (verifiable: boolean) => RowFormat>> = {
  csv: createCsv,
  json: createJson,
};

export function createRowFormat({ format, verifiable }: Pick<Export, "format" | "verifiable">): RowFormat {
  return formats[format](verifiable);
}
