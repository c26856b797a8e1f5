// Owns what the program can ask of an SQLite database besides calls. Opens a connection for each question; only a store stays open.

import { existsSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { Engine } from "../../calls/storage/engine.ts";
import { withRegularFile } from "../../platform/files/regular-file.ts";
import type { RuntimeFiles } from "../../platform/native/runtime.ts";
import { SqliteError } from "../../platform/native/sqlite.ts";
import type { spawnWorker } from "../../platform/threads/spawn.ts";
import { requireOwnFiles } from "./database-file/adjacent-files.ts";
import { type DatabaseFile, openCurrent, openReading, openWriting } from "./database-file/connection.ts";
import { copyDatabase, describe } from "./database-file/copy.ts";
import { damageMark } from "./database-file/damage-mark.ts";
import { explainDiskFailure } from "./database-file/disk-failure.ts";
import { findDamage, inspect } from "./database-file/inspect.ts";
import { hasLeftoverLog, requireOwnLog } from "./database-file/leftover-wal.ts";
import { takeLock } from "./database-file/lock.ts";
import { findExport } from "./export/exports.ts";
import { readStoredLedger } from "./ledger/stored-ledger.ts";
import { findFaults } from "./repair/faults.ts";
import { repair } from "./repair/repair.ts";
import { listAccess, revokeAllKeys } from "./restored-access.ts";
import { checkFormat, formatVersion } from "./schema/migrate.ts";
import { endAllSessions } from "./sessions.ts";
import { openStore } from "./store.ts";

interface SqliteEngineOptions {
  /** Path of the database file. */
  readonly path: string;
  /** Path of a small file that is only locked. */
  readonly lock: string;
  /** Makes the native libraries loadable. Called with the first connection. */
  runtime(): RuntimeFiles;
  /** Starts the threads of a store; tests use it to get hold of the worker they kill. */
  readonly spawn?: typeof spawnWorker;
}

export function createSqliteEngine({ path, lock, runtime, spawn }: SqliteEngineOptions): Engine {
  let opened: DatabaseFile | null = null;
  const file = (): DatabaseFile => {
    opened ??= { path, runtime: runtime() };
    return opened;
  };
  const log = `${path}-wal`;
  const name = basename(path);
  return {
    name: "SQLite",
    location: path,
    format: formatVersion,
    files: [basename(damageMark(path)), name, `${name}-shm`, `${name}-journal`, `${name}-wal`],
    takeLock: async () => takeLock(lock, file().runtime),
    async findState() {
      if (!existsSync(path)) return "missing";
      return sizeOf(path) <= emptyMaxBytes ? "empty" : "present";
    },
    // A first start that was cut short leaves a log too, but never without the file that it belongs to.
    findTraces: async () =>
      !existsSync(path) && sizeOf(log) > 0 ? `its write-ahead log ${basename(log)} exists` : null,
    wasKilled: async () => hasLeftoverLog(path),
    requireOwnFiles: async () => requireOwnFiles(path),
    requireIntactLog: async () => requireOwnLog(file()),
    isUnused: async () => isWithoutTables(file()),
    async migrate(onUnused) {
      const database = await openCurrent(file(), onUnused);
      database.close();
    },
    inspect: async () => inspect(file()),
    findFormat: async () => findFormat(file()),
    copyTo: (target, options = {}) => copyDatabase(file(), target, options),
    describe: async () => describe(file()),
    findDamage: async () => findDamage(file()),
    findFaults: async () => findFaults(file()),
    listAccess: async (now) => listAccess(file(), now),
    revokeKeys: async (now) => revokeAllKeys(file(), now),
    endSessions: async () => endAllSessions(file()),
    repair: (hasWrongWords, options) => repair(file(), hasWrongWords, options),
    async withLedger(access, work) {
      using database = access === "write" ? openWriting(file()) : openReading(file());
      return await work(readStoredLedger(database));
    },
    open: (options) => openStore(file(), options, spawn),
    findExport: async (folder, id) => findExport(file(), folder, id),
    explainFailure: (error) => (error instanceof SqliteError ? explainDiskFailure(error, path) : null),
  };
}

/** A write-ahead log can only have a newer format than the header of the file, so the database is opened only if that one is older. */
function findFormat(file: DatabaseFile): number {
  if (sizeOf(file.path) <= emptyMaxBytes) return 0;
  if (headerFormat(file.path) === formatVersion) return formatVersion;
  using database = openReading(file);
  return checkFormat(database);
}

/** PRAGMA user_version, as the file has it. */
function headerFormat(path: string): number {
  const version = Buffer.alloc(4);
  withRegularFile(path, (file) => readSync(file, version, 0, version.length, 60));
  return version.readInt32BE();
}

/** SQLite reads a file of one byte as a database without tables, too. */
const emptyMaxBytes = 1;

/** For writing, because a first start that was cut short leaves a journal that must be rolled back. */
function isWithoutTables(file: DatabaseFile): boolean {
  using database = openWriting(file);
  return checkFormat(database) === 0;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
