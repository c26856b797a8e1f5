// Binds `memledger restore`, and the verification of a backup that it shares with `memledger backup verify`.

import { existsSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Command, Option } from "commander";
import { verdicts } from "../../audit/verify/verdict.ts";
import { createClock } from "../../platform/time/clock.ts";
import { repeatErasures } from "../../server/backup/repeat-erasures.ts";
import {
  endAccess,
  placeUnpacked,
  requireEmptyDirectory,
  unpackingFolder,
  withUnpacked,
} from "../../server/backup/restore-backup.ts";
import { findErasures, requireTrueManifest, type UnpackedBackup } from "../../server/backup/verify-backup.ts";
import { type Config, loadConfig } from "../../server/config/config.ts";
import { settings } from "../../server/config/settings.ts";
import { readReceipts, requireReceipts, toRepeated } from "../audit/erasure-receipts.ts";
import { toData } from "../audit/report.ts";
import { collect } from "../audit/verify.ts";
import { addSettings, bindWork, type Session } from "../command.ts";
import { createProgress, type Progress } from "../progress.ts";
import { untilStopped } from "../server/stop-signal.ts";
import type { Report, Terminal } from "../terminal.ts";
import { ledgerText, restored, verified } from "./restore-report.ts";
import { isRefused, verifyBackup } from "./verification.ts";

const megabytes = { name: "MB", size: 1_000_000 };

export function addRestoreCommand(program: Command, session: Session): void {
  const command = program
    .command("restore")
    .description(
      "Restore a backup into an empty or a new data directory. Every file, the database and the ledger are verified before anything is put in place.",
    )
    .argument("<file>", "the backup")
    .option("--revoke-keys", "revoke all API keys and administration keys in the backup")
    .addOption(
      new Option(
        "--erasures <file>",
        "receipts of erasures, kept outside the server: each is repeated before anything is put in place; can be repeated",
      )
        .argParser(collect)
        .default([], "none"),
    );
  addSettings(command, [settings.auditKey]);
  addEvidence(command);
  bindWork(command, session, async ({ config, options, operands, terminal }) => {
    const file = resolve(operands[0] ?? "");
    const given = readReceipts(pathsOf(options.erasures));
    const dataDir = existsSync(config.dataDir) ? realpathSync(config.dataDir) : config.dataDir;
    await requireEmptyDirectory(dataDir);
    return withProgress(terminal, "Nothing was restored.", (progress, signal) =>
      withUnpacked(
        file,
        unpackingFolder(dataDir),
        { now: createClock().now(), onProgress: progress.show, signal },
        async (unpacked) => {
          const verification = await verifyBackup(unpacked, evidenceOf(options));
          if (isRefused(verification)) {
            session.exitCode = verdicts[verification.finding.verdict];
            return {
              data: toData(verification),
              text: `Nothing was restored.\n${ledgerText(verification, unpacked, file)}`,
            };
          }
          await requireTrueManifest(file, unpacked);
          await requireEmptyDirectory(dataDir);
          const known = await findErasures(unpacked);
          const receipts = requireReceipts(given, verification.evidence.keys);
          const server = () => configOf(unpacked, config, terminal);
          const answers = receipts.length === 0 ? [] : await repeatErasures(unpacked, receipts, server());
          const erasures = toRepeated(given, receipts, answers);
          const access = await endAccess(unpacked, {
            revokesKeys: options.revokeKeys === true,
            now: createClock().now(),
          });
          placeUnpacked(unpacked, dataDir);
          return restored(unpacked, { file, dataDir, verification, known, erasures, access });
        },
      ),
    );
  });
}

/** Of `memledger backup verify`. */
export function addBackupVerifyCommand(backup: Command, session: Session): void {
  const command = backup
    .command("verify")
    .description(
      "Verify a backup: every file, the database and the ledger. Unpacks it to a folder beside the file, which is removed afterwards.",
    )
    .argument("<file>", "the backup")
    .option("--work-dir <dir>", "folder to unpack the backup in (default: the folder of the file)");
  addEvidence(command);
  bindWork(
    command,
    session,
    async ({ options, operands, terminal }) => {
      const file = resolve(operands[0] ?? "");
      const parent = typeof options.workDir === "string" ? resolve(options.workDir) : dirname(file);
      return withProgress(terminal, "The backup was not verified.", (progress, signal) =>
        withUnpacked(
          file,
          parent,
          { now: createClock().now(), onProgress: progress.show, signal },
          async (unpacked) => {
            const verification = await verifyBackup(unpacked, evidenceOf(options));
            if (isRefused(verification)) session.exitCode = verdicts[verification.finding.verdict];
            else await requireTrueManifest(file, unpacked);
            const known = isRefused(verification) ? null : await findErasures(unpacked);
            return verified(unpacked, { file, verification, known });
          },
        ),
      );
    },
    { ignoresConfig: () => true },
  );
}

/** Of both commands. */
function addEvidence(command: Command): void {
  command
    .addOption(
      new Option("--checkpoint <file>", "external checkpoint, kept outside the server; can be repeated")
        .argParser(collect)
        .default([], "none"),
    )
    .option(
      "--public-key <file>",
      "public key of the ledger, kept outside the server (default: that in the backup)",
    );
}

function evidenceOf({ publicKey, checkpoint }: Readonly<Record<string, unknown>>) {
  return {
    publicKey: typeof publicKey === "string" ? resolve(publicKey) : null,
    checkpoints: pathsOf(checkpoint),
  };
}

/** Of an option that can be repeated. */
function pathsOf(given: unknown): readonly string[] {
  return Array.isArray(given) ? given.map((path) => resolve(String(path))) : [];
}

/** The settings that a server of the restored directory has. What was given to the command counts more. */
function configOf({ folder }: UnpackedBackup, given: Config, { variables }: Terminal): Config {
  const { config } = loadConfig({ flags: { "data-dir": folder }, variables });
  return { ...config, auditKey: given.auditKey ?? config.auditKey, logLevel: given.logLevel };
}

async function withProgress(
  terminal: Terminal,
  what: string,
  work: (progress: Progress, signal: AbortSignal) => Promise<Report>,
): Promise<Report> {
  const progress = createProgress(terminal, megabytes);
  return untilStopped(what, (signal) => work(progress, signal)).finally(progress.clear);
}
