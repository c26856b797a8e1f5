// Owns how a database is opened as evidence: read-only, and without creating files next to it.
//
// Why bun:sqlite here and better-sqlite3 everywhere else: SQLite creates the missing -wal and -shm files of a WAL database, unless it is
// told that the file is immutable, and better-sqlite3 is built without the URI names for that. An auditor also needs no native
// libraries. Never use both on one database in one process: closing one connection releases the locks of the other.

import { constants, Database, SQLiteError } from "bun:sqlite";
import { existsSync, readSync, realpathSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { UnusableInput } from "../../../audit/verify/verdict.ts";
import { RefusedFile, withRegularFile } from "../../../platform/files/regular-file.ts";
import { findIrregular } from "../database-file/adjacent-files.ts";
import { applicationId } from "../schema/migrate.ts";

/** The queries that a verification needs. Both SQLite libraries implement it. */
export interface LedgerSource {
  all(sql: string, ...values: readonly (number | string | null)[]): unknown[];
  close(): void;
}

/** @throws UnusableInput */
export function openEvidence(given: string): LedgerSource {
  const path = realPathOf(given);
  requireSqliteFile(path);
  requireRegularFiles(path);
  refuseJournal(path);
  const isAlone = !hasAdjacentFiles(path);
  const before = stateOf(path);
  const database = guard(path, () => {
    const url = pathToFileURL(path).href + (isAlone ? "?immutable=1" : "");
    return new Database(url, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
  });
  const source: LedgerSource = {
    all: (sql, ...values) => guard(path, () => database.query(sql).all(...values)),
    close() {
      database.close();
      if (isAlone && stateOf(path) !== before) {
        throw new UnusableInput(`${path} was changed while it was read. Run the command again.`);
      }
    },
  };
  source.all("PRAGMA busy_timeout = 5000");
  // Otherwise a large sort writes what it reads into the directory for temporary files.
  source.all("PRAGMA temp_store = MEMORY");
  requireOurs(path, source);
  return source;
}

/** SQLite resolves links, and expects the other files of the database next to the target: so does this. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new UnusableInput(`${path} cannot be read.`, { cause });
  }
}

/** A link or a pipe next to the database could make SQLite read another ledger than the server shows. */
function requireRegularFiles(path: string): void {
  const irregular = findIrregular(path);
  if (irregular !== null) {
    throw new UnusableInput(
      `${irregular} is not a regular file. Find out who created it, move it to another folder, and verify again.`,
    );
  }
}

function requireSqliteFile(path: string): void {
  const magic = Buffer.alloc(16);
  try {
    withRegularFile(path, (file) => readSync(file, magic, 0, magic.length, 0));
  } catch (error) {
    if (error instanceof RefusedFile) throw new UnusableInput(error.message, { cause: error });
    const reason = error instanceof Error && "code" in error ? ` (${error.code})` : "";
    throw new UnusableInput(`${path} cannot be read${reason}.`, { cause: error });
  }
  if (magic.toString("latin1") === "SQLite format 3\0") return;
  throw new UnusableInput(
    `${path} is neither a memledger database nor an export with its manifest. Correct the path.`,
  );
}

function requireOurs(path: string, source: LedgerSource): void {
  const [header] = source.all("PRAGMA application_id");
  const { application_id } = header as { application_id: number };
  if (application_id !== applicationId)
    throw new UnusableInput(`${path} is not a memledger database. Correct the path.`);
}

/** SQLite would change the database with this journal when the server opens it, so the file now is not what the server would show. */
function refuseJournal(path: string): void {
  const journal = statSync(`${path}-journal`, { throwIfNoEntry: false });
  if (journal === undefined || journal.size === 0) return;
  throw new UnusableInput(
    `${path}-journal is next to the database: an unfinished write that is not from memledger. Find out who created it, move it to another folder, and verify again.`,
  );
}

/** Whether a server uses the file, or has left other files of the database. */
function hasAdjacentFiles(path: string): boolean {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return log !== undefined && (log.size > 0 || existsSync(`${path}-shm`));
}

function stateOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${size} ${mtimeMs}`;
}

function guard<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof SQLiteError)) throw cause;
    const advice = adviceFor(cause.code ?? "");
    throw new UnusableInput(`${path} cannot be read as a database: ${cause.message}. ${advice}`, { cause });
  }
}

/** Whether a table or an index of a query cannot be read. Those of other queries may be readable. */
export function isDamage(error: unknown): boolean {
  const cause = error instanceof UnusableInput ? error.cause : null;
  return cause instanceof SQLiteError && (cause.code ?? "").startsWith("SQLITE_CORRUPT");
}

function adviceFor(code: string): string {
  if (code === "SQLITE_BUSY") return "Another program is writing to it. Run the command again in a moment.";
  if (code === "SQLITE_ERROR")
    return "Its schema is older than the audit format. Start a server with this database once, then verify again.";
  if (code.startsWith("SQLITE_CANTOPEN") || code.startsWith("SQLITE_READONLY")) {
    return "It has a write-ahead log (-wal) that must be applied: copy both files to a folder where you have write permission, and verify them there.";
  }
  return "It is damaged or incomplete. Copy it again, or restore it from a backup.";
}
