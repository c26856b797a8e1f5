// Owns the transactions of the writing connection: begins them, commits or rolls them back, and repeats one that failed because of a lock.
// Must never know about calls.

import { performTransaction } from "../../../calls/storage/transaction-outcome.ts";
import { createLogRepeats } from "../../../platform/log/log-repeats.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { explainDiskFailure, isLockFailure } from "../database-file/disk-failure.ts";
import type { WriterStatistics } from "./writer-statistics.ts";

interface WriteTransactionOptions {
  readonly database: Database;
  readonly logger: Logger;
  readonly statistics: Pick<WriterStatistics, "committing" | "rolledBack">;
  /** Inside the transaction, right before it commits. */
  beforeCommit(): void;
  committed(): void;
  /** The transaction was rolled back. `wasCommitting`: the commit itself failed. */
  rolledBack(wasCommitting: boolean): void;
}

/**
 * Runs `work` in a transaction of its own. `work` awaits nothing that lets a timer or a message in between. It runs again when
 * another connection held the lock, so it must not keep what an earlier run has made.
 * @throws the error that rolled the transaction back.
 */
export type InTransaction = (work: () => Promise<void>) => Promise<void>;

export function createWriteTransactions(options: WriteTransactionOptions): InTransaction {
  const { database, logger, statistics } = options;
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  const isToBeLogged = createLogRepeats();

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    let isCommitting = false;
    try {
      begin.run();
      await work();
      options.beforeCommit();
      isCommitting = true;
      statistics.committing(() => commit.run());
    } catch (error) {
      try {
        if (database.inTransaction) rollback.run();
      } finally {
        statistics.rolledBack();
        options.rolledBack(isCommitting);
      }
      throw error;
    }
    options.committed();
  };

  return (work) =>
    performTransaction({
      attempt: () => attempt(work),
      outcomeOf: (error) => (isLockFailure(error) ? "retry" : "lost"),
      retrying(error) {
        const message = "a transaction was rolled back and is performed again";
        if (isToBeLogged(message)) logger.warn(message, { ...explainDiskFailure(error), error });
      },
    });
}
