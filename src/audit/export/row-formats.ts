// Owns the choice of the row format for an export: one format for each value of `format`.

import type { Proofs } from "./columns.ts";
import { createCsv } from "./csv.ts";
import type { Export, ExportFormat } from "./export.ts";
import { createJson } from "./json.ts";
import type { RowFormat } from "./row-format.ts";

const formats: Readonly<Record<ExportFormat, (proofs: Proofs) => RowFormat>> = {
  csv: createCsv,
  json: createJson,
};

export function createRowFormat({ format, ...proofs }: Pick<Export, "format"> & Proofs): RowFormat {
  return formats[format](proofs);
}
