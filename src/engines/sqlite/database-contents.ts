// Owns the queries that count what the database contains, for metrics. They read counters and the ends of indexes only, never all rows
// of a table that grows, because one request answers all of them.

import type { ExportStatus } from "../../audit/export/export.ts";
import type { DatabaseContents, ProjectContents } from "../../calls/storage/statistics.ts";
import type { Kind } from "../../memory/kind.ts";
import type { Database } from "../../platform/native/sqlite.ts";

interface ChainRow {
  number: number;
  project: string | null;
  /** 0: retention has removed all records, or there was none. */
  newest: number;
  oldest: number;
  /** Number of records that the newest checkpoint covers; 0: none. */
  signed: number;
  signedAt: number | null;
}

interface PoolRow {
  project: string;
  type: Kind;
  memories: number;
}

/** @param countsProjects whether `ofProjects` has each project that is not deleted, else it is empty */
export function createContentsReader(database: Database): (countsProjects: boolean) => DatabaseContents {
  const memories = database.prepare<[], { type: Kind; memories: number }>(
    "SELECT memory_type AS type, SUM(memories) AS memories FROM pool GROUP BY memory_type",
  );
  const pools = database.prepare<[], PoolRow>(
    `SELECT p.id AS project, q.memory_type AS type, SUM(q.memories) AS memories FROM pool q
     JOIN project o ON o.serial = q.project JOIN project p ON p.serial = COALESCE(o.parent, o.serial)
     WHERE p.deleted_at IS NULL GROUP BY p.serial, q.memory_type`,
  );
  const projects = database
    .prepare<[], number>("SELECT COUNT(*) FROM project WHERE deleted_at IS NULL AND parent IS NULL")
    .pluck();
  const chains = database.prepare<[], ChainRow>(
    `SELECT c.number, p.id AS project,
       COALESCE((SELECT MAX(seq) FROM audit_entry WHERE chain = c.number), 0) AS newest,
       COALESCE((SELECT MIN(seq) FROM audit_entry WHERE chain = c.number), 0) AS oldest,
       COALESCE(k.size, 0) AS signed, k.at AS signedAt
     FROM audit_chain c
     LEFT JOIN project p ON p.serial = c.project AND p.deleted_at IS NULL
     LEFT JOIN audit_checkpoint k ON k.chain = c.number
       AND k.size = (SELECT MAX(size) FROM audit_checkpoint WHERE chain = c.number)`,
  );
  const writtenAt = database
    .prepare<[number, number], number>(
      "SELECT at FROM audit_entry WHERE chain = ? AND seq >= ? ORDER BY seq LIMIT 1",
    )
    .pluck();
  const exports = database.prepare<[], { status: ExportStatus; exports: number }>(
    "SELECT status, COUNT(*) AS exports FROM audit_export GROUP BY status",
  );
  const rememberTasks = database.prepare<[], number>("SELECT COUNT(*) FROM remember_task").pluck();
  const pageBytes = () => Number(database.pragma("page_size", { simple: true }));
  const freePages = () => Number(database.pragma("freelist_count", { simple: true }));

  const read = (countsProjects: boolean): DatabaseContents => {
    const found = chains.all();
    const unsigned = found.filter(({ newest, signed }) => newest > signed);
    const unsignedAt = unsigned.map(({ number, signed }) => writtenAt.get(number, signed + 1) ?? null);
    return {
      memories: memories.all(),
      projects: projects.get() ?? 0,
      records: found.reduce((sum, chain) => sum + recordsOf(chain), 0),
      unsignedRecords: unsigned.reduce((sum, { newest, signed }) => sum + newest - signed, 0),
      oldestUnsignedAt: least(unsignedAt),
      checkpointAt: greatest(found.map(({ signedAt }) => signedAt)),
      exports: exports.all(),
      rememberTasks: rememberTasks.get() ?? 0,
      freeBytes: freePages() * pageBytes(),
      ofProjects: countsProjects ? byProject(found, pools.all()) : [],
    };
  };
  return database.transaction(read);
}

function recordsOf({ newest, oldest }: ChainRow): number {
  return newest === 0 ? 0 : newest - oldest + 1;
}

function byProject(chains: readonly ChainRow[], pools: readonly PoolRow[]): ProjectContents[] {
  const memories = Map.groupBy(pools, ({ project }) => project);
  return chains.flatMap((chain) => {
    const { project } = chain;
    if (project === null) return [];
    const ofProject = memories.get(project) ?? [];
    return [
      {
        project,
        memories: ofProject.map(({ type, memories: count }) => ({ type, memories: count })),
        records: recordsOf(chain),
      },
    ];
  });
}

function least(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : known.reduce((a, b) => Math.min(a, b));
}

function greatest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : known.reduce((a, b) => Math.max(a, b));
}
