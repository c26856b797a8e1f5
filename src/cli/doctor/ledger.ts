// Owns the checks of `memledger doctor` on the ledger: schema, pages, newest records, checkpoints, signing key, clock. Each returns its
// result, or throws an Error. Must never change the data that it checks.

import { statSync } from "node:fs";
import type { RecentFinding } from "../../calls/storage/ledger-verifier.ts";
import { ledgerVerifier } from "../../engines/engines.ts";
import { clockBehindMs } from "../../platform/limits.ts";
import { counted } from "../../platform/text/plural.ts";
import { quoteWord } from "../../platform/text/shell-word.ts";
import { createClock } from "../../platform/time/clock.ts";
import { toTimestamp } from "../../platform/time/timestamp.ts";
import {
  isDatabaseMissing,
  refuseLostDatabase,
  refuseOlderDatabase,
} from "../../server/data-directory/lost-database.ts";
import { findKeyInUse, isTheKey } from "../../server/ledger/ledger.ts";
import { ownKeyPath, readSigningKey, readVerifierKeys } from "../../server/ledger/ledger-files.ts";
import { readNewestCheckpoints } from "../../server/ledger/ledger-notes.ts";
import { findLostNotes } from "../../server/ledger/lost-notes.ts";
import { gatherEvidence } from "../audit/evidence.ts";
import type { CheckedDirectory } from "./environment.ts";

/** Every open compares the schema. */
export async function checkDatabase(checked: CheckedDirectory): Promise<string> {
  await refuseLostDatabase(checked);
  if (await isDatabaseMissing(checked)) return "not created yet";
  const { engine } = checked;
  const { format, projects, keys, superseded } = await engine.inspect();
  const damage = await engine.findDamage();
  if (damage.length > 0) {
    throw new Error(
      `The database file is damaged. ${engine.name} reports: ${damage.join("; ")}. Copy the data directory to another place, then restore the last backup.`,
    );
  }
  const inactive =
    superseded === 0
      ? ""
      : `. ${counted(superseded, "memory is", "memories are")} inactive because of newer ones: memledger memory reactivate lists them for each project`;
  return `pages and schema intact, format ${format}, ${counted(projects.length, "project")}, ${counted(keys, "key")}${inactive}`;
}

const noPublicKey =
  "audit.pub is missing, so signatures cannot be checked. Restore it from a backup, or start the server, which writes it again from the audit key.";

/** Verifies the newest records of each chain. @throws Error with the first failure */
export async function verifyRecent({ directory }: CheckedDirectory): Promise<RecentFinding> {
  const evidence = gatherEvidence(
    { kind: "database", path: directory.database },
    { publicKey: null, checkpoints: [] },
  );
  const { reader, checkpoints, roots } = evidence;
  if (reader === null) {
    throw new Error(noPublicKey);
  }
  const finding = await ledgerVerifier.verifyRecent({ path: directory.database, reader, checkpoints, roots });
  const { failure, contradiction } = finding.report;
  if (failure !== null) {
    const place = failure.seq === null ? "The ledger" : `Record ${failure.seq} of chain ${failure.chain}`;
    throw new Error(
      `${place} failed the check "${failure.check}": ${failure.message}. ${nextStep(directory.root)}`,
    );
  }
  if (contradiction !== null) throw new Error(`${contradiction.message}. ${nextStep(directory.root)}`);
  return finding;
}

function nextStep(root: string): string {
  return `Do not change or delete files in the data directory. Run: memledger audit verify --data-dir ${quoteWord(root)}`;
}

export function describeRecent({ report, olderRecords }: RecentFinding): string {
  const { records, chains } = report;
  const which = olderRecords === 0 ? "all" : "the newest";
  return `${which} ${counted(records, "record")} of ${counted(chains.length, "chain")} verified`;
}

export async function checkCheckpoints(checked: CheckedDirectory): Promise<string> {
  const { root } = checked.directory;
  const keys = readVerifierKeys(root);
  const published = readNewestCheckpoints(root, keys);
  await checked.engine.withLedger("read", async (ledger) => {
    if (keys.length === 0 && (await ledger.findKey()).newestNote !== null) throw new Error(noPublicKey);
    refuseOlderDatabase(checked, await ledger.findMissingRecords(published));
    const [lost] = await findLostNotes(ledger, root, keys);
    if (lost !== undefined) {
      throw new Error(
        `${lost.path} lacks ${counted(lost.notes.length, "signed note")} that the database contains. The file was removed or changed, or a server was killed before it wrote the notes. If the file exists, copy it to another place. Then start the server, which appends the missing notes. Find out who can write to this folder.`,
      );
    }
  });
  return published.length === 0
    ? "none yet"
    : `the newest checkpoint of ${counted(published.length, "chain")} matches the database`;
}

export async function checkKey({ directory: { root }, engine, auditKey }: CheckedDirectory): Promise<string> {
  const path = auditKey ?? ownKeyPath(root);
  const found = readSigningKey(
    path,
    `Restore it from a backup, or set its path with --audit-key FILE. If the key is lost, change it: memledger audit rotate-key --former-key-lost --data-dir ${quoteWord(root)}`,
  );
  const inUse = await engine.withLedger("read", (ledger) => findKeyInUse(ledger, root, found.verifierKey));
  if (inUse !== null && !isTheKey(root, found, inUse)) {
    throw new Error(
      `${path} is not the key that signs this ledger (verifier key ${inUse}). Restore the right key from a backup, or set its path with --audit-key FILE.`,
    );
  }
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) {
    throw new Error(
      `${path} is accessible to other users. Remove their access: chmod 600 ${quoteWord(path)}`,
    );
  }
  return "the signing key of this ledger, readable only by its owner";
}

export function checkClock({ newestAt }: RecentFinding): string {
  const now = createClock().now();
  if (newestAt !== null && newestAt - now > clockBehindMs) {
    throw new Error(
      `The newest audit record is from ${toTimestamp(newestAt)}, but the system clock shows ${toTimestamp(now)}: the clock is wrong now, or it was wrong when the record was written. Until the clock passes the time of that record, new records get that time. Correct the clock.`,
    );
  }
  return toTimestamp(now);
}

/** What only `doctor --fix` examines. */
export const embeddingsOfSearches = "the vectors and the keyword index of searches";

/** What the checks do not cover, even if all of them passed. */
export function notVerified(
  { directory }: CheckedDirectory,
  recent: RecentFinding | null,
): readonly string[] {
  const older = recent?.olderRecords ?? 0;
  const dataDir = quoteWord(directory.root);
  return [
    ...(older === 0
      ? []
      : [`${counted(older, "older audit record")}: memledger audit verify --data-dir ${dataDir}`]),
    `whether a holder of the signing key rewrote the ledger: memledger audit verify --data-dir ${dataDir} --checkpoint FILE, with a checkpoint that was kept outside the server`,
    `${embeddingsOfSearches}: stop the server, then memledger doctor --fix --data-dir ${dataDir}`,
    "the files of exports",
  ];
}
