// Owns group commit: settles calls in one transaction each group, one commit, one fsync, many answers. What a lost transaction
// changed in memory is forgotten with it.

import { redactRecords } from "../../../audit/redact.ts";
import { type Answer, toRefusalAnswer } from "../../../calls/answer.ts";
import type { Call } from "../../../calls/call.ts";
import { type Settlement, settle } from "../../../calls/settle.ts";
import { type Refusal, unavailable } from "../../../errors.ts";
import { syncFile } from "../../../files/durable.ts";
import { groupMaxMs, wordErasureMaxMs } from "../../../limits.ts";
import { createLogRepeats } from "../../../log/log-repeats.ts";
import type { Logger } from "../../../log/logger.ts";
import { type Database, SqliteError } from "../../../native/sqlite.ts";
import type { Transaction } from "../../store.ts";
import { explainDiskFailure, unwritable } from "../database-file/disk-failure.ts";
import type { Checkpoints } from "../ledger/checkpoints.ts";
import { LedgerChanged } from "../ledger/known-heads.ts";
import type { WordMerge } from "../memories/word-merge.ts";
import { createWordWriter } from "../memories/words.ts";
import { overwriteLostCommit } from "../transaction.ts";
import type { WriteCheck } from "./write-check.ts";
import type { WriterState } from "./writer-state.ts";

export interface GroupOptions {
  readonly database: Database;
  readonly transaction: Transaction;
  readonly state: WriterState;
  readonly checkpoints: Checkpoints;
  readonly wordMerge: WordMerge;
  readonly settlement: Settlement;
  readonly writeCheck: WriteCheck;
  readonly logger: Logger;
}

export interface Groups {
  /** Answers in the order of the calls; 1503 where the transaction was lost and nothing happened. */
  settle(calls: readonly Call[]): Promise<Answer[]>;
  /** Runs `work`, which awaits nothing that lets a timer or a message in between, in a transaction of its own. */
  inTransaction(work: () => Promise<void>): Promise<void>;
}

export function createGroups(options: GroupOptions): Groups {
  const { database, transaction, state, checkpoints, settlement, writeCheck, logger } = options;
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  const writeWords = createWordWriter(database, state);

  const inTransaction: Groups["inTransaction"] = async (work) => {
    let isCommitting = false;
    try {
      begin.run();
      await work();
      writeWords();
      isCommitting = true;
      commit.run();
      state.committed();
      writeCheck.succeeded();
      checkpoints.publish();
    } catch (error) {
      state.lost();
      checkpoints.forget();
      if (database.inTransaction) rollback.run();
      if (isCommitting) attempt(logger, () => overwriteLostCommit(database));
      throw error;
    }
  };

  /** Settles calls from the front until the group's time is over. */
  const settleGroup = async (calls: readonly Call[]): Promise<Answer[]> => {
    const answers: Answer[] = [];
    const endsAt = settlement.clock.elapsed() + groupMaxMs;
    try {
      await inTransaction(async () => {
        for (const call of calls) {
          answers.push(await settle(transaction, call, settlement));
          if (settlement.clock.elapsed() > endsAt) break;
        }
      });
    } catch (error) {
      // That was logged when it was found.
      if (!(error instanceof LedgerChanged) && writeCheck.failed(error)) {
        const message = "a transaction was rolled back; its calls are answered with 1503";
        logger.error(message, { ...explainDiskFailure(error, database.name), error });
      }
      // Somebody else who locks the database locks it for all of them: one wait is long enough.
      const isLocked = error instanceof SqliteError && error.code.startsWith("SQLITE_BUSY");
      const lost = isLocked ? calls.length : Math.min(calls.length, answers.length + 1);
      return Array.from({ length: lost }, () => toRefusalAnswer(refusalOf(error)));
    }
    if (!state.erasureIsDue || emptyLog(options)) return answers;
    return answers.map((answer, index) =>
      calls[index]?.operation === redactRecords.name ? toRefusalAnswer(stillInLog) : answer,
    );
  };

  return {
    inTransaction,
    async settle(calls) {
      const answers: Answer[] = [];
      while (answers.length < calls.length) answers.push(...(await settleGroup(calls.slice(answers.length))));
      return answers;
    },
  };
}

function refusalOf(error: unknown): Refusal {
  return error instanceof LedgerChanged ? changedByOthers : unwritable(error);
}

const changedByOthers = unavailable(
  "The record of this call was not written, so nothing was done: another process has changed the ledger. The operator of the server must stop it and examine the database with memledger audit verify.",
);

const stillInLog = unavailable(
  "The payloads were erased, but their text may still stand in the write-ahead log, because somebody keeps reading. Erase again in a moment.",
);

/** Takes words of memories that are gone out of the database, moves the write-ahead log there and empties it. @returns false when a reader did not let go of it in time. */
function emptyLog({ database, state, wordMerge, settlement: { clock }, logger }: GroupOptions): boolean {
  state.erasureIsDue = false;
  // The erasure is committed: whatever goes wrong now is no reason to say that it did not happen.
  const isEmptied = attempt(logger, () => {
    const endsAt = clock.elapsed() + wordErasureMaxMs;
    while (wordMerge.erase()) if (clock.elapsed() > endsAt) return false;
    return isLogEmptied(database);
  });
  return isEmptied === true;
}

function isLogEmptied(database: Database): boolean {
  const [result] = database.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
  // SQLite does not sync that it has cut the log off: a power loss could bring back what stood in it.
  syncFile(`${database.name}-wal`);
  return result?.busy === 0;
}

const isToBeLogged = createLogRepeats();

/** For work between transactions that may fail without harm to anybody's call: it is logged and left for another time. */
export function attempt<Result>(logger: Logger, work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    const found = explainDiskFailure(error);
    // Calls start it as well: on a disk that is full it fails as often as they do.
    if (isToBeLogged(found?.cause ?? String(error))) {
      logger.error("housekeeping failed and is tried again later", { ...found, error });
    }
    return undefined;
  }
}
