// Owns the error message of a failed command, in one line: the cause and what to do next. Must never show a stack trace.

import { locate } from "../data-directory/data-directory.ts";
import { explainForeignDatabase } from "../data-directory/lost-database.ts";
import { explainSystemError } from "../files/system-error.ts";
import { SqliteError } from "../native/sqlite.ts";
import { explainDiskFailure } from "../storage/sqlite/database-file/disk-failure.ts";
import { ForeignDatabase } from "../storage/sqlite/schema/migrate.ts";

/** `dataDir` is the data directory of the command, null when the configuration could not be read. */
export function failureMessage(error: unknown, dataDir: string | null): string {
  const text = error instanceof Error ? error.message : String(error);
  return explain(error, dataDir) ?? text.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
}

/** Null when the message of the error can be printed as it is. */
function explain(error: unknown, dataDir: string | null): string | null {
  if (error instanceof ForeignDatabase && dataDir !== null) return explainForeignDatabase(locate(dataDir));
  if (error instanceof SqliteError) {
    const found = explainDiskFailure(error, dataDir === null ? null : locate(dataDir).database);
    return found === null
      ? null
      : `The database in ${dataDir} cannot be used: ${found.cause}. ${found.remedy}`;
  }
  const found = explainSystemError(error);
  const path = error instanceof Error && "path" in error ? error.path : undefined;
  return found === null || typeof path !== "string"
    ? null
    : `${path} cannot be used: ${found.cause}. ${found.remedy}`;
}
