// Owns when scheduled backups are made, repeated after a failure, and removed. The newest file in the folder says when the last one was
// made, so a restart changes nothing. Must never stop the server, whatever fails.

import { existsSync } from "node:fs";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { ClockTimer } from "../../../platform/time/clock-timers.ts";
import { latestMs } from "../../../platform/time/timestamp.ts";
import { type BackupFolder, readBackupFolder, rememberBackup, rememberFailure } from "./last-backup.ts";
import { backupCheckMs, backupRetryMaxMs, backupRetryMinMs } from "./limits.ts";
import { listScheduled, removeOldest, type ScheduledFile, scheduledPath } from "./scheduled-files.ts";

export interface ScheduleOptions {
  readonly dataDir: string;
  readonly folder: string;
  readonly everyMs: number;
  /** Null: all are kept. */
  readonly keep: number | null;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Chain of the installation; null before its first record. */
  installation(): Promise<string | null>;
  /** Creates the folder before the first backup. @throws Error that says what to do when no backup may be written to it */
  requireFolder(): BackupFolder;
  /** Records a backup that will be written to the path. */
  record(path: string): Promise<void>;
  /** Makes a backup; rejects when `stop` was called. @returns the size of the file */
  make(path: string, now: number): Promise<number>;
  /** Stops a backup that is being made. */
  stop(): Promise<void>;
}

export interface KeptFile extends ScheduledFile {
  /** When it will be removed at the latest, if all following backups succeed; null: it is kept. */
  readonly endsAtMs: number | null;
}

export interface BackupSchedule {
  /** Those in the folder, and one that is being made, newest first. @throws Error when the folder cannot be read */
  files(): Promise<readonly KeptFile[]>;
  /** Stops a backup that is being made; the next start makes it. */
  close(): Promise<void>;
}

export function startBackupSchedule(options: ScheduleOptions): BackupSchedule {
  const { clock, logger, dataDir, folder } = options;
  let isClosed = false;
  let failures = 0;
  let retryAtMs = Number.NEGATIVE_INFINITY;
  let loggedMessage: string | null = null;
  let running: Promise<void> | null = null;
  let making: ScheduledFile | null = null;

  const failed = (error: unknown): void => {
    if (isClosed) return;
    const message = error instanceof Error ? error.message : String(error);
    retryAtMs = clock.elapsed() + Math.min(backupRetryMinMs * 2 ** failures, backupRetryMaxMs);
    failures += 1;
    if (message !== loggedMessage) {
      logger.error("a scheduled backup failed and is tried again", { folder, error: message });
    }
    loggedMessage = message;
    try {
      rememberFailure(dataDir, { atMs: clock.now(), message });
    } catch {
      // The disk is full. The log says so, and calls that write say so, too.
    }
  };
  const succeeded = (): void => {
    if (failures > 0) logger.info("scheduled backups succeed again", { folder });
    failures = 0;
    loggedMessage = null;
  };
  const begins = (file: ScheduledFile): void => {
    making = file;
  };
  const check = async (): Promise<void> => {
    try {
      if (await backUpIfDue(options, { isClosed: () => isClosed, begins })) succeeded();
    } catch (error) {
      failed(error);
    } finally {
      making = null;
    }
  };
  const tick = (): void => {
    if (isClosed || running !== null || clock.elapsed() < retryAtMs) return;
    running = check().finally(() => {
      running = null;
    });
  };

  const timer: ClockTimer = clock.every(backupCheckMs, tick);
  tick();
  return {
    files: () => listKept(options, () => making),
    async close() {
      isClosed = true;
      timer.cancel();
      await options.stop();
      await running;
    },
  };
}

/** A file is removed when as many newer ones exist as are kept. */
async function listKept(
  { clock, dataDir, folder, everyMs, keep, installation, requireFolder }: ScheduleOptions,
  making: () => ScheduledFile | null,
): Promise<readonly KeptFile[]> {
  const known = await installation();
  const now = clock.now();
  const isExpected = existsSync(folder) || readBackupFolder(dataDir)?.path === folder;
  // Before the first backup there is no folder, and this creates none.
  if (isExpected) requireFolder();
  const made = known === null || !isExpected ? [] : listScheduled(folder, known, now);
  const unfinished = making();
  const isListed = unfinished === null || made.some(({ path }) => path === unfinished.path);
  return [...(isListed ? [] : [unfinished]), ...made].map((file, index) => {
    const endsAtMs = keep === null ? null : now + everyMs * Math.max(1, keep - index);
    return { ...file, endsAtMs: endsAtMs === null || endsAtMs > latestMs ? null : endsAtMs };
  });
}

interface Making {
  readonly isClosed: () => boolean;
  /** Called before a backup is recorded. */
  readonly begins: (file: ScheduledFile) => void;
}

/** @returns whether a backup was made */
async function backUpIfDue(options: ScheduleOptions, { isClosed, begins }: Making): Promise<boolean> {
  const { clock, logger, dataDir, folder, keep } = options;
  const place = options.requireFolder();
  const known = await options.installation();
  if (known !== null && !isDue(options, known)) return false;
  const [now, startedAt] = [clock.now(), clock.elapsed()];
  // The record is the first one of an installation without any.
  if (known === null) await options.record(folder);
  const installation = known ?? (await options.installation());
  if (installation === null) throw new Error("The installation has no chain. Restart the server.");
  const path = scheduledPath(folder, installation, now);
  begins({ path, atMs: now });
  if (known !== null) await options.record(path);
  // Whoever closes the schedule can stop only a backup that has begun.
  if (isClosed()) return false;
  const bytes = await options.make(path, now);
  rememberBackup(dataDir, { atMs: now, bytes, path }, place);
  const removed = removeOldest(folder, installation, keep, clock.now());
  const durationMs = Math.round(clock.elapsed() - startedAt);
  logger.info("backup made", { path, bytes, duration_ms: durationMs, removed: removed.length });
  return true;
}

/** A file from the future was made before the clock was corrected, so it is not the last one. */
function isDue({ clock, folder, everyMs }: ScheduleOptions, installation: string): boolean {
  const now = clock.now();
  const [newest] = listScheduled(folder, installation, now);
  if (newest === undefined || newest.atMs > now) return true;
  return now - newest.atMs >= everyMs;
}
