// Owns the JSON format: one array with one object per line, so that the file can be read as JSON or line by line.

import { type Proofs, rowOf } from "./columns.ts";
import type { RowFormat } from "./row-format.ts";

export function createJson({ verifiable }: Proofs): RowFormat {
  return {
    head: "[",
    before: "\n",
    between: ",\n",
    tail: "\n]\n",
    appendRow: (buffer, record) => buffer.append(JSON.stringify(rowOf(record, verifiable))),
  };
}
