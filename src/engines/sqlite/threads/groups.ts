// Owns group commit: settles the calls of a group in one transaction, with one commit and one fsync. If the transaction is rolled back,
// its changes in memory are discarded, too.

import { toRefusalAnswer } from "../../../calls/contract/answer.ts";
import type { Call } from "../../../calls/contract/call.ts";
import { type Settlement, settle } from "../../../calls/settle.ts";
import type { SettledCall } from "../../../calls/storage/after-commit.ts";
import type { Transaction } from "../../../calls/storage/store.ts";
import { unavailable } from "../../../platform/errors.ts";
import { groupMaxMs } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { explainDiskFailure, isLockFailure, unwritable } from "../database-file/disk-failure.ts";
import { LedgerChanged, RotationRefused } from "../ledger/known-heads.ts";
import type { WriteCheck } from "./write-check.ts";
import type { InTransaction } from "./write-transactions.ts";
import type { WriterEffects } from "./writer-effects.ts";
import type { WriterState } from "./writer-state.ts";
import type { WriterStatistics } from "./writer-statistics.ts";

interface GroupOptions {
  readonly database: Database;
  readonly state: Pick<WriterState, "hasOneCall">;
  readonly transaction: Transaction;
  readonly inTransaction: InTransaction;
  readonly effects: WriterEffects;
  readonly settlement: Settlement;
  readonly writeCheck: WriteCheck;
  readonly logger: Logger;
  readonly statistics: Pick<WriterStatistics, "group">;
}

/**
 * Settles calls in their order. Those of a transaction that was lost are answered with 1503. `after` of each holds the effects that
 * are left for the main thread.
 */
type SettleCalls = (calls: readonly Call[]) => Promise<SettledCall[]>;

export function createGroups(options: GroupOptions): SettleCalls {
  const { database, state, transaction, inTransaction, effects } = options;
  const { settlement, writeCheck, logger, statistics } = options;

  /** Settles the first calls, until the time of a group is over. */
  const settleGroup = async (calls: readonly Call[]): Promise<SettledCall[]> => {
    const settled: SettledCall[] = [];
    const startedMs = performance.now();
    try {
      await inTransaction(async () => {
        settled.length = 0;
        state.hasOneCall = calls.length === 1;
        const endsAt = settlement.clock.elapsed() + groupMaxMs;
        for (const call of calls) {
          settled.push(await settle(transaction, call, settlement).catch(refuseChanged));
          if (settlement.clock.elapsed() > endsAt) break;
        }
      });
    } catch (error) {
      if (writeCheck.failed(error)) {
        const message = "a transaction was rolled back; its calls are answered with 1503";
        logger.error(message, { ...explainDiskFailure(error, database.name), error });
      }
      // Another connection that locks the database locks it for all calls: they have waited long enough.
      const lost = isLockFailure(error) ? calls.length : Math.min(calls.length, settled.length + 1);
      return Array.from({ length: lost }, () => ({ answer: toRefusalAnswer(unwritable(error)), after: [] }));
    }
    statistics.group(settled.length, startedMs);
    return effects.perform(settled);
  };

  return async (calls) => {
    const settled: SettledCall[] = [];
    while (settled.length < calls.length) settled.push(...(await settleGroup(calls.slice(settled.length))));
    return settled;
  };
}

/** Detected before the call changed anything, so the other calls of its group continue. Logged when it is detected. */
function refuseChanged(error: unknown): SettledCall {
  if (error instanceof RotationRefused) return { answer: toRefusalAnswer(error), after: [] };
  if (error instanceof LedgerChanged) return { answer: toRefusalAnswer(changedByOthers), after: [] };
  throw error;
}

const changedByOthers = unavailable(
  "The record of this call was not written, so nothing was done: another process has changed the ledger. The operator must stop the server and run memledger audit verify, then restore a backup, or accept the records with memledger audit accept.",
);
