// Binds `memledger restore`, and the verification of a backup that it shares with `memledger backup verify`.

import { existsSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Command, Option } from "commander";
import { verdicts } from "../audit/verify/verdict.ts";
import { createClock } from "../clock.ts";
import {
  type EndedAccess,
  endAccess,
  placeUnpacked,
  requireEmptyDirectory,
  unpackingFolder,
  withUnpacked,
} from "../data-directory/restore-backup.ts";
import { requireTrueManifest, type UnpackedBackup } from "../data-directory/verify-backup.ts";
import { counted } from "../text/plural.ts";
import { quoteWord } from "../text/shell-word.ts";
import { toData, toText, type Verification } from "./audit-report.ts";
import { collect } from "./audit-verify.ts";
import { isRefused, verifyBackup } from "./backup-verification.ts";
import { bindWork, type Session } from "./command.ts";
import { createProgress, type Progress } from "./progress.ts";
import { untilStopped } from "./stop-signal.ts";
import { list, type Report, type Terminal, table } from "./terminal.ts";

const megabytes = { name: "MB", size: 1_000_000 };

export function addRestoreCommand(program: Command, session: Session): void {
  const command = program
    .command("restore")
    .description(
      "Restore a backup into an empty or a new data directory. Every file, the database and the ledger are verified before anything is put in place.",
    )
    .argument("<file>", "the backup")
    .option("--revoke-keys", "revoke all API keys and administration keys in the backup");
  addEvidence(command);
  bindWork(command, session, async ({ config, options, operands, terminal }) => {
    const file = resolve(operands[0] ?? "");
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
          const access = await endAccess(unpacked, {
            revokesKeys: options.revokeKeys === true,
            now: createClock().now(),
          });
          placeUnpacked(unpacked, dataDir);
          return restored(unpacked, { file, dataDir, verification, access });
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
            return verified(unpacked, file, verification);
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
    checkpoints: Array.isArray(checkpoint) ? checkpoint.map((path) => resolve(String(path))) : [],
  };
}

/** Nobody finds the folder in which the backup was unpacked. */
function ledgerText(verification: Verification, { folder }: UnpackedBackup, file: string): string {
  return toText(verification).replaceAll(`${folder}/`, `${file}:`);
}

async function withProgress(
  terminal: Terminal,
  what: string,
  work: (progress: Progress, signal: AbortSignal) => Promise<Report>,
): Promise<Report> {
  const progress = createProgress(terminal, megabytes);
  return untilStopped(what, (signal) => work(progress, signal)).finally(progress.clear);
}

function factsOf({ manifest }: UnpackedBackup, verification: Verification) {
  const { createdAt, memledger, database, includesSigningKey, files } = manifest;
  return {
    created_at: createdAt,
    memledger_version: memledger.version,
    installation: database.installation,
    database_format: database.format,
    files: files.length,
    records: verification.finding.records,
    includes_signing_key: includesSigningKey,
  };
}

function verified(unpacked: UnpackedBackup, file: string, verification: Verification): Report {
  const facts = factsOf(unpacked, verification);
  const data = { file, ...facts, ledger: toData(verification) };
  return { data, text: `${list({ file, ...facts })}\n\n${ledgerText(verification, unpacked, file)}` };
}

interface Restoration {
  readonly file: string;
  readonly dataDir: string;
  readonly verification: Verification;
  readonly access: EndedAccess;
}

function restored(unpacked: UnpackedBackup, { file, dataDir, verification, access }: Restoration): Report {
  const facts = factsOf(unpacked, verification);
  const { includesSigningKey, auditKey, removedSettings } = unpacked.manifest;
  const data = {
    file,
    data_dir: dataDir,
    ...facts,
    needs_signing_key: !includesSigningKey,
    removed_settings: removedSettings,
    ended_sessions: access.endedSessions,
    revoked_keys: access.revokedKeys ?? 0,
    keys_in_force: access.keys,
    administration_keys_in_force: access.administrationKeys,
    projects: access.projects,
  };
  const place = quoteWord(dataDir);
  const steps = [
    `Restored ${counted(facts.files, "file")} to ${dataDir}.`,
    ...accessSteps(access, { createdAt: facts.created_at, place }),
    ...(includesSigningKey
      ? []
      : [
          `The backup does not contain the signing key${auditKey === null ? "" : ` (verifier key ${auditKey})`}. Copy your copy of it to ${dataDir}/audit.key, or set --audit-key FILE. If it is lost, create a new one: memledger audit rotate-key --former-key-lost --data-dir ${place}`,
        ]),
    ...(removedSettings.length === 0
      ? []
      : [`Set these settings again, because their values are secret: ${removedSettings.join(", ")}.`]),
    `To find out whether records were lost, compare with a checkpoint that was kept elsewhere: memledger audit verify ${place} --checkpoint FILE`,
  ];
  return { data, text: steps.join("\n\n") };
}

/** What was in force when the backup was made is in force again. */
function accessSteps(
  { endedSessions, revokedKeys, keys, administrationKeys, projects }: EndedAccess,
  { createdAt, place }: { readonly createdAt: string; readonly place: string },
): readonly string[] {
  const ended =
    endedSessions === 0
      ? []
      : [
          `${counted(endedSessions, "session or sign-in link", "sessions and sign-in links")} of the console ended: people sign in again.`,
        ];
  const named = projects.slice(0, listedMax).map(({ name }) => name);
  const again = `${counted(projects.length, "project")} as of ${createdAt}: ${named.join(", ")}${projects.length > listedMax ? ", ..." : ""}. A project that was deleted after this time exists again. Delete it again. A subject that was erased after this time exists again. Erase it again.`;
  if (revokedKeys !== null)
    return [
      ...ended,
      `${counted(revokedKeys, "key")} revoked. Create new keys: memledger key create.`,
      again,
    ];
  if (administrationKeys.length > 0)
    ended.push(
      `${counted(administrationKeys.length, "administration key is", "administration keys are")} in force again: ${administrationKeys.map(({ id, name }) => `${id} (${name})`).join(", ")}. Revoke those that were revoked after the backup was made: memledger admin-key revoke ID --data-dir ${place}.`,
    );
  if (keys.length === 0) return [...ended, again];
  const rows = keys.slice(0, listedMax).map(({ id, name, project }) => [id, name, project]);
  return [
    ...ended,
    `${counted(keys.length, "key is", "keys are")} in force again, also keys that were revoked after the backup was made. Revoke those again: memledger key revoke ID --data-dir ${place}. To revoke all, restore with --revoke-keys.`,
    table(["key", "name", "project"], rows) + (keys.length > listedMax ? "\n... (all of them: --json)" : ""),
    again,
  ];
}

/** Of keys and of projects. */
const listedMax = 50;
