// Owns which backups a server knows, for whoever asks what they still contain. Must never name a folder: holders of keys read the list.

import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { KnownBackup } from "../../contract/known-backup.ts";
import { readBackupState } from "./last-backup.ts";
import type { BackupSchedule } from "./schedule.ts";

/**
 * The scheduled backups, newest first, with one that is being made; then the last one of a command.
 * @returns null: the folder of scheduled backups cannot be read
 */
export async function listKnownBackups(
  dataDir: string,
  schedule: Pick<BackupSchedule, "files"> | null,
): Promise<readonly KnownBackup[] | null> {
  try {
    const scheduled = schedule === null ? [] : await schedule.files();
    const { last } = readBackupState(dataDir);
    const isOther =
      last !== null && scheduled.every(({ path }) => path !== last.path) && existsSync(last.path);
    const other = isOther ? [{ ...last, endsAtMs: null }] : [];
    return [...scheduled, ...other].map(({ path, atMs, endsAtMs }) => ({
      file: basename(path),
      atMs,
      endsAtMs,
    }));
  } catch {
    return null;
  }
}
