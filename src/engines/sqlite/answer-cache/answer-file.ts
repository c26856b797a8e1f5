// Owns the file of the answer cache: a database of its own, because nothing that may be lost belongs into the one that must not be. All SQL of
// the cache is here. A file that it has not made, or that is damaged, is removed and never read.

import { chmodSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import type {
  AnswerCacheSettings,
  AnswerKey,
  AnswerOwner,
  CachedAnswer,
} from "../../../calls/storage/answer-cache.ts";
import { makeFolder, syncFolder } from "../../../platform/files/durable.ts";
import type { RuntimeFiles } from "../../../platform/native/runtime.ts";
import { type Database, openDatabase } from "../../../platform/native/sqlite.ts";
import { requireOwnFiles } from "../database-file/adjacent-files.ts";
import { emptyLog } from "../database-file/connection.ts";
import { fieldsOf, fromContent, isSeal, sealOf, toContent } from "./cached-answer.ts";
import { answerMaxBytes, freePagesMaxShare, pageCacheKiB } from "./limits.ts";

export interface AnswerFileOptions extends AnswerCacheSettings {
  readonly path: string;
  readonly runtime: RuntimeFiles;
  /** Of the seals, 32 bytes. */
  readonly secret: Uint8Array;
}

/** Every method throws when the file cannot be used any more. */
export interface AnswerFile {
  find(key: AnswerKey, now: number): CachedAnswer | null;
  put(key: AnswerKey, answer: CachedAnswer, time: PutTime): void;
  /** What it removes is overwritten and synced. @throws Error when it may still be in the file */
  remove(owner: AnswerOwner): void;
  /** Removes what is too old. */
  sweep(now: number): void;
  close(): void;
}

interface PutTime {
  readonly now: number;
  /** Null: as long as the settings say. */
  readonly maxAgeMs: number | null;
}

interface AnswerRow {
  created_at: number;
  expires_at: number;
  content: Uint8Array;
  seal: Uint8Array;
}

/** "mlac" */
const applicationId = 0x6d6c6163;
const schema = [
  "CREATE TABLE answer (digest TEXT PRIMARY KEY, project TEXT NOT NULL, key TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, bytes INTEGER NOT NULL, content BLOB NOT NULL, seal BLOB NOT NULL) STRICT",
  "CREATE INDEX answer_by_age ON answer (created_at)",
  "CREATE INDEX answer_by_end ON answer (expires_at)",
  "CREATE INDEX answer_by_owner ON answer (project, key)",
  "CREATE INDEX answer_by_key ON answer (key)",
];

/** @throws Error when neither the file nor a new one can be used */
export function openAnswerFile(options: AnswerFileOptions): AnswerFile {
  const { path } = options;
  makeFolder(dirname(path));
  try {
    return useAnswerFile(openChecked(options), options);
  } catch {
    removeAnswerFile(path);
    return useAnswerFile(openChecked(options), options);
  }
}

/** @throws Error when a file cannot be removed */
export function removeAnswerFile(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) {
    try {
      unlinkSync(path + suffix);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  syncFolder(dirname(path));
}

function openChecked({ path, runtime }: AnswerFileOptions): Database {
  requireOwnFiles(path);
  const database = openDatabase(path, runtime, { timeout: 0 });
  try {
    // No other connection reads it, so it needs no shared memory.
    database.pragma("locking_mode = EXCLUSIVE");
    // Of a new file only, and before the log writes its first page.
    database.pragma("auto_vacuum = INCREMENTAL");
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = NORMAL");
    database.pragma("fullfsync = ON");
    database.pragma("secure_delete = ON");
    database.pragma("temp_store = MEMORY");
    database.pragma(`cache_size = -${pageCacheKiB}`);
    database.pragma("trusted_schema = OFF");
    if (database.pragma("application_id", { simple: true }) === 0 && objectsOf(database).length === 0) {
      chmodSync(path, 0o600);
      database.exec(schema.join(";"));
      database.pragma(`application_id = ${applicationId}`);
    }
    requireOurs(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function objectsOf(database: Database): string[] {
  return database
    .prepare<[], string>("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
    .pluck()
    .all();
}

function requireOurs(database: Database): void {
  if (database.pragma("application_id", { simple: true }) !== applicationId)
    throw new Error("the file is not an answer cache");
  if (!Bun.deepEquals(objectsOf(database), schema)) throw new Error("the answer cache has another schema");
  if (database.pragma("quick_check(1)", { simple: true }) !== "ok")
    throw new Error("the answer cache is damaged");
}

function useAnswerFile(database: Database, options: AnswerFileOptions): AnswerFile {
  const { secret, maxAgeMs, maxBytes } = options;
  const find = database.prepare<[string], AnswerRow>(
    "SELECT created_at, expires_at, content, seal FROM answer WHERE digest = ?",
  );
  const drop = database.prepare("DELETE FROM answer WHERE digest = ?");
  const insert = database.prepare(
    `INSERT OR REPLACE INTO answer (digest, project, key, created_at, expires_at, bytes, content, seal)
     VALUES (:digest, :project, :keyId, :createdAt, :expiresAt, :bytes, :content, :seal)`,
  );
  const sum = database.prepare<[], number>("SELECT COALESCE(SUM(bytes), 0) FROM answer").pluck();
  const dropOldest = database
    .prepare<[], number>(
      "DELETE FROM answer WHERE digest = (SELECT digest FROM answer ORDER BY created_at LIMIT 1) RETURNING bytes",
    )
    .pluck();
  const dropOutdated = database.prepare(
    "DELETE FROM answer WHERE expires_at <= :now OR created_at <= :until OR created_at > :now",
  );
  const removals = {
    all: database.prepare("DELETE FROM answer"),
    project: database.prepare("DELETE FROM answer WHERE project = ?"),
    key: database.prepare("DELETE FROM answer WHERE key = ?"),
  };
  // The setting may have become shorter, and the clock may have been set back.
  const isCurrent = ({ created_at, expires_at }: AnswerRow, now: number) =>
    created_at <= now && now < expires_at && now - created_at < maxAgeMs;

  const store = database.transaction((key: AnswerKey, answer: CachedAnswer, time: PutTime) => {
    const content = toContent(answer);
    if (content.length > Math.min(answerMaxBytes, maxBytes)) return;
    const { now } = time;
    const expiresAt = now + Math.min(maxAgeMs, time.maxAgeMs ?? maxAgeMs);
    const fields = fieldsOf(key, { createdAt: now, expiresAt, content });
    insert.run({ ...fields, bytes: content.length, seal: sealOf(secret, fields) });
    for (let total = sum.get() ?? 0; total > maxBytes; ) {
      const freed = dropOldest.get();
      if (freed === undefined) break;
      total -= freed;
    }
  });
  const removeRows = (owner: AnswerOwner): void => {
    if (owner === null) removals.all.run();
    else if ("project" in owner) removals.project.run(owner.project);
    else removals.key.run(owner.keyId);
  };

  return {
    find(key, now) {
      const row = find.get(key.digest);
      if (row === undefined) return null;
      const seal = sealOf(secret, fieldsOf(key, toSealed(row)));
      const isUsable = isCurrent(row, now) && isSeal(row.seal, seal);
      const answer = isUsable ? fromContent(row.content) : null;
      if (answer === null) drop.run(key.digest);
      return answer;
    },
    put: (key, answer, time) => store(key, answer, time),
    remove(owner) {
      removeRows(owner);
      shrink(database);
      // Without this, the former pages would stay in the log.
      if (!emptyLog(database)) throw new Error("the log of the answer cache cannot be emptied");
    },
    sweep(now) {
      dropOutdated.run({ until: now - maxAgeMs, now });
      shrink(database);
    },
    close() {
      database.close();
    },
  };
}

function toSealed({ created_at, expires_at, content }: AnswerRow) {
  return { createdAt: created_at, expiresAt: expires_at, content };
}

/** Gives free pages back, when they are most of the file. Unlike VACUUM, it needs no copy of the rest. */
function shrink(database: Database): void {
  const count = (name: string) => Number(database.pragma(name, { simple: true }));
  if (count("freelist_count") > freePagesMaxShare * count("page_count"))
    database.pragma("incremental_vacuum");
}
