// Owns how the lists of several owners become one. Never reads more of a list than is asked for.

import { type ListedRow, type Order, type Place, tieOf } from "./list-order.ts";

/** A memory, and in which of the lists it is. */
export interface Merged {
  readonly list: number;
  readonly row: ListedRow;
}

/** @param lists each in the order */
export function* inOneOrder(lists: readonly Iterator<ListedRow>[], order: Order): Generator<Merged> {
  try {
    const heads = lists.map((list) => list.next());
    for (;;) {
      let best: Merged | null = null;
      for (const [list, { value: row, done }] of heads.entries()) {
        if (done !== true && (best === null || isBehind(best.row, row, order))) best = { list, row };
      }
      if (best === null) return;
      yield best;
      heads[best.list] = lists[best.list]?.next() ?? { value: undefined, done: true };
    }
  } finally {
    // A query that is not read to its end keeps the connection busy.
    for (const list of lists) list.return?.();
  }
}

export function take<Row>(rows: Iterable<Row>, skip: number, limit: number): Row[] {
  const taken: Row[] = [];
  let skipped = 0;
  for (const row of rows) {
    if (skipped < skip) skipped += 1;
    else if (taken.push(row) === limit) break;
  }
  return taken;
}

/** Whether a memory of one owner is behind one of another owner in the order. Revisions of two owners say nothing about each other. */
function isBehind(one: ListedRow, other: ListedRow, order: Order): boolean {
  const isAfter = (a: number, b: number, direction: Order["direction"]) =>
    direction === "asc" ? a > b : a < b;
  const [value, than] = [one, other].map((row) =>
    order.sortBy === "updated_at" ? row.updated_at : row.value,
  );
  if (value === than || value === undefined || than === undefined)
    return isAfter(one.serial, other.serial, tieOf(order));
  if (value === null || than === null) return value === null;
  return isAfter(value, than, order.direction);
}

/** The place behind a row; null: no row. */
export function toPlace(row: Place | null): Place | null {
  return row === null ? null : { value: row.value, serial: row.serial };
}
