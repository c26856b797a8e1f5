// Owns the SQL of the numbers that a report has of the chains in a period. Reads no record at or below the newest anchor of a chain.

import { countedAtOnce, listedMax } from "../../../audit/report/limits.ts";
import { isOwn } from "../../../audit/verify/own-records.ts";
import type { ChainOwner } from "../../../calls/storage/ledger-store.ts";
import type {
  ChainPeriod,
  CountedCalls,
  Period,
  Removal,
  ReportedOwner,
  ReportedOwners,
  SourceStatements,
} from "../../../calls/storage/report-store.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { createChainSpan, createSeek } from "./audit-reader.ts";
import { cosignedNote, newestStamp } from "./tree-roots.ts";

interface CountRow {
  action: string;
  code: number | null;
  isSuccess: number;
  performed: number;
  count: number;
}

interface CountStep {
  readonly calls: readonly CountedCalls[];
  /** The next step begins here; null: all were counted. */
  readonly next: number | null;
}

export function createPeriodReader(database: Database) {
  const owners = database.prepare<[number], ReportedOwner>(
    `SELECT p.id, p.name, p.plan, p.retention_days AS retentionDays, p.deleted_at AS deletedAt
     FROM audit_chain c JOIN project p ON p.serial = c.project ORDER BY p.serial LIMIT ?`,
  );
  const ownerCount = database
    .prepare<[], number>("SELECT COUNT(*) FROM audit_chain WHERE project IS NOT NULL")
    .pluck();
  const ofRecord = "SELECT seq, id, at FROM audit_entry WHERE chain = ? AND seq = ?";
  const record = database.prepare<[number, number], NonNullable<ChainPeriod["first"]>>(ofRecord);
  const idOf = database.prepare<[number], string>("SELECT id FROM audit_chain WHERE number = ?").pluck();
  const checkpoints = database
    .prepare<[number, number, number], number>(
      "SELECT COUNT(*) FROM audit_checkpoint WHERE chain = ? AND at BETWEEN ? AND ?",
    )
    .pluck();
  const removals = database.prepare<[number, number, number], Removal>(
    "SELECT at, note FROM audit_anchor WHERE chain = ? AND at >= ? ORDER BY through DESC LIMIT ?",
  );
  const removalCount = database
    .prepare<[number, number], number>("SELECT COUNT(*) FROM audit_anchor WHERE chain = ? AND at >= ?")
    .pluck();
  // SQLite takes the other columns from the row with the largest size.
  const attestations = database.prepare<[number], SourceStatements>(
    `SELECT kind, source, MAX(size) AS size, at, COUNT(*) AS count FROM audit_attestation WHERE chain = ?
     GROUP BY kind, source ORDER BY kind, source`,
  );
  const attested = database.prepare<[number, number], NonNullable<ChainPeriod["attested"]>>(
    `SELECT p.size, ${cosignedNote} AS note, ${newestStamp} AS timestamp FROM audit_checkpoint p WHERE p.chain = ? AND p.size = ?`,
  );
  const span = createChainSpan(database);
  const seek = createSeek(database);

  const chain = (owner: ChainOwner, { from, to }: Period): ChainPeriod | null => {
    const found = span(owner);
    if (found === null) return null;
    const { number } = found;
    const first = seek(found, from);
    const last = seek(found, to + 1) - 1;
    const statements = attestations.all(number);
    const newest = Math.max(-1, ...statements.map(({ size }) => size));
    const shown = removals.all(number, from, listedMax.removals);
    return {
      chain: idOf.get(number) ?? "",
      removedThrough: found.first - 1,
      first: first > last ? null : (record.get(number, first) ?? null),
      last: first > last ? null : (record.get(number, last) ?? null),
      checkpoints: checkpoints.get(number, from, to) ?? 0,
      removals: shown,
      moreRemovals: (removalCount.get(number, from) ?? 0) - shown.length,
      attestations: statements,
      attested: newest < 0 ? null : (attested.get(number, newest) ?? null),
    };
  };

  const counted = (condition: string) =>
    database.prepare<[Record<string, unknown>], CountRow>(
      `SELECT action, code, isSuccess, performed, COUNT(*) AS count FROM (
         SELECT e.action, e.status BETWEEN 200 AND 299 AS isSuccess,
           CASE WHEN e.status NOT BETWEEN 200 AND 299 THEN json_extract(e.entry, '$.code') END AS code,
           COALESCE(json_extract(e.entry, '$.performed'), 0) AS performed
         FROM audit_entry e WHERE e.chain = :chain AND e.seq BETWEEN :first AND :last ${condition}
       ) GROUP BY 1, 2, 3, 4`,
    );
  const countAll = counted("");
  const countOfSubject = counted(
    `AND EXISTS (SELECT 1 FROM audit_pseudonym a WHERE a.entry = e.number
       AND a.pseudonym = (SELECT serial FROM pseudonym WHERE id = :subject))`,
  );

  const count = (owner: ChainOwner, from: number, through: number, subject: string | null): CountStep => {
    const found = span(owner);
    if (found === null) return { calls: [], next: null };
    const first = Math.max(from, found.first);
    const last = Math.min(through, first + countedAtOnce - 1);
    const range = { chain: found.number, first, last };
    const rows = subject === null ? countAll.all(range) : countOfSubject.all({ ...range, subject });
    const calls = rows.map(({ isSuccess, performed, ...row }) => ({
      ...row,
      isSuccess: isSuccess === 1,
      isOwn: isOwn({ action: row.action, project: owner?.id ?? null, isPerformed: performed === 1 }),
    }));
    return { calls, next: last < through ? last + 1 : null };
  };

  return {
    owners: (limit: number): ReportedOwners => {
      const found = owners.all(limit);
      return { owners: found, more: (ownerCount.get() ?? 0) - found.length };
    },
    chain: database.transaction(chain),
    count: database.transaction(count),
  };
}
