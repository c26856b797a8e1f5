// Owns what a start of the server does about a ledger whose database is missing or older than its checkpoints: refuses, or does
// what the operator has decided. Never decides it for them.

import { acceptOlderDatabase } from "../audit/accept-older-database.ts";
import type { Perform } from "../calls/perform.ts";
import { toTimestamp } from "../clock.ts";
import type { Logger } from "../log/logger.ts";
import { administer } from "./first-start.ts";
import { type OpenLedger, openLedger } from "./ledger.ts";
import {
  type DatabasePlace,
  refuseExistingDatabase,
  refuseOlderDatabase,
  setFormerAside,
  setNotesAside,
  wasKilled,
} from "./lost-database.ts";
import { findLostNotes, restoreLostNotes } from "./lost-notes.ts";

/** What the operator says about a database that is missing or old; null: nothing, so it is refused. */
export type LedgerDecision = "new-installation" | "restored-backup" | null;

export interface StartOptions {
  readonly auditKey: string | null;
  readonly decision: LedgerDecision;
  readonly now: number;
  readonly logger: Logger;
}

/** @throws Error that names the choices. */
export async function openLedgerAtStart(
  held: DatabasePlace,
  { auditKey, decision, now, logger }: StartOptions,
): Promise<OpenLedger> {
  if (await wasKilled(held)) {
    logger.info("the last server was not stopped in order; the database file is checked before it is used");
  }
  if (decision === "new-installation") {
    await refuseExistingDatabase(held);
    const folder = await setFormerAside(held, now);
    if (folder !== null) logger.warn("the files of the former installation were moved", { folder });
  }
  const ledger = await openLedger(held, auditKey);
  if (decision !== "restored-backup") refuseOlderDatabase(held, ledger.missing);
  else if (ledger.missing.length === 0) {
    throw new Error(
      "The database has everything that the checkpoints beside it attest, so there is no loss to accept. Leave out --restored-backup.",
    );
  }
  // Where checkpoints contradict the database, their files stay as they are until they are moved.
  if (ledger.missing.length === 0) await restoreNotes(held, ledger, logger);
  return ledger;
}

/** Auditors and the next start need the notes outside of the database, too. */
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
    const message = "signed notes were missing in a file and were appended to it from the database";
    logger.warn(message, { file: path, notes: notes.length });
  }
}

/** Records the loss that the operator has accepted, then moves the checkpoints that attest what is lost. */
export async function acceptMissing(
  { directory }: DatabasePlace,
  { missing }: OpenLedger,
  perform: Perform,
  { now, logger }: Pick<StartOptions, "now" | "logger">,
): Promise<void> {
  if (missing.length === 0) return;
  const checkpoints = missing.map(({ checkpoint: { chain, size, at, note }, newest }) => ({
    ...{ chain, size, created_at: toTimestamp(at), newest, note },
  }));
  await administer(perform, acceptOlderDatabase, { checkpoints });
  const files = missing.map(({ checkpoint }) => checkpoint.file);
  const folder = setNotesAside(directory.root, files, now);
  logger.warn("an older copy of the database was accepted; checkpoints that contradict it were moved", {
    folder,
    chains: missing.length,
  });
}
