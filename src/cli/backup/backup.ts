// Binds `memledger backup`: records the backup, through the running server or here, and copies the data directory in this process, so
// that the server has no part in the work. data-directory/make-backup.ts does it.

import type { Command } from "commander";
import { createBackup } from "../../calls/operations/backups/create.ts";
import { rememberBackup } from "../../calls/operations/backups/last-backup.ts";
import { chooseEngine } from "../../engines/engines.ts";
import { yieldToOthers } from "../../platform/threads/priority.ts";
import { createClock } from "../../platform/time/clock.ts";
import { checkBackupTarget } from "../../server/backup/backup-target.ts";
import { type MadeBackup, makeBackup } from "../../server/backup/make-backup.ts";
import type { Config } from "../../server/config/config.ts";
import { settings } from "../../server/config/settings.ts";
import { locate } from "../../server/data-directory/data-directory.ts";
import { createDirectoryLocker, requireDatabase } from "../../server/data-directory/directory-lock.ts";
import { administer } from "../access/administer.ts";
import { addSettings, bindWork, type Session } from "../command.ts";
import { createProgress } from "../progress.ts";
import { untilStopped } from "../server/stop-signal.ts";
import { list, type Report, type Terminal } from "../terminal.ts";
import { addBackupVerifyCommand } from "./restore.ts";

export function addBackupCommand(program: Command, session: Session): void {
  const command = program
    .command("backup")
    .description(createBackup.description)
    .argument("<file>", "path of the new file; its usual name ends in .tar.zst")
    .option("--include-signing-key", "include the private key that signs the ledger; keep the file secret")
    .option("--force", "replace the file if it exists");
  addSettings(command, [settings.auditKey]);
  addBackupVerifyCommand(command, session);
  bindWork(command, session, async ({ config, options, operands, terminal }) => {
    const made = await backUp(config, terminal, {
      file: operands[0] ?? "",
      mayReplace: options.force === true,
      includesSigningKey: options.includeSigningKey === true,
    });
    return report(made);
  });
}

interface Choice {
  readonly file: string;
  readonly mayReplace: boolean;
  readonly includesSigningKey: boolean;
}

async function backUp(
  config: Config,
  terminal: Terminal,
  { file, mayReplace, includesSigningKey }: Choice,
): Promise<MadeBackup> {
  const { dataDir, auditKey } = config;
  await requireDatabase(dataDir);
  const target = checkBackupTarget(file, { mayReplace, dataDir });
  yieldToOthers();
  const { now } = createClock();
  const progress = createProgress(terminal, { name: "MB", size: 1_000_000 });
  return untilStopped("No backup was made.", async (signal) => {
    await administer(config, createBackup, { file: target, includes_signing_key: includesSigningKey });
    const atMs = now();
    // Without a server, no other process may change the keys or the notes meanwhile.
    const lock = await createDirectoryLocker(dataDir)();
    try {
      const directory = locate(dataDir);
      const made = await makeBackup(
        { directory, engine: lock?.engine ?? chooseEngine(directory) },
        { target, mayReplace, auditKey, includesSigningKey, now: atMs, onProgress: progress.show, signal },
      );
      rememberBackup(dataDir, { atMs, bytes: made.bytes, path: made.path });
      return made;
    } finally {
      progress.clear();
      lock?.release();
    }
  });
}

function report({ path, bytes, sha256, contentBytes, manifest }: MadeBackup): Report {
  const { createdAt, includesSigningKey, removedSettings, database } = manifest;
  const records = database.chains.reduce((sum, { size }) => sum + size, 0);
  const data = {
    file: path,
    bytes,
    sha256,
    content_bytes: contentBytes,
    created_at: createdAt,
    installation: database.installation,
    database_format: database.format,
    records,
    includes_signing_key: includesSigningKey,
    removed_settings: removedSettings,
  };
  return { data, text: [list(data), ...advice(manifest)].join("\n\n") };
}

function advice({ includesSigningKey, removedSettings }: MadeBackup["manifest"]): string[] {
  return [
    includesSigningKey
      ? "The file contains the signing key. Whoever has it can sign checkpoints: keep it secret."
      : "The file does not contain the signing key. Keep a copy of audit.key elsewhere: a restored server does not start without it.",
    ...(removedSettings.length === 0
      ? []
      : [`These settings are secret and are not in the backup: ${removedSettings.join(", ")}.`]),
  ];
}
