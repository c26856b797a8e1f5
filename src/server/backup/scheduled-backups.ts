// Owns how the server makes scheduled backups: connects the schedule with the record of the call, the thread and the data directory.

import { createBackup } from "../../calls/operations/backups/create.ts";
import { type BackupSchedule, startBackupSchedule } from "../../calls/operations/backups/schedule.ts";
import { createUnfinished, temporaryPath } from "../../calls/operations/backups/unfinished.ts";
import type { Perform } from "../../calls/perform.ts";
import type { Logger } from "../../platform/log/logger.ts";
import type { Supervisor } from "../../platform/threads/supervisor.ts";
import type { WorkerThread } from "../../platform/threads/worker-thread.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { Config } from "../config/config.ts";
import { durationMs } from "../config/setting.ts";
import { administer, administrationRequest } from "../data-directory/administration.ts";
import type { DatabasePlace } from "../data-directory/lost-database.ts";
import { openBackupFolder } from "./backup-folder.ts";
import { insideMessage, isInside } from "./backup-target.ts";
import type { BackupRequest } from "./backup-worker.ts";

interface ScheduledBackups {
  readonly perform: Perform;
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** @returns null unless a folder is configured. @throws Error when it is inside the data directory */
export function scheduleBackups(
  { engine }: DatabasePlace,
  config: Config,
  { perform, supervisor, clock, logger }: ScheduledBackups,
): BackupSchedule | null {
  const { dataDir, backupDir: folder, auditKey } = config;
  if (folder === null) return null;
  if (isInside(folder, dataDir)) throw new Error(`--backup-dir: ${insideMessage(folder, dataDir)}`);
  let running: { close: () => Promise<void>; stop: BackupRequest["stop"] } | null = null;

  return startBackupSchedule({
    dataDir,
    folder,
    everyMs: durationMs(config.backupEvery),
    keep: config.backupKeep,
    clock,
    logger,
    installation: async () => (await engine.inspect()).installation,
    requireFolder: () => openBackupFolder(folder, dataDir),
    async record(file) {
      const fields = { file, includes_signing_key: false };
      await administer(perform, createBackup, administrationRequest("server", fields));
    },
    async make(target, now) {
      const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      const thread = supervisor.start("backup", null);
      const close = closeOnce(thread);
      running = { close, stop };
      const temporary = temporaryPath(folder, "backup");
      const options = { target, mayReplace: false, auditKey, includesSigningKey: false, now, temporary };
      try {
        return await thread.request<number>({ dataDir, options, stop } satisfies BackupRequest);
      } finally {
        running = null;
        await close();
        // A thread that was ended has removed nothing.
        createUnfinished(temporary)[Symbol.dispose]();
      }
    },
    async stop() {
      if (running === null) return;
      Atomics.store(running.stop, 0, 1);
      await running.close();
    },
  });
}

/** Closing a thread again would end it before it has finished. */
function closeOnce(thread: WorkerThread): () => Promise<void> {
  let closing: Promise<void> | null = null;
  return () => {
    closing ??= thread.close();
    return closing;
  };
}
