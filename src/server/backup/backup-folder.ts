// Owns whether a folder may get scheduled backups. It is created once, before the first backup in it, and only if its parent exists. Later a
// missing folder, or one that has moved to the disk of the data directory, shows that its disk is not mounted: a backup there would fill the
// wrong disk, and nobody would miss the right one.

import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type BackupFolder, readBackupFolder } from "../../calls/operations/backups/last-backup.ts";
import { syncFolder } from "../../platform/files/durable.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import { requireFolder } from "./backup-target.ts";

/** @throws Error that says what to do */
export function openBackupFolder(path: string, dataDir: string): BackupFolder {
  const known = readBackupFolder(dataDir);
  const wasUsed = known?.path === path;
  if (!existsSync(path)) {
    if (wasUsed) {
      throw new Error(
        `The folder ${path} does not exist, but scheduled backups were made in it. Mount its disk. If it was removed on purpose, create it: mkdir -m 700 ${quoteWord(path)}`,
      );
    }
    createFolder(path);
  }
  requireFolder(path);
  const isOnOther = isOnOtherDisk(statSync(path).dev, dataDir);
  if (wasUsed && known.isOnOtherDisk && !isOnOther) {
    throw new Error(
      `The folder ${path} was on another disk when the last scheduled backup was made. Mount this disk. If backups shall be made on the disk where the folder is now, choose another folder with --backup-dir.`,
    );
  }
  return { path, isOnOtherDisk: isOnOther };
}

/** Whether the device of a folder is that of neither the data directory nor the system. */
export function isOnOtherDisk(device: number, dataDir: string): boolean {
  return ![dataDir, "/"].some((other) => statSync(other).dev === device);
}

function createFolder(path: string): void {
  const parent = dirname(path);
  if (!existsSync(parent)) {
    throw new Error(
      `The folder ${path} cannot be created, because ${parent} does not exist. Mount its disk, or create the folder: mkdir -p -m 700 ${quoteWord(path)}`,
    );
  }
  mkdirSync(path, { mode: 0o700 });
  syncFolder(parent);
}
