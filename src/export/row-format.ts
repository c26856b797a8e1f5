// Owns what a file format of exports is: text around rows, and a row for each record.

import type { StoredRecord } from "../audit/record.ts";
import { createCsv } from "./csv.ts";
import type { Export, ExportFormat } from "./export.ts";
import { createJson } from "./json.ts";

export interface RowFormat {
  readonly head: string;
  /** Stands between two rows. */
  readonly between: string;
  readonly tail: string;
  row(record: StoredRecord): string;
}

const formats: Readonly<Record<ExportFormat, (verifiable: boolean) => RowFormat>> = {
  csv: createCsv,
  json: createJson,
};

export function createRowFormat({ format, verifiable }: Pick<Export, "format" | "verifiable">): RowFormat {
  return formats[format](verifiable);
}
