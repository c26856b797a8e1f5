// Owns the only writing connection, in a thread of its own. Settles calls in groups: one commit, one fsync, many answers.

import { workerData } from "node:worker_threads";
import type { Plans } from "../access/plan.ts";
import { createSigner } from "../audit/note.ts";
import type { Answer, Call } from "../call.ts";
import { createClock } from "../clock.ts";
import type { LedgerFiles } from "../ledger-files.ts";
import { accessFlushMs, groupMaxMs } from "../limits.ts";
import { createLogger, type LogLevel } from "../logger.ts";
import { settle } from "../settle.ts";
import { createCheckpoints } from "./checkpoints.ts";
import { type DatabaseFile, openWriting } from "./connection.ts";
import { createAccessFlush, createPurge, createRemovalSweep } from "./purge.ts";
import { createTransaction, isLost } from "./transaction.ts";
import { answerRequests } from "./worker-client.ts";
import { WriterState } from "./writer-state.ts";

export interface WriterInit {
  readonly file: DatabaseFile;
  readonly plans: Plans;
  readonly ledger: LedgerFiles;
  readonly clockOffset: SharedArrayBuffer | null;
  readonly logLevel: LogLevel;
}

export type WriterRequest = { readonly settle: readonly Call[] } | { readonly close: true };

/** One per call, in order; null where the transaction was lost and nothing happened. */
export type WriterReply = readonly (Answer | null)[];

const sweepEveryMs = 600_000;
const checkpointTestMs = 5_000;

const { file, plans, ledger, clockOffset, logLevel }: WriterInit = workerData;
const clock = createClock(clockOffset);
const logger = createLogger(logLevel);
const database = openWriting(file);
const state = new WriterState(lastRevision());
const checkpoints = createCheckpoints({
  database,
  clock,
  logger,
  signer: createSigner(ledger.signingKey),
  notes: ledger.notes,
});
const transaction = createTransaction(database, state, checkpoints);
const purge = createPurge(database, state);
const flush = createAccessFlush(database, state);
const sweep = createRemovalSweep(database);
const settlement = {
  clock,
  plans,
  report: (incident: string, error: unknown) => logger.error("a call failed", { incident, error }),
  isLost: (error: unknown) => isLost(database, error),
};
const begin = database.prepare("BEGIN IMMEDIATE");
const commit = database.prepare("COMMIT");
const rollback = database.prepare("ROLLBACK");

const repeatFlush = repeatedly(flush);
const repeatPurge = repeatedly(purge);
const flushTimer = setInterval(repeatFlush, accessFlushMs);
const sweepTimer = setInterval(() => undisturbed(() => sweep(clock.now())), sweepEveryMs);
const checkpointTimer = setInterval(() => undisturbed(() => checkpoints.signDue(false)), checkpointTestMs);
repeatPurge();

answerRequests(async (request) => {
  const work = request as WriterRequest;
  if ("close" in work) return close();
  const answers: (Answer | null)[] = [];
  while (answers.length < work.settle.length) {
    answers.push(...(await settleGroup(work.settle.slice(answers.length))));
  }
  if (state.purgeIsDue) repeatPurge();
  return answers satisfies WriterReply;
});

/** Settles calls from the front until the group's time is over; returns their answers. */
async function settleGroup(calls: readonly Call[]): Promise<(Answer | null)[]> {
  const answers: Answer[] = [];
  const endsAt = clock.elapsed() + groupMaxMs;
  try {
    begin.run();
    for (const call of calls) {
      answers.push(await settle(transaction, call, settlement));
      if (clock.elapsed() > endsAt) break;
    }
    commit.run();
    state.committed();
    checkpoints.publish();
    return answers;
  } catch (error) {
    state.lost();
    checkpoints.forget();
    if (database.inTransaction) rollback.run();
    logger.error("a transaction was lost; its calls are answered with 1503", { error });
    return Array.from({ length: Math.min(calls.length, answers.length + 1) }, () => null);
  }
}

/** A function that repeats a step until nothing is left, once per turn of the event loop, so that waiting calls go first. */
function repeatedly(step: () => boolean): () => void {
  let isScheduled = false;
  return function schedule() {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      if (undisturbed(step) === true) schedule();
    }, 1);
  };
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
