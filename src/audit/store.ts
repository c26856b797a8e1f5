// Owns what the ledger needs from a storage engine.

import type { Project } from "../access/project.ts";
import type { Checkpoint } from "./checkpoint.ts";
import type { KeyRotation } from "./key-rotation.ts";
import type { ChainEntry, RecordDraft, StoredRecord } from "./record.ts";
import type { ChainReport } from "./verify/verdict.ts";

export interface RecordQuery {
  /** Milliseconds; records from this time on, and up to the other, both included. Null: no limit. */
  readonly from: number | null;
  readonly to: number | null;
  readonly action: string | null;
  readonly keyId: string | null;
  readonly memoryId: string | null;
  /** First digit of the HTTP status. */
  readonly statusClass: 2 | 4 | 5 | null;
  readonly limit: number;
  /** Seq of the newest record to show; null: the newest of the chain. */
  readonly through: number | null;
  /** Records that match where they were counted before; null: count them. */
  readonly total: number | null;
  /** Records to skip, or the position below which to go on. */
  readonly after: { readonly skip: number } | { readonly below: number };
}

export interface RecordPage {
  /** Newest first. */
  readonly records: readonly StoredRecord[];
  readonly total: number;
  /** Seq up to which records were looked at; they need not match. */
  readonly through: number;
  /** Whether older matching records follow. */
  readonly hasMore: boolean;
}

/** Where a record is, for an erasure. */
export interface RecordLocation {
  /** Id; null: the installation. */
  readonly project: string | null;
  readonly seq: number;
  readonly id: string;
  readonly action: string;
  /** Whether its payload is still there. */
  readonly hasPayload: boolean;
}

/** A verification from the beginning of a chain, continued with the records that arrive after it was completed. */
export interface VerificationRound {
  /** The first record that it checked; those before were removed by retention. */
  readonly fromSeq: number;
  /** The newest record that it checked. */
  readonly throughSeq: number;
  readonly startedAt: number;
  /** When it first reached the newest record without a failure; null: not yet. */
  readonly completedAt: number | null;
}

export interface Verification {
  /** What this run checked up to now; null: the project has no chain yet. */
  readonly report: ChainReport | null;
  /** Whether the run has reached the newest record; otherwise it continues in the background. */
  readonly isComplete: boolean;
  readonly round: VerificationRound | null;
  /** When a round was last completed without a failure; null: not since the start of the server. */
  readonly lastCompleteAt: number | null;
}

export interface RecordsWithText {
  readonly places: readonly RecordLocation[];
  /** Up to where payloads were read, over all chains. */
  readonly through: number;
}

/** `signal` as of MemoryReader. */
export interface AuditReader {
  list(project: Project, query: RecordQuery, signal: AbortSignal): Promise<RecordPage>;
  /** Null when the project has no such record. */
  find(project: Project, id: string, signal: AbortSignal): Promise<StoredRecord | null>;
  /** The record with this id in any chain. */
  place(id: string): Promise<RecordLocation | null>;
  /** Every record whose payload holds this text; reads all payloads, so it takes its time. */
  findText(text: string): Promise<RecordsWithText>;
  /**
   * Checks the project's chain: all of it once after the start of the server and once a day, and the new records otherwise. Answers
   * within bounded time; a run that needs longer continues in the background, and later callers join it.
   */
  verify(project: Project): Promise<Verification>;
}

/** What a sweep of retention did with one chain. */
export interface RetentionResult {
  readonly chain: string;
  /** Null: the installation. */
  readonly project: string | null;
  /** Records that were removed. */
  readonly records: number;
  /** Payloads that were removed from records that are still there. */
  readonly payloads: number;
  /** Where the chain begins now; null: at its first record. */
  readonly anchoredThrough: number | null;
  /** Why records that are too old are still there; null: there are none. */
  readonly skipped: string | null;
}

export interface Retention {
  /**
   * Removes what is too old, in steps between calls, so it may take minutes.
   * @returns the chains that it changed, and those that it had to skip.
   * @throws Refusal 1503 when it could not be completed.
   */
  sweep(): Promise<readonly RetentionResult[]>;
}

export interface SignedCheckpoint {
  readonly checkpoint: Checkpoint;
  /** The checkpoint as a signed note. */
  readonly note: string;
  readonly verifierKey: string;
}

export interface AuditTransaction {
  /** Appends a record to the chain of `draft.project`, or to the installation's chain when it is null. */
  append(draft: RecordDraft): Promise<ChainEntry>;
  /** How many records of the project's chain retention could remove now, if it kept those from `before` on: never the newest. */
  countOlder(project: Project, before: number): Promise<number>;
  /** Signs a checkpoint of the project's chain as it is now. */
  signCheckpoint(project: RecordLocation["project"], now: number): Promise<SignedCheckpoint>;
  /** The same of every chain, the installation's included. */
  signAllCheckpoints(now: number): Promise<readonly SignedCheckpoint[]>;
  /** Records after `through` whose payload holds this text: those that were appended since they were looked for. */
  findTextAfter(text: string, through: number): Promise<readonly RecordLocation[]>;
  /**
   * Deletes the payloads of records. The caller appends the record that says so, and leaves `erase_remains` and
   * `remove_expired_exports` for after the commit. Exports that hold the records expire now: nobody can download them any more.
   * @returns these exports.
   */
  erase(places: readonly RecordLocation[]): Promise<readonly string[]>;
  /**
   * Notes that the successor is the key in use from here on.
   * @returns false, with nothing changed, when the former key is not in use, or the successor is not what this process signs with.
   */
  adoptKey(rotation: KeyRotation): boolean;
}
