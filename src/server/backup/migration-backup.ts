// Owns the backup before a migration of the database: nobody can go back to an older version of the program without it. Must never remove
// one, and never let a migration begin without one, unless the operator has said so.

import { join } from "node:path";
import { makeFolder } from "../../platform/files/durable.ts";
import type { Logger } from "../../platform/log/logger.ts";
import { createClock } from "../../platform/time/clock.ts";
import { toTimestamp } from "../../platform/time/timestamp.ts";
import type { Config } from "../config/config.ts";
import type { DatabasePlace } from "../data-directory/lost-database.ts";
import { openBackupFolder } from "./backup-folder.ts";
import { makeBackup } from "./make-backup.ts";

/**
 * Does nothing unless the database has an older format. To be called with the lock, before the database is opened for writing.
 * @throws Error that says what to do when no backup can be made
 */
export async function backUpBeforeMigration(
  place: DatabasePlace,
  config: Pick<Config, "migrationBackup" | "backupDir" | "auditKey">,
  logger: Logger,
): Promise<void> {
  const { engine, directory } = place;
  // Whoever opens the database for writing explains a database that cannot be read.
  const format = await engine.findFormat().catch(() => 0);
  if (format === 0 || format >= engine.format) return;
  const formats = { from_format: format, to_format: engine.format };
  if (!config.migrationBackup) {
    logger.warn("the database is migrated without a backup", formats);
    return;
  }
  await engine.requireIntactLog();
  const folder = config.backupDir ?? join(directory.root, "before-migration");
  try {
    if (config.backupDir === null) makeFolder(folder);
    else openBackupFolder(folder, directory.root);
    const now = createClock().now();
    const target = join(folder, `memledger-format-${format}-${fileTime(now)}.tar.zst`);
    const { path, bytes } = await makeBackup(place, {
      target,
      mayReplace: false,
      auditKey: config.auditKey,
      includesSigningKey: false,
      now,
    });
    logger.info("backup made before the database is migrated", { path, bytes, ...formats });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The database has format ${format} and must be migrated to format ${engine.format}, but no backup could be made before. ${reason} Nothing was changed. To write the backup to another folder, set --backup-dir. To migrate without a backup, set --migration-backup false.`,
      { cause: error },
    );
  }
}

function fileTime(now: number): string {
  return toTimestamp(now).replaceAll(":", "-").replace(".", "-");
}
