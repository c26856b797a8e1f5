// Owns the orders of the list of memories: rows one after another in an order, and the SQL of an order. Each order has an index, so a walk
// begins anywhere at once. Knows no filter.

import type { Kind } from "../../../memory/kind.ts";
import type { ListQuery } from "../../../memory/search/list-query.ts";
import type { Database } from "../../../platform/native/sqlite.ts";

/** Memories of equal importance that are kept until all of them are read; of more, each one is read twice. */
const groupMax = 64;

/** What filters need of a memory. */
export interface ListedRow {
  readonly serial: number;
  /** What the list is sorted by; null: the memory has no such date. */
  readonly value: number | null;
  readonly content_revision: number;
  readonly memory_type: Kind;
  readonly epoch: number;
  readonly is_active: number;
  readonly updated_at: number;
  readonly expires_at: number | null;
  /** A JSON array; null without tags. */
  readonly tags: string | null;
  /** A JSON object; null without metadata. */
  readonly metadata: string | null;
}

/** A place in an order: the memory before it. */
export interface Place {
  readonly value: number | null;
  readonly serial: number;
}

export type Order = Pick<ListQuery, "sortBy" | "direction">;

/** Serials grow with creation and revisions with change, so both orders come from an index and have no ties. */
export const sortColumns = {
  created_at: "m.serial",
  updated_at: "m.revision",
  importance: "m.importance",
  expires_at: "m.expires_at",
  last_accessed_at: "m.last_accessed_at",
} as const;

const indexes = {
  created_at: "memory_by_project",
  updated_at: "memory_by_revision",
  importance: "memory_by_importance",
  expires_at: "memory_by_expiry",
  last_accessed_at: "memory_by_access",
} as const;

const nullable: ReadonlySet<ListQuery["sortBy"]> = new Set(["expires_at", "last_accessed_at"]);

/** The direction of the serials of memories with equal values: of equal importance the newest is first, in both directions. */
export function tieOf({ sortBy, direction }: Order): Order["direction"] {
  return sortBy === "importance" ? "desc" : direction;
}

/** `ORDER BY` of an order: memories without the date are last. The plus keeps SQLite from an index. */
export function toOrderBy(order: Order, plus: "+" | ""): string {
  const { sortBy, direction } = order;
  const nulls = nullable.has(sortBy) ? " NULLS LAST" : "";
  return `ORDER BY ${plus}${sortColumns[sortBy]} ${direction}${nulls}, ${plus}m.serial ${tieOf(order)}`;
}

/** The condition on memories behind a place; its parameters are `value` and `serial`. */
export function toBehind(order: Order): string {
  const column = `+${sortColumns[order.sortBy]}`;
  const behind = `${column} ${comparisons[order.direction]} :value`;
  const tied = `${column} IS :value AND +m.serial ${comparisons[tieOf(order)]} :serial`;
  return `(${behind} OR (${tied}) OR (${column} IS NULL AND :value IS NOT NULL))`;
}

const comparisons = { asc: ">", desc: "<" } as const;

/** All memories of a project behind a place (null: all), hidden ones included, in their order. Reads on only while it is iterated. */
export function createWalk(
  database: Database,
): (project: number, order: Order, place: Place | null) => Generator<ListedRow, void> {
  const rows = (sortBy: ListQuery["sortBy"], condition: string, direction: string) =>
    database.prepare<[Record<string, unknown>], ListedRow>(
      `SELECT m.serial, ${sortColumns[sortBy]} AS value, m.content_revision, m.memory_type, m.epoch, m.is_active, m.updated_at, m.expires_at, m.tags, m.metadata
       FROM memory m INDEXED BY ${indexes[sortBy]} WHERE m.project = :project ${condition} ORDER BY ${direction}`,
    );

  /** Those with the value of the place, then those behind it, then those without the date. */
  function* asInIndex(project: number, { sortBy, direction }: Order, place: Place | null) {
    const column = sortColumns[sortBy];
    const behind = comparisons[direction];
    const read = (condition: string) =>
      rows(sortBy, `AND ${column} ${condition}`, `${column} ${direction}, m.serial ${direction}`).iterate({
        project,
        ...place,
      });
    const tied = `AND m.serial ${behind} :serial`;
    if (place?.value === null) return yield* read(`IS NULL ${tied}`);
    if (place !== null) yield* read(`= :value ${tied}`);
    yield* read(place === null ? "IS NOT NULL" : `${behind} :value`);
    if (nullable.has(sortBy)) yield* read("IS NULL");
  }

  /** The index has the memories of each importance in the other direction, so those of one are read before the first of them is told. */
  function* fromLeastImportant(project: number, place: Place | null) {
    const equal = (value: number | null, serial: number) =>
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
    const isReverse = tieOf(order) !== order.direction;
    yield* isReverse ? fromLeastImportant(project, place) : asInIndex(project, order, place);
  };
}
