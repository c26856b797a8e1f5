// Owns all SQL about exports except the reading of the records (export-rows.ts). Retention reads the lowest first_seq of the exports in
// progress: it removes no record from there on.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Export, exportInProgress, recordsOf, toExportId } from "../../../audit/export/export.ts";
import { describeFilter } from "../../../audit/record-filter.ts";
import { requireTree } from "../../../audit/tree-proof.ts";
import type { ExportChange, ExportTransaction } from "../../../calls/storage/export-store.ts";
import { exportLifeMs, exportListMax } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { type DatabaseFile, openReading } from "../database-file/connection.ts";
import { createChainSpan, createSeek } from "../ledger/audit-reader.ts";
import type { Checkpoints } from "../ledger/checkpoints.ts";
import { serialsOf } from "../project-serials.ts";
import type { WriterState } from "../threads/writer-state.ts";
import { createSelection } from "./selected-records.ts";

export interface ExportRow extends Omit<Export, "filter" | "verifiable" | "path"> {
  /** JSON. */
  readonly filter: string | null;
  readonly verifiable: number;
}

export const exportColumns =
  "x.id, x.format, x.start_at AS startAt, x.end_at AS endAt, x.first_seq AS firstSeq, x.last_seq AS lastSeq, x.filter, x.selected, x.verifiable, x.status, x.records, x.bytes, x.sha256, x.error, x.created_at AS createdAt, x.completed_at AS completedAt, x.expires_at AS expiresAt";

export function toExport({ filter, verifiable, ...row }: ExportRow, folder: string): Export {
  return {
    ...row,
    filter: filter === null ? null : JSON.parse(filter),
    verifiable: verifiable === 1,
    path: join(folder, `${row.id}.${row.format}`),
  };
}

const isThere = "(x.expires_at IS NULL OR x.expires_at > :now)";

interface Place {
  readonly project: number;
  readonly now: number;
}

/** `folder` contains the files. */
export function createExportTransaction(
  database: Database,
  state: WriterState,
  checkpoints: Checkpoints,
  folder: string,
): ExportTransaction {
  const serialOf = serialsOf(database);
  const selectRecords = createSelection(database);
  const span = createChainSpan(database);
  const seek = createSeek(database);
  const running = database
    .prepare<[number], string>("SELECT id FROM audit_export WHERE project = ? AND status = 'processing'")
    .pluck();
  const insert = database.prepare(
    `INSERT INTO audit_export (id, project, format, start_at, end_at, first_seq, last_seq, filter, verifiable, status, records, created_at)
     VALUES (:id, :project, :format, :startAt, :endAt, :firstSeq, :lastSeq, :filter, :verifiable, 'processing', 0, :createdAt)`,
  );
  const find = database.prepare<[Place & { id: string }], ExportRow>(
    `SELECT ${exportColumns} FROM audit_export x WHERE x.id = :id AND x.project = :project AND ${isThere}`,
  );
  const list = database.prepare<[Place], ExportRow>(
    `SELECT ${exportColumns} FROM audit_export x WHERE x.project = :project AND ${isThere}
     ORDER BY x.id DESC LIMIT ${exportListMax}`,
  );
  const headAt = database.prepare<[number, number], { chain: string; hash: string; at: number }>(
    `SELECT c.id AS chain, e.hash, e.at FROM audit_entry e JOIN audit_chain c ON c.number = e.chain
     WHERE e.chain = ? AND e.seq = ?`,
  );

  return {
    async begin(project, draft, now) {
      const other = running.get(serialOf(project.id));
      if (other !== undefined) throw exportInProgress(other);
      const chain = span(project) ?? { number: 0, first: 1, last: 0 };
      const firstSeq = seek(chain, Math.max(draft.startAt, draft.shownFrom));
      const lastSeq = Math.max(firstSeq - 1, seek(chain, draft.endAt + 1) - 1);
      const { filter } = draft;
      const made: Export = {
        ...draft,
        id: toExportId(state.createId(now)),
        firstSeq,
        lastSeq,
        filter: filter === null ? null : describeFilter(filter),
        selected: null,
        createdAt: now,
        status: "processing",
        records: 0,
        bytes: null,
        sha256: null,
        error: null,
        completedAt: null,
        expiresAt: null,
        path: "",
      };
      // The unique index audit_export_running enforces the same.
      insert.run({
        ...made,
        project: serialOf(project.id),
        filter: made.filter && JSON.stringify(made.filter),
        verifiable: Number(made.verifiable),
      });
      const sign = (seq: number): string | null => {
        const head = headAt.get(chain.number, seq);
        return head === undefined ? null : checkpoints.sign({ ...head, number: chain.number, seq }, now).note;
      };
      if (filter === null) {
        if (recordsOf(made) > 0) sign(lastSeq);
        return made;
      }
      const selection = selectRecords(made, filter, chain);
      if (selection.selected > 0) requireTree(sign(chain.last) ?? "");
      return { ...made, ...selection };
    },

    async find(project, id, now) {
      const row = find.get({ id, project: serialOf(project.id), now });
      return row === undefined ? null : toExport(row, folder);
    },

    async list(project, now) {
      return list.all({ project: serialOf(project.id), now }).map((row) => toExport(row, folder));
    },
  };
}

/** @returns whether there is an export, or a file in the folder. */
export function createExportTraces(database: Database, folder: string): () => boolean {
  const any = database.prepare<[], number>("SELECT EXISTS (SELECT 1 FROM audit_export)").pluck();
  return () => any.get() === 1 || readdirSync(folder).length > 0;
}

/** For commands that wait for an export. */
export function findExport(file: DatabaseFile, folder: string, id: string): Export | null {
  using database = openReading(file);
  const row = database
    .prepare<[string], ExportRow>(`SELECT ${exportColumns} FROM audit_export x WHERE x.id = ?`)
    .get(id);
  return row === undefined ? null : toExport(row, folder);
}

/** @returns a function that stores the progress or the result of an export, in its own transaction. */
export function createExportLog(
  database: Database,
  lifeMs: number = exportLifeMs,
): (change: ExportChange) => void {
  const progress = database.prepare(
    "UPDATE audit_export SET records = :records WHERE id = :id AND status = 'processing'",
  );
  const end = database.prepare(
    `UPDATE audit_export SET status = :status, records = :records, bytes = :bytes, sha256 = :sha256, error = :error,
       completed_at = :now, expires_at = :now + :lifeMs
     WHERE id = :id AND status = 'processing'`,
  );
  const forget = database.prepare("DELETE FROM audit_export WHERE id = ? AND status <> 'processing'");
  return database.transaction((change: ExportChange) => {
    if ("forget" in change) {
      for (const id of change.forget) forget.run(id);
      return;
    }
    const { id, step, now } = change;
    if (step.status === "processing") progress.run({ id, records: step.records });
    else end.run({ bytes: null, sha256: null, error: null, ...step, id, now, lifeMs });
  });
}
