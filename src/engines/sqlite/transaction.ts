// Owns the Transaction of this engine: one connection, one savepoint per call. A call that has the transaction for itself needs none: with
// each statement that has a trigger, SQLite walks through the list of the pages that were saved for a savepoint, so the inserts of a batch
// take three to four times as long in one.

import type { Transaction } from "../../calls/storage/store.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import { createAccessTransaction, createCallerLookup } from "./access.ts";
import { createConversationTransaction } from "./conversations.ts";
import { isDiskFailure } from "./database-file/disk-failure.ts";
import { createExportTransaction } from "./export/exports.ts";
import { type AuditTransactionOptions, createAuditTransaction } from "./ledger/audit.ts";
import { createCheckTransaction } from "./memories/checks.ts";
import { createMemoryTransaction } from "./memories/memory.ts";
import { createModelTransaction } from "./memories/model-change.ts";
import type { Revisions } from "./memories/revisions.ts";
import { createSuggestionTransaction } from "./memories/suggestions.ts";
import { createRememberTransaction } from "./remember-tasks.ts";
import { createSubjectTransaction } from "./subjects.ts";
import type { WriterState } from "./threads/writer-state.ts";

interface TransactionOptions extends Omit<AuditTransactionOptions, "createId"> {
  readonly state: WriterState;
  readonly revisions: Revisions;
  /** Where the files of exports are. */
  readonly exportFolder: string;
}

export function createTransaction(options: TransactionOptions): Transaction {
  const { database, state, heads, knownHeads, previousSigner, revisions, checkpoints, exportFolder } =
    options;
  const savepoint = database.prepare("SAVEPOINT call");
  const release = database.prepare("RELEASE call");
  const rollback = database.prepare("ROLLBACK TO call");
  const beginAll = database.prepare("BEGIN IMMEDIATE");
  const rollbackAll = database.prepare("ROLLBACK");
  const savepoints = {
    begin: () => savepoint.run(),
    keep: () => release.run(),
    undo: () => {
      rollback.run();
      release.run();
    },
  };
  /** A call has changed nothing before its work begins. */
  const wholeTransaction = {
    begin() {},
    keep() {},
    undo: () => {
      rollbackAll.run();
      beginAll.run();
    },
  };
  let isInside = false;

  /** Runs `work` in a savepoint. If it fails or is only a dry run, the state in memory is restored, too. */
  const inSavepoint = async <Result>(work: () => Promise<Result>, isKept: boolean): Promise<Result> => {
    const undo = [state.savepoint(), heads.savepoint(), checkpoints.savepoint()];
    const forget = () => {
      for (const each of undo) each();
    };
    const scope = state.hasOneCall && !isInside ? wholeTransaction : savepoints;
    const wasInside = isInside;
    isInside = true;
    scope.begin();
    try {
      const result = await work();
      if (isKept) scope.keep();
      else {
        forget();
        scope.undo();
      }
      return result;
    } catch (error) {
      forget();
      if (!isLost(database, error)) scope.undo();
      throw error;
    } finally {
      isInside = wasInside;
    }
  };

  const findCaller = createCallerLookup(database, state);
  return {
    async lock(keyId, acceptsChanges = false) {
      const caller = keyId === null ? null : findCaller(keyId);
      // The new key must not sign or continue what the previous one does not confirm.
      if (previousSigner !== null) knownHeads.requireAll();
      else if (!acceptsChanges) heads.lock(caller?.project.id ?? null);
      return caller;
    },
    access: createAccessTransaction(database, state, findCaller),
    memories: createMemoryTransaction(database, state, revisions),
    checks: createCheckTransaction(database, state),
    suggestions: createSuggestionTransaction(database, state),
    subjects: createSubjectTransaction(database, state),
    conversations: createConversationTransaction(database, state),
    audit: createAuditTransaction({ ...options, createId: state.createId }),
    models: createModelTransaction(database),
    remembering: createRememberTransaction(database),
    exports: createExportTransaction(database, state, checkpoints, exportFolder),
    attempt: (work) => inSavepoint(work, true),
    dryRun: (work) => inSavepoint(work, false),
  };
}

/** Whether the error took the whole transaction with it: the disk or the file failed, not the call. */
export function isLost(database: Database, error: unknown): boolean {
  return !database.inTransaction || isDiskFailure(error);
}

/**
 * A commit that could not be synced is complete in the write-ahead log: after the next start it would be valid, although its calls
 * were answered with 1503. An empty commit replaces it. It needs no sync of its own, because the next one
 * that is answered syncs both; a synchronous of OFF would let a checkpoint go unsynced too.
 */
export function overwriteLostCommit(database: Database): void {
  const format = database.pragma("user_version", { simple: true });
  database.pragma("synchronous = NORMAL");
  try {
    database.pragma(`user_version = ${format}`);
  } finally {
    database.pragma("synchronous = FULL");
  }
}
