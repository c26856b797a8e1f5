// Owns the orders of the list of memories: rows one after another in an order, and the SQL of an order. Each order has an index, so a walk
// begins anywhere at once. Knows no filter.

import type { Kind } from "../../../memory/kind.ts";
import type { ListQuery } from "../../../memory/list-query.ts";
import type { Database } from "../../../native/sqlite.ts";

/** Memories of equal importance that are kept until all of them are read; of more, each one is read twice. */
const groupMax = 64;

/** What filters need of a memory. */
export interface ListedRow {
  readonly serial: number;
  /** What the list is sorted by. */
  readonly value: number;
  readonly content_revision: number;
  readonly memory_type: Kind;
  readonly epoch: number;
  readonly is_active: number;
  readonly expires_at: number | null;
  /** A JSON array; null without tags. */
  readonly tags: string | null;
  /** A JSON object; null without metadata. */
  readonly metadata: string | null;
}

/** A place in an order: the memory before it. */
export interface Place {
  readonly value: number;
  readonly serial: number;
}

export type Order = Pick<ListQuery, "sortBy" | "direction">;

/** Serials grow with creation and revisions with change, so both orders come from an index and have no ties. */
export const sortColumns = {
  created_at: "m.serial",
  updated_at: "m.revision",
  importance: "m.importance",
} as const;

const indexes = {
  created_at: "memory_by_project",
  updated_at: "memory_by_revision",
  importance: "memory_by_importance",
} as const;

/** `ORDER BY` of an order. Of equal importance the newest is first, in both directions. The plus keeps SQLite from an index. */
export function toOrderBy({ sortBy, direction }: Order, plus: "+" | ""): string {
  const tie = sortBy === "importance" ? `, ${plus}m.serial DESC` : "";
  return `ORDER BY ${plus}${sortColumns[sortBy]} ${direction}${tie}`;
}

/** The condition on memories behind a place; its parameters are `value` and `serial`. */
export function toBehind({ sortBy, direction }: Order): string {
  const column = `+${sortColumns[sortBy]}`;
  const behind = `${column} ${direction === "asc" ? ">" : "<"} :value`;
  return sortBy === "importance" ? `(${behind} OR (${column} = :value AND +m.serial < :serial))` : behind;
}

/** All memories of a project behind a place (null: all), hidden ones included, in their order. Reads on only while it is iterated. */
export function createWalk(
  database: Database,
): (project: number, order: Order, place: Place | null) => Generator<ListedRow, void> {
  const rows = (sortBy: ListQuery["sortBy"], condition: string, direction: string) =>
    database.prepare<[Record<string, unknown>], ListedRow>(
      `SELECT m.serial, ${sortColumns[sortBy]} AS value, m.content_revision, m.memory_type, m.epoch, m.is_active, m.expires_at, m.tags, m.metadata
       FROM memory m INDEXED BY ${indexes[sortBy]} WHERE m.project = :project ${condition} ORDER BY ${direction}`,
    );

  function* byOneColumn(project: number, { sortBy, direction }: Order, place: Place | null) {
    const column = sortColumns[sortBy];
    const behind = place === null ? "" : `AND ${column} ${direction === "asc" ? ">" : "<"} :value`;
    yield* rows(sortBy, behind, `${column} ${direction}`).iterate({ project, value: place?.value });
  }

  function* fromMostImportant(project: number, place: Place | null) {
    const order = "m.importance DESC, m.serial DESC";
    if (place === null) return yield* rows("importance", "", order).iterate({ project });
    const { value, serial } = place;
    const equal = "AND m.importance = :value AND m.serial < :serial";
    yield* rows("importance", equal, "m.serial DESC").iterate({ project, value, serial });
    yield* rows("importance", "AND m.importance < :value", order).iterate({ project, value });
  }

  /** The index has the memories of each importance in the other direction, so those of one are read before the first of them is told. */
  function* fromLeastImportant(project: number, place: Place | null) {
    const equal = (value: number, serial: number) =>
      rows("importance", "AND m.importance = :value AND m.serial < :serial", "m.serial DESC").iterate({
        project,
        value,
        serial,
      });
    const above = rows("importance", "AND m.importance > :value", "m.importance, m.serial");
    if (place !== null) yield* equal(place.value, place.serial);
    let value: number | null = place?.value ?? -1;
    while (value !== null) {
      const group: ListedRow[] = [];
      let common: number | null = null;
      for (const row of above.iterate({ project, value })) {
        if (row.value !== group[0]?.value) yield* group.splice(0).reverse();
        group.push(row);
        if (group.length < groupMax) continue;
        common = row.value;
        break;
      }
      if (common === null) yield* group.reverse();
      else yield* equal(common, Number.MAX_SAFE_INTEGER);
      value = common;
    }
  }

  return function* walk(project, order, place) {
    if (order.sortBy !== "importance") return yield* byOneColumn(project, order, place);
    yield* order.direction === "desc"
      ? fromMostImportant(project, place)
      : fromLeastImportant(project, place);
  };
}
