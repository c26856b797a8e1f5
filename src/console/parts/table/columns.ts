// Owns which columns of a table have room. Pure.

import type { Column } from "./types.ts";

/** Of the tick boxes, in rem. */
export const chooserWidth = 2.25;

/**
 * The columns that fit. Those that narrow screens hide are left out first, then details, from the end; the title never is.
 * @param room in rem
 */
export function fittingColumns<Row>(
  columns: readonly Column<Row>[],
  room: number,
  isSelecting: boolean,
): readonly Column<Row>[] {
  let surplus = isSelecting ? chooserWidth : 0;
  for (const { width } of columns) surplus += width;
  surplus -= room;
  const left = new Set<Column<Row>>();
  for (const narrow of ["hidden", "detail"])
    for (const column of columns.toReversed()) {
      if (surplus <= 0) break;
      if ((column.narrow ?? "detail") !== narrow) continue;
      left.add(column);
      surplus -= column.width;
    }
  return columns.filter((column) => !left.has(column));
}
