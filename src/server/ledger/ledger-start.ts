// Owns what the start of the server does when the database is missing or older than its checkpoints: it refuses to start, or does what
// the operator has chosen. Must never choose itself.

import { acceptOlderDatabase } from "../../calls/operations/ledger/accept-older-database.ts";
import type { Perform } from "../../calls/perform.ts";
import type { Logger } from "../../platform/log/logger.ts";
import { toTimestamp } from "../../platform/time/timestamp.ts";
import { administer, administrationRequest } from "../data-directory/administration.ts";
import {
  type DatabasePlace,
  moveNotes,
  movePreviousFiles,
  refuseExistingDatabase,
  refuseOlderDatabase,
  wasKilled,
} from "../data-directory/lost-database.ts";
import { type OpenLedger, openLedger } from "./ledger.ts";
import { findLostNotes, restoreLostNotes } from "./lost-notes.ts";

/** The choice of the operator for a missing or older database; null: none, so the start is refused. */
export type LedgerDecision = "new-installation" | "restored-backup" | null;

interface StartOptions {
  readonly auditKey: string | null;
  readonly decision: LedgerDecision;
  readonly now: number;
  readonly logger: Logger;
}

/** @throws Error that says what to do */
export async function openLedgerAtStart(
  place: DatabasePlace,
  { auditKey, decision, now, logger }: StartOptions,
): Promise<OpenLedger> {
  if (await wasKilled(place)) {
    logger.info("the last server was not shut down cleanly; the database is checked first");
  }
  if (decision === "new-installation") {
    await refuseExistingDatabase(place);
    const folder = await movePreviousFiles(place, now);
    if (folder !== null) logger.warn("the files of the previous installation were moved", { folder });
  }
  const ledger = await openLedger(place, auditKey);
  if (decision !== "restored-backup") refuseOlderDatabase(place, ledger.missing);
  else if (ledger.missing.length === 0) {
    throw new Error(
      "The database contains all records that its checkpoints cover, so there is no loss to accept. Remove --restored-backup.",
    );
  }
  // Files with checkpoints that do not match the database are not changed: they will be moved.
  if (ledger.missing.length === 0) await restoreNotes(place, ledger, logger);
  // The copy may have been made before the key was changed. The record of the loss is that of the acceptance, too.
  return decision === "restored-backup"
    ? { ...ledger, files: { ...ledger.files, acceptsHeads: true } }
    : ledger;
}

/** Auditors, and the next start, need the notes in files as well. */
async function restoreNotes(
  { directory, engine }: DatabasePlace,
  { files }: OpenLedger,
  logger: Logger,
): Promise<void> {
  const lost = await engine.withLedger("read", (ledger) =>
    findLostNotes(ledger, directory.root, files.verifierKeys),
  );
  restoreLostNotes(lost);
  for (const { path, notes } of lost) {
    const message = "signed notes were missing in a file and were restored from the database";
    logger.warn(message, { file: path, notes: notes.length });
  }
}

/** Records the loss that the operator has accepted, then moves the checkpoints of the lost records and writes those of the database. */
export async function acceptMissing(
  place: DatabasePlace,
  { missing, files: { verifierKeys } }: OpenLedger,
  perform: Perform,
  { now, logger }: Pick<StartOptions, "now" | "logger">,
): Promise<void> {
  if (missing.length === 0) return;
  const checkpoints = missing.map(({ checkpoint, size, newest }) => ({
    chain: checkpoint.chain,
    size,
    created_at: "at" in checkpoint ? toTimestamp(checkpoint.at) : null,
    newest,
    note: checkpoint.note,
  }));
  await administer(perform, acceptOlderDatabase, administrationRequest("server", { checkpoints }));
  const { root } = place.directory;
  const files = missing.map(({ checkpoint }) => checkpoint.file);
  const folder = moveNotes(root, files, now);
  // Those of the acceptance, too.
  restoreLostNotes(
    await place.engine.withLedger("read", (ledger) => findLostNotes(ledger, root, verifierKeys)),
  );
  logger.warn("an older database was accepted; checkpoints that do not match it were moved", {
    folder,
    chains: missing.length,
  });
}
