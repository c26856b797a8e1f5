// Owns the SQL that lists memories without ranking them by relevance; that is search.ts.

import type { Project } from "../../../access/project.ts";
import type { Memory } from "../../../memory/memory.ts";
import type { ListQuery, MemoryPage, MemoryVersion, ProminenceQuery } from "../../../memory/store.ts";
import type { Database } from "../../../native/sqlite.ts";
import { mostProminent } from "../../../ranking/prominence.ts";
import { serialsOf } from "../project-serials.ts";
import { aliveJoin, fromAliveById, type MemoryRow, memoryColumns, toMemory } from "./memory-row.ts";

/** Serials grow with creation and revisions with change, so both orders come from an index and have no ties. */
const orders = { created_at: "m.serial", updated_at: "m.revision", importance: "m.importance" } as const;

/** The same join in the other order: sorts the visible memories instead of skipping all hidden ones and those of other types. */
const aliveFirst = aliveJoin.replace("JOIN pool ON", "pool CROSS JOIN memory m ON");

export function createMemoryFinder(
  database: Database,
): (project: Project, id: string) => MemoryVersion | null {
  const serialOf = serialsOf(database);
  const find = database.prepare<[string, number], MemoryRow & { revision: number }>(
    `SELECT ${memoryColumns}, m.revision ${fromAliveById}`,
  );
  return (project, id) => {
    const row = find.get(id, serialOf(project.id));
    return row === undefined ? null : { memory: toMemory(row), revision: row.revision };
  };
}

export function createMemoryList(database: Database): (project: Project, query: ListQuery) => MemoryPage {
  const serialOf = serialsOf(database);
  const total = database
    .prepare<[number, string | null, string | null], number>(
      "SELECT TOTAL(memories) FROM pool WHERE project = ? AND (? IS NULL OR memory_type = ?)",
    )
    .pluck();
  const isPurging = database
    .prepare<[number], number>("SELECT EXISTS (SELECT 1 FROM dead_pool WHERE project = ?)")
    .pluck();
  return database.transaction((project: Project, { type, sortBy, direction, limit, offset }: ListQuery) => {
    const filter = type === null ? "" : "AND m.memory_type = :type";
    const tie = sortBy === "importance" ? ", m.serial DESC" : "";
    const page = database.prepare<[Record<string, unknown>], MemoryRow>(
      `SELECT ${memoryColumns} FROM ${isPurging.get(serialOf(project.id)) === 1 ? aliveFirst : `memory m ${aliveJoin}`}
       WHERE m.project = :project ${filter}
       ORDER BY ${orders[sortBy]} ${direction === "asc" ? "ASC" : "DESC"}${tie} LIMIT :limit OFFSET :offset`,
    );
    const rows = page.all({ project: serialOf(project.id), type, limit, offset });
    return { memories: rows.map(toMemory), total: total.get(serialOf(project.id), type, type) ?? 0 };
  });
}

/** All active rules that have not expired, by importance, then newest first. */
export function createRuleReader(database: Database): (project: Project, now: number) => Memory[] {
  const serialOf = serialsOf(database);
  const rules = database.prepare<[Record<string, unknown>], MemoryRow>(
    // The plus makes SQLite sort the few rules instead of scanning all memories by importance.
    `SELECT ${memoryColumns} FROM ${aliveFirst}
     WHERE m.project = :project AND m.memory_type = 'rule' AND m.is_active = 1
       AND (m.expires_at IS NULL OR m.expires_at > :now)
     ORDER BY +m.importance DESC, m.serial DESC`,
  );
  return (project, now) => rules.all({ project: serialOf(project.id), now }).map(toMemory);
}

/** The most prominent of all active, unexpired memories of some types. Reads numbers of each, and the contents of the best only. */
export function createProminenceReader(
  database: Database,
): (project: Project, query: ProminenceQuery) => Memory[] {
  const serialOf = serialsOf(database);
  const ranked = database.prepare<
    [Record<string, unknown>],
    { serial: number; importance: number; updatedAt: number }
  >(
    // In the order of creation, which decides between equal scores.
    `SELECT m.serial, m.importance, m.updated_at AS updatedAt FROM ${aliveFirst}
     WHERE m.project = :project AND m.memory_type IN (SELECT value FROM json_each(:types)) AND m.is_active = 1
       AND (m.expires_at IS NULL OR m.expires_at > :now)
     ORDER BY m.serial`,
  );
  const bySerial = database.prepare<[number], MemoryRow>(
    `SELECT ${memoryColumns} FROM memory m WHERE m.serial = ?`,
  );
  return (project, { types, topK, now }) => {
    const rows = ranked.iterate({ project: serialOf(project.id), types: JSON.stringify(types), now });
    return mostProminent(rows, topK, now).map(({ serial }) => {
      const row = bySerial.get(serial);
      if (row === undefined) throw new Error("a memory disappeared within a transaction");
      return toMemory(row);
    });
  };
}
