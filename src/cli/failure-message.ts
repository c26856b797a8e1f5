// Owns the error message of a failed command, in one line: the cause and what to do next. Must never show a stack trace.

import { ForeignDatabase } from "../calls/storage/engine.ts";
import { explainSystemError } from "../platform/files/system-error.ts";
import { locate } from "../server/data-directory/data-directory.ts";

/** `dataDir` is the data directory of the command, null when the configuration could not be read. */
export async function failureMessage(error: unknown, dataDir: string | null): Promise<string> {
  const text = error instanceof Error ? error.message : String(error);
  const explained = (dataDir === null ? null : await explainDatabase(error, dataDir)) ?? explainSystem(error);
  return explained ?? text.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
}

/** Null when the error is not one of the database, or its message can be printed as it is. */
async function explainDatabase(error: unknown, dataDir: string): Promise<string | null> {
  // Only now, because most commands of an assistant neither open a database nor fail.
  const { chooseEngine } = await import("../engines/engines.ts");
  const directory = locate(dataDir);
  const engine = chooseEngine(directory);
  if (error instanceof ForeignDatabase) {
    const { explainForeignDatabase } = await import("../server/data-directory/lost-database.ts");
    return explainForeignDatabase({ directory, engine });
  }
  const found = engine.explainFailure(error);
  return found === null ? null : `The database in ${dataDir} cannot be used: ${found.cause}. ${found.remedy}`;
}

const noWorkingDirectory =
  "The working directory was removed. Change to another directory, then run the command again.";

/** The same for errors of the operating system. */
function explainSystem(error: unknown): string | null {
  if (error instanceof Error && "syscall" in error && error.syscall === "uv_cwd") return noWorkingDirectory;
  const found = explainSystemError(error);
  const path = error instanceof Error && "path" in error ? error.path : undefined;
  return found === null || typeof path !== "string"
    ? null
    : `${path} cannot be used: ${found.cause}. ${found.remedy}`;
}
