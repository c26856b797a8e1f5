// Owns the SQL that counts the memories of a project. Reads counters, small indexes and a sample, never all memories.

import type { MemoryStatistics } from "../../../memory/counts.ts";
import { type Kind, typeOf } from "../../../memory/kind.ts";
import type { Owner } from "../../../memory/owner.ts";
import type { ListFilter } from "../../../memory/search/list-query.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { ownerSerialsOf } from "../project-serials.ts";
import { contentSampleSize } from "./limits.ts";
import { createListTotal } from "./list-total.ts";
import { aliveJoin } from "./memory-row.ts";

const everything: ListFilter = { type: null, tags: null, active: null, expired: null, words: null };

export function createMemoryStatistics(database: Database): (owner: Owner, now: number) => MemoryStatistics {
  const serialOf = ownerSerialsOf(database);
  const total = createListTotal(database);
  const pools = database.prepare<[number], { kind: Kind; memories: number }>(
    "SELECT memory_type AS kind, memories FROM pool WHERE project = ?",
  );
  const changedAt = database
    .prepare<[number], number>(
      `SELECT m.updated_at FROM memory m INDEXED BY memory_by_revision ${aliveJoin}
       WHERE m.project = ? ORDER BY m.revision DESC LIMIT 1`,
    )
    .pluck();
  const ends = database.prepare<[number, number], { first: number | null; last: number | null }>(
    `SELECT (SELECT MIN(serial) FROM memory WHERE project = ?) AS first,
       (SELECT MAX(serial) FROM memory WHERE project = ?) AS last`,
  );
  const all = database
    .prepare<[number], number>(
      `SELECT COALESCE(SUM(octet_length(m.content)), 0) FROM memory m ${aliveJoin} WHERE m.project = ?`,
    )
    .pluck();
  const next = database
    .prepare<[number, number], number>(
      `SELECT octet_length(content) FROM memory INDEXED BY memory_by_project
       WHERE project = ? AND serial >= ? ORDER BY serial LIMIT 1`,
    )
    .pluck();

  /** The mean of memories at equal distances in the order of creation. A few that are hidden and not purged yet may be among them. */
  const meanBytes = (project: number): number => {
    const { first, last } = ends.get(project, project) ?? { first: null, last: null };
    if (first === null || last === null) return 0;
    const step = (last - first) / (contentSampleSize - 1);
    let bytes = 0;
    for (let at = 0; at < contentSampleSize; at++)
      bytes += next.get(project, Math.floor(first + at * step)) ?? 0;
    return bytes / contentSampleSize;
  };

  return database.transaction((owner: Owner, now: number): MemoryStatistics => {
    const serial = serialOf(owner);
    const byType = { rule: 0, fact: 0, context: 0 };
    let passages = 0;
    for (const { kind, memories } of pools.all(serial)) {
      byType[typeOf(kind)] += memories;
      if (kind === "passage") passages = memories;
    }
    const memories = byType.rule + byType.fact + byType.context;
    const count = (filter: Partial<ListFilter>) => total(serial, { ...everything, ...filter }, now) ?? 0;
    const isEstimate = memories > contentSampleSize;
    const bytes = isEstimate ? Math.round(meanBytes(serial) * memories) : all.get(serial);
    return {
      byType,
      passages,
      searchable: count({ active: true, expired: false }),
      inactive: count({ active: false }),
      expired: count({ expired: true }),
      contentBytes: bytes ?? 0,
      isEstimate,
      changedAt: memories === 0 ? null : (changedAt.get(serial) ?? null),
    };
  });
}
