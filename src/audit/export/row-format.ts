// Owns the interface of an export's file format: the text around the rows, and the text of one row.

import type { ProvableRecord } from "../record.ts";
import type { RowBuffer } from "./row-buffer.ts";

export interface RowFormat {
  /** At the beginning of the file. */
  readonly head: string;
  /** Before the first row. */
  readonly before: string;
  /** Between two rows. */
  readonly between: string;
  /** At the end of the file. */
  readonly tail: string;
  /** Appends one record as a row. */
  appendRow(buffer: RowBuffer, record: ProvableRecord): void;
}
