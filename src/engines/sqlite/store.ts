// Owns the embedded engine: opens the database, starts its threads, and is the Store that the rest of the program sees.

import { toRefusalAnswer } from "../../calls/contract/answer.ts";
import type { StoreOptions } from "../../calls/storage/engine.ts";
import { performExportEffects } from "../../calls/storage/export-effects.ts";
import { createExportRunner } from "../../calls/storage/export-runner.ts";
import type { ModelBinding } from "../../calls/storage/model-change-store.ts";
import type { Store } from "../../calls/storage/store.ts";
import { spawnWorker } from "../../platform/threads/spawn.ts";
import { createSupervisor } from "../../platform/threads/supervisor.ts";
import type { ThreadEvents } from "../../platform/threads/worker-thread.ts";
import { createClock } from "../../platform/time/clock.ts";
import { createAccessReader } from "./access.ts";
import { createConversationLookup } from "./conversations.ts";
import { damagedFile, isStillDamaged, refusingDamaged, writesMore } from "./damaged-file.ts";
import { type DatabaseFile, openCurrent, openReading } from "./database-file/connection.ts";
import { createSharedSnapshot } from "./database-file/shared-snapshot.ts";
import type { ExporterInit } from "./export/export-worker.ts";
import { createExporter } from "./export/exporter.ts";
import { createExportTraces } from "./export/exports.ts";
import { createErasureMarks } from "./ledger/audit-reader.ts";
import { createLookUps } from "./look-ups.ts";
import { createCheckList } from "./memories/checks.ts";
import { createHeldFinder, createMemoryFinder } from "./memories/memory-reader.ts";
import { createModelReader } from "./memories/model-change.ts";
import { createSuggestionReader } from "./memories/suggestions.ts";
import { hasOpenExchange } from "./open-exchanges.ts";
import { removePreviousAnswers } from "./previous-answers.ts";
import { createRememberReader } from "./remember-tasks.ts";
import { bindModel } from "./schema/model-binding.ts";
import { createSearches } from "./search/groups/searches.ts";
import type { CacheWriterInit } from "./search-cache/cache-worker.ts";
import { folderShare } from "./search-cache/limits.ts";
import { cacheFolderOf } from "./search-cache/project-files.ts";
import { createSearchCache } from "./search-cache/search-cache.ts";
import { createStoreStatistics } from "./store-statistics.ts";
import { createSubjectReader } from "./subjects.ts";
import { damageComplaint } from "./threads/answer-requests.ts";
import { createDamageCheck } from "./threads/damage-check.ts";
import { removeErasedText } from "./threads/erased-text.ts";
import { createReader } from "./threads/reader.ts";
import type { ReaderInit } from "./threads/reader-worker.ts";
import { createEngineReadiness } from "./threads/readiness.ts";
import type { ScannerInit } from "./threads/scan-worker.ts";
import { createScanners, scannerCount } from "./threads/scanners.ts";
import type { SearcherInit } from "./threads/search-worker.ts";
import { createWriter } from "./threads/writer.ts";
import type { WriterInit } from "./threads/writer-worker.ts";

/** What each of the engine's threads is started with. */
interface ThreadInits {
  readonly writer: WriterInit;
  readonly reader: ReaderInit;
  readonly searcher: SearcherInit;
  readonly scanner: ScannerInit;
  readonly exporter: ExporterInit;
  readonly cacheWriter: CacheWriterInit;
  readonly inspector: DatabaseFile;
}

/** @throws Error that says what to do when the database is newer, foreign, or holds the vectors of another model. */
export async function openStore(
  file: DatabaseFile,
  options: StoreOptions,
  spawn: typeof spawnWorker = spawnWorker,
): Promise<Store> {
  const isDamaged = isStillDamaged(file, options.logger);
  await prepare(file, options.model);
  removePreviousAnswers(file.path, options.logger);
  const database = openReading(file);
  const snapshot = createSharedSnapshot(database);
  const traces = createExportTraces(database, options.ledger.exports);
  const hasExports = () => {
    // It may be older than the export that is asked for.
    snapshot.end();
    return traces();
  };
  const hadMemories = database.prepare("SELECT EXISTS (SELECT 1 FROM memory)").pluck().get() === 1;
  const parts = startParts(file, isDamaged, options, spawn, hasExports);
  const { clock, supervisor, writer, damage, readiness, searches, reader, cache, exports } = parts;
  const { logger } = options;
  // Whoever reads the ledger of the started server finds them.
  if (hasOpenExchange(database)) await writer.recordedLeft;
  const lookUps = createLookUps(snapshot, logger, readiness);
  const unlessDamaged = refusingDamaged(damage);
  // Administration searches nothing.
  if (options.searchThreads !== 0) {
    cache.start();
    if (hadMemories) searches.start();
  }
  return {
    hadMemories,
    access: lookUps(createAccessReader(database)),
    memories: {
      ...reader.memories,
      ...lookUps({ find: createMemoryFinder(database), findHeld: createHeldFinder(database) }),
    },
    checks: lookUps({ list: createCheckList(database) }),
    suggestions: lookUps(createSuggestionReader(database)),
    subjects: { ...reader.subjects, ...lookUps(createSubjectReader(database)) },
    conversations: { ...reader.conversations, ...lookUps(createConversationLookup(database)) },
    audit: { ...reader.audit, ...lookUps({ erasures: createErasureMarks(database) }) },
    attestations: { ...reader.attestations, add: unlessDamaged(writer.addAttestation) },
    deposits: { ...reader.deposits, add: unlessDamaged(writer.addDeposit) },
    reports: reader.reports,
    retention: { run: unlessDamaged(writer.runRetention) },
    models: {
      ...reader.models,
      ...lookUps(createModelReader(database)),
      add: unlessDamaged(writer.addVectors),
      fail: writer.failModelChange,
    },
    remembering: {
      ...lookUps(createRememberReader(database)),
      begin: unlessDamaged((task) => writer.changeQueue({ begin: task })),
      async remove(record) {
        await writer.changeQueue({ remove: record });
      },
    },
    exports,
    statistics: createStoreStatistics({ file: file.path, writer, reader, searches, supervisor }),
    readiness: () => readiness.reasons(),
    openExchange: writer.openExchange,
    expectCommit: ({ id }) => writer.expect(id),
    async commit(call) {
      if (damage.isConfirmed() && writesMore(call)) return toRefusalAnswer(damagedFile);
      try {
        const committed = await writer.commit(call);
        if (committed.answer.code === 1503) readiness.suspect(false);
        if (committed.after.some(({ effect }) => effect === "continue_model_change"))
          options.onModelChange?.();
        if (committed.after.some(({ effect }) => effect === "remember_answer")) options.onRemember?.();
        let answer = await removeErasedText(committed, writer.removeErasedText, clock, logger);
        answer = await performExportEffects({ ...committed, answer }, exports, logger);
        return await cache.performEffects({ ...committed, answer });
      } finally {
        snapshot.end();
      }
    },
    async close() {
      await damage.close();
      await exports.close();
      await cache.close();
      // The writer last: SQLite removes the write-ahead log with the last connection, if it is one that can write.
      await Promise.all([reader.close(), searches.close()]);
      database.close();
      await writer.close();
    },
  };
}

/** Starts the parts that have threads. */
function startParts(
  file: DatabaseFile,
  isDamaged: boolean,
  options: StoreOptions,
  spawn: typeof spawnWorker,
  hasExports: () => boolean,
) {
  const {
    plans,
    ledger,
    payloadRetentionDays,
    installationRetentionDays,
    checkpointInterval,
    exportLifeMs,
    clockShift,
    groupCommit,
    searchCacheBytes,
    searchThreads,
    logger,
    logLevel,
  } = options;
  const clock = createClock(clockShift);
  const supervisor = createSupervisor({ logger, clock, spawn });
  const start = <Name extends keyof ThreadInits>(
    name: Name,
    init: ThreadInits[Name],
    events: ThreadEvents = {},
  ) =>
    supervisor.start(name, init, {
      ...events,
      onComplaint: ({ message }) => readiness.suspect(message === damageComplaint),
    });
  const retentionDays = { payloadRetentionDays, installationRetentionDays };
  const writerInit = {
    file,
    plans,
    ledger,
    ...retentionDays,
    checkpointInterval,
    exportLifeMs,
    clockShift,
    logLevel,
  };
  const writer = createWriter((events) => start("writer", writerInit, events), groupCommit, clock);
  const damage = createDamageCheck({
    start: () => start("inspector", file),
    path: file.path,
    isDamaged,
    clock,
    logger,
  });
  const readiness = createEngineReadiness(writer, damage, supervisor, clock);
  const scanners = scannerCount(searchThreads);
  const dimensions = options.model?.dimensions ?? null;
  const searches = createSearches(
    (events) => start("searcher", { file, searchCacheBytes, scanners, dimensions }, events),
    createScanners(scanners, (events) => start("scanner", { file, dimensions }, events)),
    clock,
  );
  const startReader = () =>
    start("reader", { file, verifierKeys: ledger.verifierKeys, exportFolder: ledger.exports });
  const reader = createReader(startReader, searches, clock, logger);
  const cacheFolder = cacheFolderOf(file.path);
  const cacheInit = { file, folder: cacheFolder, maxBytes: folderShare * searchCacheBytes };
  const cache = createSearchCache({
    folder: cacheFolder,
    logger,
    clock,
    searches,
    startThread: () => start("cacheWriter", cacheInit),
  });
  const startExporter = () => start("exporter", { file, ledger, logLevel });
  const exporter = createExporter(startExporter, hasExports, writer.logExport);
  const exports = createExportRunner(exporter, clock, logger);
  return { clock, supervisor, writer, damage, readiness, searches, reader, cache, exports };
}

async function prepare(file: DatabaseFile, model: ModelBinding | null): Promise<void> {
  using database = await openCurrent(file);
  if (model !== null) bindModel(database, model);
}
