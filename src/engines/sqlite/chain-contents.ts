// Owns the queries about one project that somebody watches: its newest record, memories, limits and exports. They read counters and the
// ends of indexes only, because they are asked every second.

import type { NewProject } from "../../calls/storage/access-store.ts";
import type { ChainContents } from "../../calls/storage/statistics.ts";
import type { Kind } from "../../memory/kind.ts";
import { exportListMax } from "../../platform/limits.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import { type ExportRow, exportColumns, toExport } from "./export/exports.ts";

/** The project is given by its id; null: the installation. */
export function createChainContentsReader(
  database: Database,
  exportFolder: string,
): (project: string | null) => ChainContents {
  const find = database.prepare<[string], NewProject & { serial: number }>(
    `SELECT serial, name, plan, subscription, credits, memory_limit AS memoryLimit, passage_limit AS passageLimit,
       retention_days AS retentionDays
     FROM project WHERE id = ? AND deleted_at IS NULL`,
  );
  const chainOf = database
    .prepare<[number | null], number>("SELECT number FROM audit_chain WHERE project IS ?")
    .pluck();
  const newest = database
    .prepare<[number], number | null>("SELECT MAX(seq) FROM audit_entry WHERE chain = ?")
    .pluck();
  const memories = database.prepare<[number], { type: Kind; memories: number }>(
    "SELECT memory_type AS type, memories FROM pool WHERE project = ? ORDER BY memory_type",
  );
  const exports = database.prepare<[number], ExportRow>(
    `SELECT ${exportColumns} FROM audit_export x WHERE x.project = ? ORDER BY x.id DESC LIMIT ${exportListMax}`,
  );

  const read = (id: string | null): ChainContents => {
    const row = id === null ? undefined : find.get(id);
    if (id !== null && row === undefined)
      return { newestSequence: 0, memories: [], project: null, exports: [] };
    const chain = chainOf.get(row?.serial ?? null);
    const newestSequence = chain === undefined ? 0 : (newest.get(chain) ?? 0);
    if (row === undefined) return { newestSequence, memories: [], project: null, exports: [] };
    const { serial, ...project } = row;
    return {
      newestSequence,
      memories: memories.all(serial),
      project,
      exports: exports.all(serial).map((made) => toExport(made, exportFolder)),
    };
  };
  return database.transaction(read);
}
