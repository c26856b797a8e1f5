// Owns the only writing connection, in a thread of its own: opens it, answers the requests of the main thread, closes it.

import { workerData } from "node:worker_threads";
import { createClockWatch } from "../../../audit/clock-watch.ts";
import { createMacs } from "../../../audit/entry-mac.ts";
import { runtimeCryptography } from "../../../audit/runtime-cryptography.ts";
import { createSigner } from "../../../audit/signed-note.ts";
import { createNoteReader } from "../../../audit/verify/note-reader.ts";
import type { StoreOptions } from "../../../calls/storage/engine.ts";
import { transactionAttemptsMax } from "../../../platform/limits.ts";
import { createLogger } from "../../../platform/log/logger.ts";
import { createClock } from "../../../platform/time/clock.ts";
import { type DatabaseFile, emptyLog, openWriting } from "../database-file/connection.ts";
import { unwritable } from "../database-file/disk-failure.ts";
import { watchFile } from "../database-file/file-in-place.ts";
import { createDepositLog } from "../export/deposits.ts";
import { createExportLog } from "../export/exports.ts";
import { startHousekeeping } from "../housekeeping.ts";
import { announcedThrough } from "../ledger/announced-prunes.ts";
import { createAttestationLog } from "../ledger/attestations.ts";
import { createChainHeads } from "../ledger/chain-heads.ts";
import { createChainTrees } from "../ledger/chain-tree.ts";
import { createCheckpoints } from "../ledger/checkpoints.ts";
import { readKnownHeads } from "../ledger/known-heads.ts";
import { createNextVectors } from "../memories/model-change.ts";
import { createRevisions } from "../memories/revisions.ts";
import { createOpenExchangeErasure, createOpenExchangeLog } from "../open-exchanges.ts";
import { createRememberLog } from "../remember-tasks.ts";
import { createTransaction, isLost, overwriteLostCommit } from "../transaction.ts";
import { createWordMerge } from "../words/merge.ts";
import { createWordWriter, defineWords } from "../words/words.ts";
import { answerStoreRequests } from "./answer-requests.ts";
import { attempt } from "./attempt.ts";
import { fromCallMessage } from "./call-messages.ts";
import { createErasedTextStep } from "./erased-text.ts";
import { createGroups } from "./groups.ts";
import { createWriteCheck } from "./write-check.ts";
import { createWriteTransactions } from "./write-transactions.ts";
import { createWriterEffects } from "./writer-effects.ts";
import type { WriterAnswer, WriterRequest } from "./writer-request.ts";
import { WriterState } from "./writer-state.ts";
import { createWriterStatistics } from "./writer-statistics.ts";

export interface WriterInit
  extends Pick<
    StoreOptions,
    "plans" | "ledger" | "payloadRetentionDays" | "installationRetentionDays" | "clockShift" | "logLevel"
  > {
  readonly file: DatabaseFile;
  readonly checkpointInterval: StoreOptions["checkpointInterval"] | undefined;
  readonly exportLifeMs: number | undefined;
}

const init: WriterInit = workerData;
const { file, plans, ledger, clockShift, logLevel } = init;
const clock = createClock(clockShift);
const logger = createLogger(logLevel);
const database = openWriting(file, transactionAttemptsMax);
defineWords(database);
const signer = createSigner(ledger.signingKey);
const trees = createChainTrees(database);
const isAdopting = ledger.previousSigningKey !== undefined;
const previousSigner = ledger.previousSigningKey ? createSigner(ledger.previousSigningKey) : null;
const knownHeads = readKnownHeads({ database, signer, previousSigner, trees, ledger, logger });
const state = new WriterState();
const statistics = createWriterStatistics();
const revisions = createRevisions(database);
const checkpoints = createCheckpoints({
  database,
  clock,
  logger,
  signer,
  knownHeads,
  trees,
  noteReader: createNoteReader(ledger.verifierKeys, runtimeCryptography),
  notes: ledger.notes,
  interval: init.checkpointInterval,
});
const heads = createChainHeads(database, knownHeads, state.createId, checkpoints.beginTree);
const macOf = createMacs(signer);
const transaction = createTransaction({
  database,
  state,
  heads,
  knownHeads,
  macOf(chain) {
    if (isAdopting && !checkpoints.isKeyInUse()) throw new Error("the new key is not in use yet");
    return macOf(chain);
  },
  revisions,
  checkpoints,
  trees,
  previousSigner,
  exportFolder: ledger.exports,
  signNote: signer.sign,
  watchClock: createClockWatch(logger),
  countRecord: statistics.record,
  eraseOpen: createOpenExchangeErasure(database, signer),
});
const settlement = {
  clock,
  plans,
  report: (incident: string, error: unknown) => logger.error("a call failed", { incident, error }),
  isLost: (error: unknown) => isLost(database, error),
};
const writeCheck = createWriteCheck(database, clock, knownHeads.cause);
const requireInPlace = watchFile(file.path);
const wordMerge = createWordMerge(database, state, clock);
const writeWords = createWordWriter(database, state);
const inTransaction = createWriteTransactions({
  database,
  logger,
  statistics,
  beforeCommit() {
    requireInPlace();
    writeWords();
    revisions.write();
    knownHeads.seal();
  },
  committed() {
    heads.committed();
    writeCheck.succeeded();
    checkpoints.publish();
  },
  rolledBack(wasCommitting) {
    state.rolledBack();
    heads.rolledBack();
    revisions.forget();
    checkpoints.forget();
    if (wasCommitting) attempt(logger, () => overwriteLostCommit(database));
  },
});
// Chains that a previous version has made go on in version 2: those that the first call accepts, in its transaction.
if (!isAdopting && ledger.acceptsHeads !== true) {
  await inTransaction(async () => {
    if (ledger.isKeyNew === true) knownHeads.accept();
    checkpoints.beginTrees(clock.now());
  });
}
const settleCalls = createGroups({
  database,
  state,
  transaction,
  inTransaction,
  effects: createWriterEffects(state),
  settlement,
  writeCheck,
  logger,
  statistics,
});
const housekeeping = startHousekeeping({
  database,
  state,
  checkpoints,
  wordMerge,
  clock,
  logger,
  retention: {
    database,
    plans,
    signer,
    logger,
    inTransaction,
    payloadDays: init.payloadRetentionDays,
    installationDays: init.installationRetentionDays,
    announcedThrough: (chain) => announcedThrough(database, ledger.verifierKeys, chain),
    growTrees: checkpoints.growTrees,
    cutTree: checkpoints.cutTree,
    append: (draft) => transaction.audit.append(draft),
    signCheckpoint: (project, now) => transaction.audit.signCheckpoint(project, now),
  },
});
const logExport = createExportLog(database, init.exportLifeMs);
const changeQueue = createRememberLog(database);
const attest = createAttestationLog(database);
const deposit = createDepositLog(database);
const openExchanges = createOpenExchangeLog({ database, transaction, inTransaction, signer, clock, logger });
const nextVectors = createNextVectors(database);
const removeErasedText = createErasedTextStep(database, state, wordMerge, clock);

const handle = async (request: unknown): Promise<WriterAnswer> => {
  // Work that a timer started must not continue between the steps of a transaction: it gets a turn of the event loop of its own.
  if (clock.catchUp()) await new Promise((resolve) => setImmediate(resolve));
  const work = request as WriterRequest;
  if ("statistics" in work)
    return { ...statistics.read(), retentionClockAheadMs: housekeeping.clockAheadMs() };
  if ("retention" in work) {
    return work.retention === "start"
      ? housekeeping.requestRetention()
      : housekeeping.outcomeOf(work.retention);
  }
  if ("check" in work) return writeCheck.check(work.check.isSuspect);
  if ("vectors" in work) {
    nextVectors.add(work.change, work.vectors);
    return [];
  }
  if ("modelChangeFailure" in work) {
    nextVectors.fail(work.change, work.modelChangeFailure);
    return [];
  }
  if ("exported" in work) {
    logExport(work.exported);
    return [];
  }
  if ("eraseThrough" in work) return removeErasedText(work.eraseThrough);
  if ("queued" in work) return changeQueue(work.queued);
  if ("attested" in work) return attest(work.attested);
  if ("deposited" in work) return deposit(work.deposited);
  if ("opened" in work) {
    await openExchanges.open(work.opened).catch((error: unknown) => {
      writeCheck.failed(error);
      throw unwritable(error);
    });
    return [];
  }
  if ("recordLeft" in work) {
    await openExchanges.recordLeft();
    return [];
  }
  const settled = await settleCalls(work.settle.map(fromCallMessage));
  housekeeping.afterGroup();
  return settled;
};

answerStoreRequests(handle, { close });

async function close(): Promise<void> {
  await housekeeping.finish();
  // SQLite does this when the last connection is closed, but connections of threads that were ended are not closed. An operator who
  // copies the file of a stopped server expects everything in it.
  attempt(logger, () => emptyLog(database));
  database.close();
}
