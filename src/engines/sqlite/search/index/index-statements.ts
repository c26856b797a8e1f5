// Owns the queries of a search index: all memories of a project, or the changes since a revision.

import type { Kind } from "../../../../memory/kind.ts";
import type { MetadataCondition } from "../../../../memory/search/metadata-filter.ts";
import type { Database } from "../../../../platform/native/sqlite.ts";
import { aliveJoin } from "../../memories/memory-row.ts";
import { serialsOf } from "../../memories/metadata.ts";
import { createWordReader } from "../../words/reader.ts";

export interface ChangedRow {
  serial: number;
  revision: number;
  content_revision: number;
  memory_type: Kind;
  importance: number;
  is_active: number;
  expires_at: number | null;
  /** As `MemoryRow.tags`. */
  tags: string | null;
  embedding: Uint8Array;
}

interface RemovedRow {
  memory: number;
  revision: number;
}

export interface Pool {
  memory_type: Kind;
  epoch: number;
  memories: number;
}

/** Prepared once per connection. */
export interface IndexStatements {
  pools(project: number): Map<Kind, Pool>;
  /** Of the memories that no bulk delete has hidden, in the order of their revisions. */
  changes(project: number, afterRevision: number, throughRevision: number): Iterable<ChangedRow>;
  removals(project: number, afterRevision: number): Iterable<RemovedRow>;
  /** Whether more than `rows` memories have changed after a revision; those that a bulk delete has hidden count. */
  isBehind(project: number, afterRevision: number, rows: number): boolean;
  /** The revision through which as many memories have changed, or the newest one; null: none has changed. */
  endOf(project: number, afterRevision: number, rows: number): number | null;
  /** Serials of the memories that have a member as the condition says; those that a bulk delete has hidden may be among them. */
  described(project: number, condition: MetadataCondition): Iterable<number>;
  /** Begins another read transaction, which sees what was committed since. */
  renew(): void;
  /** As createWordReader. */
  holders(project: number, words: string, fromRevision: number, limit: number): Float64Array;
}

export function createIndexStatements(database: Database): IndexStatements {
  const pools = database.prepare<[number], Pool>(
    "SELECT memory_type, epoch, memories FROM pool WHERE project = ?",
  );
  const changes = database.prepare<[number, number, number], ChangedRow>(
    `SELECT m.serial, m.revision, m.content_revision, m.memory_type, m.importance, m.is_active, m.expires_at, m.tags, v.embedding
     FROM memory m ${aliveJoin} JOIN memory_vector v ON v.memory = m.serial
     WHERE m.project = ? AND m.revision > ? AND m.revision <= ? ORDER BY m.revision`,
  );
  const removals = database.prepare<[number, number], RemovedRow>(
    "SELECT memory, revision FROM memory_removal WHERE project = ? AND revision > ?",
  );
  const nth = database
    .prepare<[number, number, number], number>(
      "SELECT revision FROM memory WHERE project = ? AND revision > ? ORDER BY revision LIMIT 1 OFFSET ?",
    )
    .pluck();
  const last = database
    .prepare<[number, number], number | null>(
      "SELECT MAX(revision) FROM memory WHERE project = ? AND revision > ?",
    )
    .pluck();
  return {
    pools: (project) => new Map(pools.all(project).map((row) => [row.memory_type, row])),
    changes: (project, after, through) => changes.iterate(project, after, through),
    isBehind: (project, after, rows) => nth.get(project, after, rows) !== undefined,
    endOf: (project, after, rows) => nth.get(project, after, rows - 1) ?? last.get(project, after) ?? null,
    renew() {
      database.exec("COMMIT");
      database.exec("BEGIN");
    },
    described(project, condition) {
      const { sql, parameters } = serialsOf(condition, 0);
      return database
        .prepare<[Record<string, unknown>], number>(sql)
        .pluck()
        .iterate({ ...parameters, project });
    },
    removals: (project, afterRevision) => removals.iterate(project, afterRevision),
    holders: createWordReader(database),
  };
}
