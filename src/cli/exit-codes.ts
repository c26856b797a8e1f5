// Owns the exit codes of every command. Scripts rely on them: a code never changes its meaning.

import { CommanderError } from "commander";
import { ConfigError } from "../config/config-file.ts";
import { DirectoryInUse } from "../data-directory/directory-hold.ts";
import { ModelMismatch } from "../storage/sqlite/schema/model-binding.ts";

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
  failed: "refused or failed; the message says what to do",
  usage: "the command line or the configuration is wrong",
  inUse: "the data directory is in use by another memledger",
  otherModel: "the database holds embeddings of another model",
  unattested: "audit verify: consistent, but no checkpoint from outside attests it",
  broken: "audit verify: a check failed",
  contradicted: "audit verify: a checkpoint attests something else",
  unusable: "audit verify: not our format, or unreadable",
  forced: "ended by a second signal",
};

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError || error instanceof ConfigError) return exitCodes.usage;
  if (error instanceof DirectoryInUse) return exitCodes.inUse;
  if (error instanceof ModelMismatch) return exitCodes.otherModel;
  return exitCodes.failed;
}
