// Owns the reports about a backup that was verified or restored: what it contains, who has access again, and what to do next.

import type { RecordedErasure } from "../../calls/storage/stored-ledger.ts";
import { counted } from "../../platform/text/plural.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import { toTimestamp } from "../../platform/time/timestamp.ts";
import type { EndedAccess } from "../../server/backup/restore-backup.ts";
import type { UnpackedBackup } from "../../server/backup/verify-backup.ts";
import { erasuresText, type RepeatedErasure } from "../audit/erasure-receipts.ts";
import { toData, toText, type Verification } from "../audit/report.ts";
import { list, type Report, table } from "../terminal.ts";

/** Nobody finds the folder in which the backup was unpacked. */
export function ledgerText(verification: Verification, { folder }: UnpackedBackup, file: string): string {
  return toText(verification).replaceAll(`${folder}/`, `${file}:`);
}

/** A backup, and what its ledger says. */
interface Verified {
  readonly file: string;
  readonly verification: Verification;
  /** The erasures that the ledger names; null: it did not verify. */
  readonly known: readonly RecordedErasure[] | null;
}

function factsOf({ manifest }: UnpackedBackup, { verification, known }: Verified) {
  const { createdAt, memledger, database, includesSigningKey, files } = manifest;
  const newest = known?.reduce((latest, { at }) => Math.max(latest, at), 0) ?? 0;
  return {
    created_at: createdAt,
    memledger_version: memledger.version,
    installation: database.installation,
    database_format: database.format,
    files: files.length,
    records: verification.finding.records,
    erased_subjects: known && new Set(known.flatMap(({ subjects }) => subjects)).size,
    newest_erasure: newest === 0 ? null : toTimestamp(newest),
    includes_signing_key: includesSigningKey,
  };
}

export function verified(unpacked: UnpackedBackup, about: Verified): Report {
  const { file, verification } = about;
  const facts = factsOf(unpacked, about);
  const data = { file, ...facts, ledger: toData(verification) };
  return { data, text: `${list({ file, ...facts })}\n\n${ledgerText(verification, unpacked, file)}` };
}

interface Restoration extends Verified {
  readonly dataDir: string;
  readonly erasures: readonly RepeatedErasure[];
  readonly access: EndedAccess;
}

export function restored(unpacked: UnpackedBackup, restoration: Restoration): Report {
  const { file, dataDir, erasures, access } = restoration;
  const facts = factsOf(unpacked, restoration);
  const { includesSigningKey, auditKey, removedSettings } = unpacked.manifest;
  const data = {
    file,
    data_dir: dataDir,
    ...facts,
    needs_signing_key: !includesSigningKey,
    removed_settings: removedSettings,
    erasures,
    ended_sessions: access.endedSessions,
    revoked_keys: access.revokedKeys ?? 0,
    keys_in_force: access.keys,
    administration_keys_in_force: access.administrationKeys,
    projects: access.projects,
  };
  const place = quoteWord(dataDir);
  const steps = [
    `Restored ${counted(facts.files, "file")} to ${dataDir}.${erasedText(facts)}`,
    ...(erasures.length === 0 ? [] : [erasuresText(erasures)]),
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

function erasedText({ erased_subjects, newest_erasure }: ReturnType<typeof factsOf>): string {
  if (newest_erasure === null) return "";
  return ` The ledger of the backup names ${counted(erased_subjects ?? 0, "erased subject")}, the newest of ${newest_erasure}.`;
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
          `${counted(endedSessions, "session or sign-in link", "sessions and sign-in links")} of the console ended: people must sign in again.`,
        ];
  const named = projects.slice(0, listedMax).map(({ name }) => name);
  const again = `${counted(projects.length, "project")} as of ${createdAt}: ${named.join(", ")}${projects.length > listedMax ? ", ..." : ""}. A project that was deleted after this time exists again. Delete it again. A subject that was erased after this time exists again, unless its receipt was given with --erasures.`;
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
