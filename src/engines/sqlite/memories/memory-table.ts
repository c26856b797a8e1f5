// Owns what the methods of a memory transaction share: statements, rows by id, and what a pool counts. Changes nothing but the counts.

import type { Kind } from "../../../memory/kind.ts";
import { type Owner, ownerId } from "../../../memory/owner.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { ownerSerialsOf } from "../project-serials.ts";
import type { WriterState } from "../threads/writer-state.ts";
import type { MemoryRow } from "./memory-row.ts";
import { memoryStatements } from "./memory-statements.ts";
import type { Revisions } from "./revisions.ts";

export type MemoryTable = ReturnType<typeof createMemoryTable>;

export function createMemoryTable(database: Database, state: WriterState, revisions: Revisions) {
  const sql = memoryStatements(database);
  const serialOf = ownerSerialsOf(database);
  const findRow = (owner: Owner, id: string): MemoryRow | undefined => sql.find.get(id, serialOf(owner));
  const epochOf = (owner: Owner, kind: Kind): number => {
    const epoch = sql.epoch.get(serialOf(owner), kind);
    if (epoch === undefined) throw new Error(`${ownerId(owner)} has no pool for ${kind}`);
    return epoch;
  };
  const addToPool = (owner: Owner, kind: Kind, count: number): void => {
    sql.count.run(count, serialOf(owner), kind);
    if (owner.subject === null) return;
    (kind === "passage" ? sql.countPassagesOfSubjects : sql.countOfSubjects).run(count, owner.project);
  };
  return { database, state, revisions, sql, serialOf, findRow, epochOf, addToPool };
}
