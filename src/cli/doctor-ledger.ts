// Owns the checks of `memledger doctor` that concern the database and what it proves: schema, pages, newest records, checkpoints, signing
// key, clock. Each returns what it found, or throws what is wrong. Must never change what it examines.

import { statSync } from "node:fs";
import { createClock, toTimestamp } from "../clock.ts";
import { findKeyInUse, isTheKey } from "../data-directory/ledger.ts";
import { ownKeyPath, readSigningKey, readVerifierKeys } from "../data-directory/ledger-files.ts";
import { readNewestCheckpoints } from "../data-directory/ledger-notes.ts";
import {
  isDatabaseMissing,
  refuseLostDatabase,
  refuseOlderDatabase,
} from "../data-directory/lost-database.ts";
import { findLostNotes } from "../data-directory/lost-notes.ts";
import { clockBehindMs } from "../limits.ts";
import { openReading } from "../storage/sqlite/database-file/connection.ts";
import { findDamage, inspect } from "../storage/sqlite/database-file/inspect.ts";
import { findMissingRecords } from "../storage/sqlite/ledger/missing-records.ts";
import { type RecentFinding, verifyRecentRecords } from "../storage/sqlite/verify/recent-records.ts";
import { counted } from "../text/plural.ts";
import { quoteWord } from "../text/shell-word.ts";
import { gatherEvidence } from "./audit-evidence.ts";
import type { Examined } from "./doctor-environment.ts";

/** Its schema is compared whenever it is opened. */
export function checkDatabase({ directory, runtime }: Examined): string {
  refuseLostDatabase(directory);
  if (isDatabaseMissing(directory)) return "not created yet";
  const file = { path: directory.database, runtime };
  const { format, projects, keys } = inspect(file);
  const damage = findDamage(file);
  if (damage.length > 0) {
    throw new Error(
      `The database file is damaged. SQLite reports: ${damage.join("; ")}. Keep a copy of the data directory and restore the last backup.`,
    );
  }
  return `pages and schema intact, format ${format}, ${counted(projects.length, "project")}, ${counted(keys, "key")}`;
}

/** Verifies the newest records of each chain. @throws Error that names the first failure */
export function verifyRecent({ directory }: Examined): RecentFinding {
  const evidence = gatherEvidence(
    { kind: "database", path: directory.database },
    { publicKey: null, checkpoints: [] },
  );
  if (evidence.reader === null) {
    throw new Error(
      "audit.pub is missing, so no signature can be checked. Restore it from a backup, or start the server once, which writes it again from the audit key.",
    );
  }
  const finding = verifyRecentRecords({ ...evidence, path: directory.database, reader: evidence.reader });
  const { failure, contradiction } = finding.report;
  if (failure !== null) {
    const place = failure.seq === null ? "The ledger" : `Record ${failure.seq} of chain ${failure.chain}`;
    throw new Error(
      `${place} fails the check "${failure.check}": ${failure.message}. ${keepIt(directory.root)}`,
    );
  }
  if (contradiction !== null) throw new Error(`${contradiction.message}. ${keepIt(directory.root)}`);
  return finding;
}

function keepIt(root: string): string {
  return `Keep the data directory as it is, and run: memledger audit verify --data-dir ${quoteWord(root)}`;
}

export function describeRecent({ report, olderRecords }: RecentFinding): string {
  const { records, chains } = report;
  const which = olderRecords === 0 ? "all" : "the newest";
  return `${which} ${counted(records, "record")} of ${counted(chains.length, "chain")} verified`;
}

export function checkCheckpoints({ directory, runtime }: Examined): string {
  const keys = readVerifierKeys(directory.root);
  const published = readNewestCheckpoints(directory.root, keys);
  const database = openReading({ path: directory.database, runtime });
  try {
    refuseOlderDatabase(directory, findMissingRecords(database, published));
    const [lost] = findLostNotes(database, directory.root, keys);
    if (lost !== undefined) {
      throw new Error(
        `${lost.path} lacks ${counted(lost.notes.length, "signed note")} that the database has: the file was removed or changed, or a server was killed before it wrote them. Copy it to another place if it is there, and start the server, which appends what is missing. Find out who can write here.`,
      );
    }
  } finally {
    database.close();
  }
  return published.length === 0
    ? "none yet"
    : `the newest ones beside the database, of ${counted(published.length, "chain")}, agree with it`;
}

export function checkKey({ directory, runtime, auditKey }: Examined): string {
  const path = auditKey ?? ownKeyPath(directory.root);
  const found = readSigningKey(path);
  const database = openReading({ path: directory.database, runtime });
  try {
    const inUse = findKeyInUse(database, directory.root, found.verifierKey);
    if (inUse !== null && !isTheKey(directory.root, found, inUse)) {
      throw new Error(
        `${path} is not the key that has signed this ledger (verifier key ${inUse}). Restore that one from a backup, or name its file with --audit-key FILE.`,
      );
    }
  } finally {
    database.close();
  }
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) {
    throw new Error(`${path} is accessible to other users. Close it: chmod 600 ${quoteWord(path)}`);
  }
  return "signs this ledger, accessible to its owner only";
}

export function checkClock({ newestAt }: RecentFinding): string {
  const now = createClock().now();
  if (newestAt !== null && newestAt - now > clockBehindMs) {
    throw new Error(
      `The newest audit record is from ${toTimestamp(newestAt)}, but the system clock shows ${toTimestamp(now)}: the clock is wrong now, or was wrong then. New records get the time of that record until the clock reaches it. Correct the clock.`,
    );
  }
  return toTimestamp(now);
}

/** What a person must not read into a healthy answer. */
export function notVerified({ directory }: Examined, recent: RecentFinding | null): readonly string[] {
  const older = recent?.olderRecords ?? 0;
  const dataDir = quoteWord(directory.root);
  return [
    ...(older === 0
      ? []
      : [`${counted(older, "older audit record")}: memledger audit verify --data-dir ${dataDir}`]),
    `whether somebody with the signing key rewrote the ledger: memledger audit verify --data-dir ${dataDir} --checkpoint FILE, with a checkpoint that was kept elsewhere`,
    "the files of exports, and the vectors and words that searches use",
  ];
}
