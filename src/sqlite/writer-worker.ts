// Owns the only writing connection, in a thread of its own. Settles calls in groups: one commit, one fsync, many answers.

import { workerData } from "node:worker_threads";
import type { Plans } from "../access/plan.ts";
import { createSigner } from "../audit/note.ts";
import { redactRecords } from "../audit/redact.ts";
import type { Answer, Call } from "../call.ts";
import { createClock } from "../clock.ts";
import { unavailable } from "../errors.ts";
import type { ExportChange } from "../export/store.ts";
import type { LedgerFiles } from "../ledger-files.ts";
import { accessFlushMs, groupMaxMs, retentionEveryMs } from "../limits.ts";
import { createLogger, type LogLevel } from "../logger.ts";
import { SqliteError } from "../native/sqlite.ts";
import { settle, toRefusalAnswer } from "../settle.ts";
import { createCheckpoints } from "./checkpoints.ts";
import { type DatabaseFile, openWriting } from "./connection.ts";
import { createExportLog } from "./exports.ts";
import { createAccessFlush, createPurge, createRemovalSweep } from "./purge.ts";
import { prune, type RetentionOptions } from "./retention.ts";
import { createTransaction, isLost, overwriteLostCommit } from "./transaction.ts";
import { answerRequests } from "./worker-client.ts";
import { WriterState } from "./writer-state.ts";

export interface WriterInit {
  readonly file: DatabaseFile;
  readonly plans: Plans;
  readonly ledger: LedgerFiles;
  readonly payloadRetentionDays: number | null;
  readonly clockOffset: SharedArrayBuffer | null;
  readonly logLevel: LogLevel;
}

export type WriterRequest =
  | { readonly settle: readonly Call[] }
  | { readonly exported: ExportChange }
  | { readonly close: true };

/** One per call, in order; null where the transaction was lost and nothing happened. */
export type WriterReply = readonly (Answer | null)[];

const sweepEveryMs = 600_000;
/** Steps of housekeeping are at most this far apart, however long one took. */
const longestPauseMs = 100;
const checkpointTestMs = 5_000;

const { file, plans, ledger, payloadRetentionDays, clockOffset, logLevel }: WriterInit = workerData;
const clock = createClock(clockOffset);
const logger = createLogger(logLevel);
const database = openWriting(file);
const state = new WriterState(lastRevision());
const signer = createSigner(ledger.signingKey);
const checkpoints = createCheckpoints({ database, clock, logger, signer, notes: ledger.notes });
const transaction = createTransaction(database, state, checkpoints, ledger.exports);
const purge = createPurge(database, state);
const flush = createAccessFlush(database, state);
const sweep = createRemovalSweep(database);
const logExport = createExportLog(database);
const retention: RetentionOptions = {
  ...{ database, plans, signer, logger, inTransaction },
  payloadDays: payloadRetentionDays,
  append: (draft) => transaction.audit.append(draft),
  signCheckpoint: (project, now) => transaction.audit.attest(project, now),
  pause: () => (isClosing && !pruneIsAwaited ? Promise.reject(new Error("closing")) : Bun.sleep(1)),
};
const settlement = {
  clock,
  plans,
  report: (incident: string, error: unknown) => logger.error("a call failed", { incident, error }),
  isLost: (error: unknown) => isLost(database, error),
};
const begin = database.prepare("BEGIN IMMEDIATE");
const commit = database.prepare("COMMIT");
const rollback = database.prepare("ROLLBACK");

let pruning: Promise<void> | null = null;
/** A sweep that somebody asked for is finished before the end; others go on with the next start. */
let pruneIsAwaited = false;
let isClosing = false;

const repeatFlush = repeatedly(flush);
const repeatPurge = repeatedly(purge);
const flushTimer = setInterval(repeatFlush, accessFlushMs);
const sweepTimer = setInterval(() => undisturbed(() => sweep(clock.now())), sweepEveryMs);
const checkpointTimer = setInterval(() => undisturbed(() => checkpoints.signDue(false)), checkpointTestMs);
const retentionTimer = setInterval(startPrune, retentionEveryMs);
repeatPurge();
startPrune();

answerRequests(async (request) => {
  const work = request as WriterRequest;
  if ("close" in work) return close();
  if ("exported" in work) {
    logExport(work.exported);
    return [];
  }
  const answers: (Answer | null)[] = [];
  while (answers.length < work.settle.length) {
    answers.push(...(await settleGroup(work.settle.slice(answers.length))));
  }
  if (state.purgeIsDue) repeatPurge();
  if (state.pruneIsDue) {
    state.pruneIsDue = false;
    pruneIsAwaited = true;
    startPrune();
  }
  return answers satisfies WriterReply;
});

/** Settles calls from the front until the group's time is over; returns their answers. */
async function settleGroup(calls: readonly Call[]): Promise<(Answer | null)[]> {
  const answers: Answer[] = [];
  const endsAt = clock.elapsed() + groupMaxMs;
  try {
    await inTransaction(async () => {
      for (const call of calls) {
        answers.push(await settle(transaction, call, settlement));
        if (clock.elapsed() > endsAt) break;
      }
    });
  } catch (error) {
    logger.error("a transaction was lost; its calls are answered with 1503", { error });
    // Somebody else who locks the database locks it for all of them: one wait is long enough.
    const isLocked = error instanceof SqliteError && error.code.startsWith("SQLITE_BUSY");
    const lost = isLocked ? calls.length : Math.min(calls.length, answers.length + 1);
    return Array.from({ length: lost }, () => null);
  }
  if (!state.erasureIsDue || emptyLog()) return answers;
  return answers.map((answer, index) =>
    calls[index]?.operation === redactRecords.name ? toRefusalAnswer(stillInLog) : answer,
  );
}

const stillInLog = unavailable(
  "The payloads were erased, but their text may still stand in the write-ahead log, because somebody keeps reading. Erase again in a moment.",
);

/** Moves the write-ahead log into the database and empties it. @returns false when a reader did not let go of it in time. */
function emptyLog(): boolean {
  state.erasureIsDue = false;
  // The erasure is committed: whatever goes wrong now is no reason to say that it did not happen.
  const result = undisturbed(() => database.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[]);
  return result?.[0]?.busy === 0;
}

/** `work` awaits nothing that lets a timer or a message in between. */
async function inTransaction(work: () => Promise<void>): Promise<void> {
  let isCommitting = false;
  try {
    begin.run();
    await work();
    isCommitting = true;
    commit.run();
    state.committed();
    checkpoints.publish();
  } catch (error) {
    state.lost();
    checkpoints.forget();
    if (database.inTransaction) rollback.run();
    if (isCommitting) undisturbed(() => overwriteLostCommit(database));
    throw error;
  }
}

/** A function that repeats a step until nothing is left, resting as long as the step took, so that calls have half of the time. */
function repeatedly(step: () => boolean): () => void {
  let isScheduled = false;
  const schedule = (pauseMs: number): void => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(
      () => {
        isScheduled = false;
        const startedAt = clock.elapsed();
        if (undisturbed(step) === true) schedule(clock.elapsed() - startedAt);
      },
      Math.min(longestPauseMs, Math.max(1, pauseMs)),
    );
  };
  return () => schedule(1);
}

/** Housekeeping never runs inside the transaction of a group: a group awaits nothing that lets a timer in between. */
function undisturbed<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    logger.error("housekeeping failed and is tried again later", { error });
    return undefined;
  }
}

async function close(): Promise<WriterReply> {
  clearInterval(flushTimer);
  clearInterval(sweepTimer);
  clearInterval(checkpointTimer);
  clearInterval(retentionTimer);
  isClosing = true;
  await pruning;
  while (undisturbed(flush) === true);
  undisturbed(() => checkpoints.signDue(true));
  // Connections of threads that were ended are never closed, so SQLite does not do this by itself; whoever copies the file
  // of a stopped server expects everything in it.
  undisturbed(() => database.pragma("wal_checkpoint(TRUNCATE)"));
  database.close();
  return [];
}

/** The search indexes of a reader that outlives this thread rely on it: no revision may be given out twice. */
function lastRevision(): number {
  const row = database
    .prepare<[], number | null>(
      `SELECT MAX(revision) FROM (SELECT MAX(revision) AS revision FROM memory
         UNION ALL SELECT MAX(revision) FROM memory_removal UNION ALL SELECT MAX(epoch) FROM pool)`,
    )
    .pluck()
    .get();
  return row ?? 0;
}

/** One sweep at a time. */
function startPrune(): void {
  pruning ??= prune(retention, clock.now())
    .then((removed) => {
      if (removed > 0) logger.info("retention", { removed });
    })
    .catch((error: unknown) => {
      if (!isClosing) logger.error("retention failed and is tried again later", { error });
    })
    .finally(() => {
      pruning = null;
      pruneIsAwaited = false;
    });
}
