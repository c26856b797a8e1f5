// Owns the types of a table.

import type { ComponentChildren } from "preact";
import type { Rows } from "./rows.ts";
import type { Selection } from "./selection.ts";

export interface Column<Row> {
  /** Name of the column, and its sort key. */
  readonly name: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** In rem. A table that has not so much room for each of its columns leaves some out: those that narrow screens hide first. */
  readonly width: number;
  /** The column takes the rest, and never has less than its width. */
  readonly grows?: boolean;
  readonly align?: "end";
  readonly isSortable?: boolean;
  /** On narrow screens: the first line, the second one, or nothing. Default: detail */
  readonly narrow?: "title" | "detail" | "hidden";
}

export interface Sort {
  readonly column: string;
  readonly isDescending: boolean;
}

export interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly label: string;
  /** Of one row, such as "memory" and "memories". */
  readonly noun: readonly [one: string, many: string];
  readonly columns: readonly Column<Row>[];
  /** Made with createRows; another object shows other rows, from the first one on. */
  readonly rows: Rows<Row>;
  readonly idOf: (row: Row) => string;
  /** Text that names the row, for screen readers. */
  readonly nameOf: (row: Row) => string;
  readonly sort?: Sort | null;
  readonly onSort?: (sort: Sort) => void;
  /** The row that is shown beside the table; null: none. */
  readonly openId?: string | null;
  readonly onOpen?: (row: Row) => void;
  /** What the key `e` does. */
  readonly onEdit?: (row: Row) => void;
  readonly selection?: Selection;
  readonly onSelect?: (selection: Selection) => void;
  /** What is shown while there are no rows. */
  readonly empty: ComponentChildren;
}
