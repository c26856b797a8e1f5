// Owns the choice of the row format for an export: one format for each value of `format`.

import { createCsv } from "./csv.ts";
import type { Export, ExportFormat } from "./export.ts";
import { createJson } from "./json.ts";
import type { RowFormat } from "./row-format.ts";

const formats: Readonly<Record<ExportFormat, (verifiable: boolean) => RowFormat>> = {
  csv: createCsv,
  json: createJson,
};

export function createRowFormat({ format, verifiable }: Pick<Export, "format" | "verifiable">): RowFormat {
  return formats[format](verifiable);
}
