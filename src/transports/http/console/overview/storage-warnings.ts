// Owns the warnings about what is stored: the disk, backups, and a change of the embedding model.

import { freeDiskCriticalBytes } from "../../../../platform/files/limits.ts";
import { counted } from "../../../../platform/text/plural.ts";
import { toTimestamp } from "../../../../platform/time/timestamp.ts";
import type { InstallationFacts } from "./facts.ts";
import { backupAgeMaxMs, freeDiskMinBytes, freeDiskMinShare } from "./limits.ts";
import { commandFor, logRemedy, type WarningRule } from "./warning.ts";

export const storageWarnings: readonly WarningRule[] = [
  {
    code: "disk_full",
    severity: "critical",
    when: "less than 512 MiB of the disk are free",
    find: ({ disk }) =>
      disk === null || disk.freeBytes >= freeDiskCriticalBytes
        ? null
        : {
            message: `Only ${mebibytes(disk.freeBytes)} of the disk of the data directory are free. Without disk space the server refuses all calls.`,
            remedy: freeSpace,
          },
  },
  {
    code: "disk_almost_full",
    severity: "warning",
    when: "less than 1 GB or 5 % of the disk is free",
    find: ({ disk }) =>
      disk === null || disk.freeBytes < freeDiskCriticalBytes || !isAlmostFull(disk)
        ? null
        : {
            message: `${mebibytes(disk.freeBytes)} of the disk of the data directory are free.`,
            remedy: freeSpace,
          },
  },
  {
    code: "backup_failed",
    severity: "critical",
    when: "the last scheduled backup failed",
    find: ({ backups }) =>
      backups === null || backups.failure === null
        ? null
        : {
            message: `A scheduled backup failed at ${toTimestamp(backups.failure.atMs)}: ${backups.failure.message}`,
            remedy:
              "Correct the cause. The backup is retried automatically, and the warning ends with the next one that succeeds.",
          },
  },
  {
    code: "backup_missing",
    severity: "warning",
    when: "no backup was ever made",
    find: (facts) =>
      facts.backups === null || facts.backups.last !== null
        ? null
        : {
            message: "No backup of this installation was ever made.",
            remedy: `Set --backup-dir to a folder on another disk for scheduled backups, or make one now: ${commandFor(facts, "backup FILE")}`,
            view: "/console/settings",
          },
  },
  {
    code: "backup_too_old",
    severity: "warning",
    when: "the last backup is older than twice the time between two scheduled ones, or than two days without a schedule",
    find: (facts) => {
      const { backups, backupSchedule, at } = facts;
      if (backups === null || backups.last === null) return null;
      const maxMs = backupSchedule === null ? backupAgeMaxMs : 2 * backupSchedule.everyMs;
      if (at - backups.last.atMs <= maxMs) return null;
      const remedy =
        backupSchedule === null
          ? `Make one now: ${commandFor(facts, "backup FILE")}. Set --backup-dir to have them made regularly.`
          : `Scheduled backups go to ${backupSchedule.folder}. ${logRemedy}`;
      return { message: `The last backup was made at ${toTimestamp(backups.last.atMs)}.`, remedy };
    },
  },
  {
    code: "model_change_failed",
    severity: "critical",
    when: "a change of the embedding model does not continue",
    find: (facts) =>
      facts.modelChange === null || facts.modelChange.failure === null
        ? null
        : {
            message: `The change of the embedding model to ${facts.modelChange.to.id} does not continue: ${facts.modelChange.failure}`,
            remedy: `Correct the cause and run memledger reembed again, or cancel the change: ${commandFor(facts, "reembed --cancel")}`,
          },
  },
  {
    code: "model_changing",
    severity: "notice",
    when: "a change of the embedding model is in progress",
    find: ({ modelChange }) =>
      modelChange === null || modelChange.failure !== null
        ? null
        : {
            message: `The embedding model is being changed to ${modelChange.to.id}: ${counted(modelChange.done, "memory", "memories")} done. Searches use the previous model until all are done.`,
            remedy: "No action is needed. It continues after a restart.",
          },
  },
];

const freeSpace =
  "Free disk space, or move the data directory to a larger disk. Files of exports, scheduled backups on the same disk, and the folder before-migration/ can be removed.";

function isAlmostFull({ freeBytes, totalBytes }: NonNullable<InstallationFacts["disk"]>): boolean {
  return freeBytes < freeDiskMinBytes || freeBytes / totalBytes < freeDiskMinShare;
}

const mebibytes = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MiB`;
