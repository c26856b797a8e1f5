// Owns the interface for verifying the ledger of a database or of its copy as evidence. An implementation writes nothing, and needs no
// server, no network, no data directory and no native library.

import type { KnownCheckpoint, KnownRoot } from "../../audit/verify/checkpoint-comparison.ts";
import type { NoteReader } from "../../audit/verify/note-reader.ts";
import type { Failure, Report } from "../../audit/verify/verdict.ts";

export interface StampedNote {
  /** Number of records that the checkpoint covers. */
  readonly size: number;
  readonly note: string;
  /** Base64 of the token. */
  readonly timestamp: string;
}

export interface StoredEntries extends Disposable {
  /** Seq of the newest record, and of the last one that an anchor says was removed; 0: there is none. */
  extent(chain: string): { readonly newest: number; readonly removed: number };
  find(chain: string, seq: number): { readonly entry: string; readonly hash: string } | null;
}

export interface LedgerVerifier {
  /** Verifies all records. @throws UnusableInput */
  verify(options: LedgerVerification): Promise<Report>;
  /** The notes of a database with the lines of witnesses, not verified. @throws UnusableInput */
  cosignedNotes(path: string): readonly string[];
  /** Of each chain the newest note of a database that has a time stamp, not verified. @throws UnusableInput */
  stampedNotes(path: string): readonly StampedNote[];
  /** The entries of a database, not verified; null: it has another schema. @throws UnusableInput */
  storedEntries(path: string): StoredEntries | null;
  /** Verifies the newest records of each chain with the same checks, within seconds. @throws UnusableInput */
  verifyRecent(options: RecentVerification): Promise<RecentFinding>;
}

export interface LedgerVerification {
  /** The database: a path. */
  readonly path: string;
  /** Null: there is no key; then the database must have no signatures. */
  readonly reader: NoteReader | null;
  /** From the data directory and from elsewhere, with valid signatures. */
  readonly checkpoints: readonly KnownCheckpoint[];
  /** The same of version 2. */
  readonly roots: readonly KnownRoot[];
  /** Id or name of the one project to verify; null: everything. */
  readonly project: string | null;
  readonly remarks: readonly string[];
  /** A failure about supplied notes that no key signed. */
  readonly refusedOutside: Failure | null;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface RecentVerification {
  readonly path: string;
  readonly reader: NoteReader;
  /** From the data directory, with valid signatures. */
  readonly checkpoints: readonly KnownCheckpoint[];
  /** The same of version 2. */
  readonly roots: readonly KnownRoot[];
}

export interface RecentFinding {
  readonly report: Report;
  /** Number of records that are older than the verified ones. */
  readonly olderRecords: number;
  /** Milliseconds since 1970; null: there is no record. */
  readonly newestAt: number | null;
}
