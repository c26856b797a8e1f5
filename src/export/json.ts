// Owns JSON exports: one array, one object per line, so that tools for either find their way.

import { rowOf } from "./columns.ts";
import type { RowFormat } from "./row-format.ts";

export function createJson(verifiable: boolean): RowFormat {
  return {
    head: "[",
    before: "\n",
    between: ",\n",
    tail: "\n]\n",
    appendRow: (buffer, record) => buffer.append(JSON.stringify(rowOf(record, verifiable))),
  };
}
