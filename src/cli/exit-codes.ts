// Owns the exit codes of all commands. Scripts depend on them: the meaning of a code never changes.

import { CommanderError } from "commander";
import { ModelMismatch } from "../calls/storage/engine.ts";
import { UnusableBackup } from "../server/backup/archive-reader.ts";
import { ConfigError } from "../server/config/config-file.ts";
import { DirectoryInUse } from "../server/data-directory/directory-in-use.ts";

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  inUse: 3,
  otherModel: 4,
  unattested: 10,
  broken: 20,
  contradicted: 30,
  unusable: 40,
  forced: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: "done",
  failed: "refused or failed; the error message says what to do next",
  usage: "invalid command line or configuration",
  inUse: "another memledger process uses the data directory",
  otherModel: "the database contains embeddings of another model",
  unattested: "audit verify: passed, but no external checkpoint covers all records",
  broken: "verify, restore: a check of the ledger failed",
  contradicted: "verify, restore: a signed checkpoint does not match the records",
  unusable: "verify, restore: unknown format, cut short, altered, or unreadable",
  forced: "stopped at once: second signal",
};

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError || error instanceof ConfigError) return exitCodes.usage;
  if (error instanceof DirectoryInUse) return exitCodes.inUse;
  if (error instanceof ModelMismatch) return exitCodes.otherModel;
  if (error instanceof UnusableBackup) return exitCodes.unusable;
  return exitCodes.failed;
}
