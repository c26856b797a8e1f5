// The thread that writes exports, with its own reading connection. Works in short steps, so that exports take turns. Reports the result
// and never changes the database.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { workerData } from "node:worker_threads";
import { parseTreeCheckpoint } from "../../../audit/checkpoint.ts";
import { manifestPath } from "../../../audit/export/export.ts";
import { partialSuffix } from "../../../audit/export/export-file.ts";
import { createSigner } from "../../../audit/signed-note.ts";
import { textOfNote } from "../../../audit/verify/note.ts";
import type { LedgerFiles } from "../../../calls/storage/engine.ts";
import type { ExportStep } from "../../../calls/storage/export-store.ts";
import { Refusal } from "../../../platform/errors.ts";
import { exportStepMs } from "../../../platform/limits.ts";
import { createLogger, type LogLevel } from "../../../platform/log/logger.ts";
import { toBase64 } from "../../../platform/text/byte-text.ts";
import { createSupervisor } from "../../../platform/threads/supervisor.ts";
import { type DatabaseFile, openReading } from "../database-file/connection.ts";
import { createChainTrees } from "../ledger/chain-tree.ts";
import { answerStoreRequests } from "../threads/answer-requests.ts";
import { type ExportChain, ExportJob, UnreadableRecord } from "./export-job.ts";
import { createExportRowThreads } from "./export-row-threads.ts";
import { type ExportRow, exportColumns, toExport } from "./exports.ts";

export interface ExporterInit {
  readonly file: DatabaseFile;
  readonly ledger: LedgerFiles;
  readonly logLevel: LogLevel;
}

export type ExporterRequest =
  | { readonly pending: true }
  | { readonly step: string }
  | { readonly removeExpired: number };

const { file, ledger, logLevel }: ExporterInit = workerData;
const logger = createLogger(logLevel);
const database = openReading(file);
const signer = createSigner(ledger.signingKey);
const rowThreads = createExportRowThreads(file, createSupervisor({ logger }));
const pending = database
  .prepare<[], string>("SELECT id FROM audit_export WHERE status = 'processing' ORDER BY id")
  .pluck();
const find = database.prepare<[string], ExportRow & Omit<ExportChain, "before" | "selection">>(
  `SELECT ${exportColumns}, c.number, c.id AS chain, c.tree, p.id AS project,
     (SELECT note FROM audit_checkpoint
      WHERE chain = c.number AND size = COALESCE(x.checkpoint, x.last_seq) AND x.last_seq >= x.first_seq) AS checkpoint
   FROM audit_export x JOIN audit_chain c ON c.project = x.project JOIN project p ON p.serial = x.project WHERE x.id = ?`,
);
const trees = createChainTrees(database);
const expired = database.prepare<[number], ExportRow>(
  `SELECT ${exportColumns} FROM audit_export x WHERE x.status <> 'processing' AND x.expires_at <= ?`,
);

/** By export; of a failed one only the result is kept. */
const jobs = new Map<string, ExportJob>();
const failures = new Map<string, ExportStep>();
const stepping = new Map<string, Promise<ExportStep>>();

const endedOutside: ExportStep = {
  status: "failed",
  records: 0,
  error: "Records of the export were erased while it was written. Create a new export.",
};

answerStoreRequests<ExportStep | readonly string[]>(
  (request) => {
    const work = request as ExporterRequest;
    if ("step" in work) return stepAlone(work.step);
    return "pending" in work ? listPending() : removeExpired(work.removeExpired);
  },
  { close: () => rowThreads.endAll() },
);

async function listPending(): Promise<readonly string[]> {
  const ids = pending.all();
  // Exports that the store has recorded as ended are not needed here any more.
  for (const known of [jobs, failures]) {
    for (const id of known.keys()) if (!ids.includes(id)) known.delete(id);
  }
  if (ids.length === 0) await rowThreads.endAll();
  return ids;
}

/** An export that an erasure ended may be in the middle of a step. */
function stepAlone(id: string): Promise<ExportStep> {
  const working = step(id).finally(() => stepping.delete(id));
  stepping.set(id, working);
  return working;
}

async function step(id: string): Promise<ExportStep> {
  const failure = failures.get(id);
  if (failure !== undefined) return failure;
  const endsAt = performance.now() + exportStepMs;
  let last: ExportStep = { status: "processing", records: 0 };
  try {
    // An export that an erasure ended stays ended: its files are removed.
    if (find.get(id)?.status !== "processing") return endedOutside;
    const job = jobs.get(id) ?? begin(id);
    jobs.set(id, job);
    while (last.status === "processing" && performance.now() < endsAt) last = await job.step(signer);
    return last;
  } catch (error) {
    const records = jobs.get(id)?.records ?? 0;
    await jobs.get(id)?.abandon();
    jobs.delete(id);
    // A thread ended: the runner tries again from the start, a limited number of times.
    if (error instanceof Refusal) throw error;
    logger.warn("an export failed", { export: id, error });
    const failed: ExportStep = { status: "failed", records, error: reasonOf(error) };
    failures.set(id, failed);
    return failed;
  }
}

/** In one transaction, because retention may replace nodes. */
const begin = database.transaction((id: string): ExportJob => {
  const row = find.get(id);
  if (row === undefined) throw new Error(`there is no export ${id}`);
  const { number, firstSeq, filter, checkpoint } = row;
  const root = checkpoint === null ? null : parseTreeCheckpoint(textOfNote(checkpoint));
  const selection = filter === null ? null : { export: id, leaves: root?.leaves ?? 0 };
  const before =
    root !== null && selection === null ? trees.nodesBefore(number, firstSeq).map(toBase64) : null;
  return new ExportJob(rowThreads, toExport(row, ledger.exports), { ...row, before, selection });
});

/** Removes the files of expired exports, also of one that was ended while it was written, and parts that a killed process left. */
async function removeExpired(now: number): Promise<readonly string[]> {
  const rows = expired.all(now);
  for (const row of rows) {
    await stepping.get(row.id)?.catch(() => undefined);
    await jobs.get(row.id)?.abandon();
    jobs.delete(row.id);
    const { path } = toExport(row, ledger.exports);
    for (const each of [path, manifestPath(path)]) rmSync(each, { force: true });
  }
  for (const name of readdirSync(ledger.exports)) {
    const isPartial = name.endsWith(partialSuffix) || name.endsWith(".tmp");
    if (isPartial && !jobs.has(name.slice(0, 36))) rmSync(join(ledger.exports, name), { force: true });
  }
  return rows.map(({ id }) => id);
}

/** The message for the owner of the export; the log has the details. */
function reasonOf(error: unknown): string {
  if (error instanceof UnreadableRecord) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOSPC" || code === "EDQUOT") return "The disk is full. Free space on the server.";
  if (code === "EFBIG") return "The file is larger than the server's file system allows.";
  if (/^E[A-Z]+$/.test(code)) return `The server's folder for exports cannot be written (${code}).`;
  if (code.startsWith("SQLITE_")) return "The server's database cannot be read.";
  return "Internal error. The log of the server has the details.";
}
