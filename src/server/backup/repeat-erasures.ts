// Owns repeating erasures in an unpacked backup, before anybody can read it. They are calls of administration, so the signing key must be
// there: without it nobody can continue the ledger.

import type { VerifiedErasure } from "../../audit/verify/receipts/erasure-receipt.ts";
import { repeatErasure } from "../../calls/operations/subjects/repeat-erasure.ts";
import type { JsonObject } from "../../platform/json/json.ts";
import { createLogger } from "../../platform/log/logger.ts";
import type { Config } from "../config/config.ts";
import { administer, administrationRequest } from "../data-directory/administration.ts";
import { lockDirectory, openAdministration } from "../data-directory/directory-lock.ts";
import { isTheKey } from "../ledger/ledger.ts";
import { findSigningKey } from "../ledger/ledger-files.ts";
import type { UnpackedBackup } from "./verify-backup.ts";

/**
 * @param config of a server of the folder
 * @returns the answer for each receipt
 * @throws Error that says what to do
 */
export async function repeatErasures(
  unpacked: UnpackedBackup,
  receipts: readonly VerifiedErasure[],
  config: Config,
): Promise<readonly JsonObject[]> {
  requireSigningKey(unpacked, config);
  const locked = await lockDirectory(unpacked.folder);
  try {
    // The backup itself is the copy of before the migration.
    const settings = { ...config, migrationBackup: false };
    const { perform, close } = await openAdministration(locked, settings, createLogger(config.logLevel));
    try {
      const answers: JsonObject[] = [];
      for (const { project, subject, record } of receipts) {
        const request = administrationRequest("cli", { project, subject, record });
        answers.push(await administer(perform, repeatErasure, request));
      }
      return answers;
    } finally {
      await close();
    }
  } finally {
    locked.release();
  }
}

/** @throws Error that says what to do */
function requireSigningKey(
  { folder, manifest: { auditKey: inUse } }: UnpackedBackup,
  { auditKey }: Pick<Config, "auditKey">,
): void {
  const found = findSigningKey(folder, auditKey);
  if (found !== null && (inUse === null || isTheKey(folder, found, inUse))) return;
  const what = found === null ? "the backup does not contain it" : `${auditKey} has another key`;
  throw new Error(
    `The erasures must be signed with the signing key of this ledger${inUse === null ? "" : ` (verifier key ${inUse})`}, but ${what}. Give its file with --audit-key FILE. Nothing was restored.`,
  );
}
