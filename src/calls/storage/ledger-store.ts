// Owns the interface that the ledger needs from a storage engine.

import type { Project } from "../../access/project.ts";
import type { ListedCheckpoint, SignedCheckpoint } from "../../audit/checkpoint.ts";
import type { ChainEntry, ProvableRecord, RecordDraft, StoredRecord } from "../../audit/record.ts";
import type { RecordFilter } from "../../audit/record-filter.ts";
import type { ReportStatement } from "../../audit/report/statement.ts";
import type {
  RecordLocation,
  RecordPlace,
  Trace,
  TracedRecord,
  TracedRecords,
} from "../../audit/trace/traced.ts";
import type { ConsistencyProof, InclusionProof } from "../../audit/tree-proof.ts";
import type { KeyRotation } from "../../audit/verify/rotations.ts";
import type { ChainReport } from "../../audit/verify/verdict.ts";
import type { AttestationStore } from "./attestation-store.ts";

export interface RecordQuery extends RecordFilter {
  /** Milliseconds; records from this time on, and up to the other, both included. Null: no limit. */
  readonly from: number | null;
  readonly to: number | null;
  /** Null or left out: none. */
  readonly hidden?: HiddenReads | null;
  readonly limit: number;
  /** Seq of the newest record to show; null: the newest of the chain. */
  readonly through: number | null;
  /** Number of matching records if it is known; null: count them. */
  readonly total: number | null;
  /** Number of records to skip, or the seq below which the page begins. */
  readonly after: { readonly skip: number } | { readonly below: number };
}

/** Successful records of these actions with these keys are left out. */
export interface HiddenReads {
  readonly keyIds: readonly string[];
  readonly actions: readonly string[];
}

export interface RecordPage {
  /** Newest first. */
  readonly records: readonly StoredRecord[];
  readonly total: number;
  /** Newest seq that was read; that record need not match. */
  readonly through: number;
  /** Whether older matching records follow. */
  readonly hasMore: boolean;
}

/** Numbers of a chain. */
export interface LedgerStatistics {
  readonly records: number;
  /** Null: there is no record. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  /** 0: there is none. */
  readonly headSeq: number;
  readonly headHash: string | null;
  /** Of entries and payloads as they are stored, estimated. */
  readonly bytes: number;
}

/** Which records may say something about a memory. */
export interface MentionQuery {
  readonly memoryId: string;
  /** Records of these actions are found whose entry names the memory. */
  readonly naming: readonly string[];
  /** Records of these actions are read, and found if their payload contains the id. */
  readonly mentioning: readonly string[];
  /** Every record of this action is found; null: none. */
  readonly always: string | null;
  /** Records with these keys are left out. */
  readonly withoutKeys: readonly string[];
  /** Milliseconds; only records from this time on. Null: all. */
  readonly from: number | null;
  /** Only records below this seq; null: the newest first. */
  readonly below: number | null;
}

export interface Mentions {
  /** Newest first. */
  readonly records: readonly StoredRecord[];
  /** All records from this seq on were considered; null: all older ones were, too. */
  readonly below: number | null;
}

/** A verification from the beginning of a chain, continued with the records that arrive after it was completed. */
export interface VerificationRound {
  /** The first record that was checked; retention has removed the records before it. */
  readonly fromSeq: number;
  /** The newest record that was checked. */
  readonly throughSeq: number;
  readonly startedAt: number;
  /** When it first reached the newest record without a failure; null: not yet. */
  readonly completedAt: number | null;
}

export interface Verification {
  /** The result of this run so far; null: the project has no chain yet. */
  readonly report: ChainReport | null;
  /** Whether the run has reached the newest record; otherwise it continues in the background. */
  readonly isComplete: boolean;
  readonly round: VerificationRound | null;
  /** When a round was last completed without a failure; null: not since the start of the server. */
  readonly lastCompleteAt: number | null;
}

/** A project, deleted or not; null: the installation. */
export type ChainOwner = Pick<Project, "id"> | null;

/** `signal` works as in MemoryReader. */
export interface AuditReader {
  list(project: ChainOwner, query: RecordQuery, signal: AbortSignal): Promise<RecordPage>;
  /** `from`: only records from this time on; null: all. Never reads all records. */
  statistics(project: ChainOwner, from: number | null, signal: AbortSignal): Promise<LedgerStatistics>;
  /**
   * Stored checkpoints of the chain, newest first.
   * @param query `below`: only those of a smaller size; null: all
   */
  checkpoints(
    project: ChainOwner,
    query: { readonly below: number | null; readonly limit: number },
    signal: AbortSignal,
  ): Promise<readonly ListedCheckpoint[]>;
  /** Null when the project has no such record. */
  find(project: ChainOwner, id: string, signal: AbortSignal): Promise<ProvableRecord | null>;
  /** Proves a record with the largest checkpoint of version 2 that others have attested, or else the newest. Null: none covers it. */
  proveInclusion(project: ChainOwner, seq: number, signal: AbortSignal): Promise<InclusionProof | null>;
  /** Proves that the tree of the chain with the size `to` continues the one with the size `from`, which is not larger. */
  proveConsistency(
    project: ChainOwner,
    sizes: { readonly from: number; readonly to: number },
    signal: AbortSignal,
  ): Promise<ConsistencyProof>;
  /** For each JSON pointer, the index of the part of the record that has its value. Empty: version 1, or without a payload. */
  partsAt(
    project: ChainOwner,
    id: string,
    pointers: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly number[]>;
  /** One step of a search that reads a limited number of payloads. */
  mentions(project: ChainOwner, query: MentionQuery, signal: AbortSignal): Promise<Mentions>;
  /** The record with this id in any chain. */
  place(id: string): Promise<RecordPlace | null>;
  /** Reads all payloads twice, because a record can hold a text that only a later one tells. May take minutes. */
  trace(trace: Trace): Promise<TracedRecords>;
  /**
   * A text that is another one after every erasure that is committed and can concern calls of this project, whatever it erased: one of
   * the project (id), or one that the installation has recorded. null: of any project. Compare it for equality only. Waits for no turn:
   * it takes microseconds.
   */
  erasures(project: string | null): Promise<string>;
  /**
   * Checks a chain: all of it once after the start of the server and once a day, and the new records otherwise. Answers
   * within bounded time; a run that needs longer continues in the background, and later callers join it.
   */
  verify(project: ChainOwner): Promise<Verification>;
}

/** The result of retention for one chain. */
export interface RetentionResult {
  readonly chain: string;
  /** Null: the installation. */
  readonly project: string | null;
  /** Number of removed records. */
  readonly records: number;
  /** Number of payloads removed from records that remain. */
  readonly payloads: number;
  /** The newest removed record of the chain; null: none was ever removed. */
  readonly anchoredThrough: number | null;
  /** Why records that are too old were not removed; null: there are none. */
  readonly skipped: string | null;
}

export interface Retention {
  /**
   * Removes records and payloads that are too old, in steps between calls, so it may take minutes.
   * @returns the chains that it changed, and those that it skipped.
   * @throws Refusal 1503 when it was not completed.
   */
  run(): Promise<readonly RetentionResult[]>;
}

/** Records that another program has appended, or that replace others. */
export interface AcceptedHead {
  readonly chain: string;
  /** Id; null: the installation. */
  readonly project: string | null;
  /** Number of records that the newest checkpoint up to here covers; 0: there is none. */
  readonly covered: number;
  /** The newest record. */
  readonly newest: number;
  readonly hash: string;
}

/** What an erasure has removed. */
export interface Erasure {
  /** Those of which something was left to erase, each with the parts that were not erased before. */
  readonly records: readonly TracedRecord[];
  /** Ids of the exports that contain them. */
  readonly exports: readonly string[];
}

export interface AuditTransaction {
  /** Appends a record to the chain of `draft.project`, or to the installation's chain when it is null. */
  append(draft: RecordDraft): Promise<ChainEntry>;
  /** Number of records of the project's chain that are older than `before` and could be removed: never the newest. */
  countOlder(project: Project, before: number): Promise<number>;
  /** Signs a checkpoint of the current state of the project's chain. */
  signCheckpoint(project: RecordLocation["project"], now: number): Promise<SignedCheckpoint>;
  /**
   * The hashes beside the path from a record to the root of the tree of its chain, as the chain is now, from the leaf up.
   * @throws Error for a record that the chain does not have
   */
  proveInclusion(
    project: RecordLocation["project"],
    seq: number,
    now: number,
  ): Promise<readonly Uint8Array[]>;
  /** As signCheckpoint for every chain, including that of the installation. */
  signAllCheckpoints(now: number): Promise<readonly SignedCheckpoint[]>;
  /** As AttestationStore.add, in this transaction. */
  addAttestation: AttestationStore["add"];
  /** The signed note of a report. */
  signReport(statement: ReportStatement): Promise<string>;
  /** Signs the heads of the chains that are due for a checkpoint. */
  signDueCheckpoints(now: number): Promise<void>;
  /** Records after `through` that hold the text: those that were appended after AuditReader.trace. */
  traceAfter(found: Pick<TracedRecords, "trace" | "through">): Promise<readonly TracedRecord[]>;
  /**
   * From here on, the server continues and signs chains that another program has changed: it signs a checkpoint of each of them.
   * @param lossOf ids of chains that lack records which a checkpoint elsewhere covers: they are accepted, too
   * @returns the chains that it had refused to continue, and the identifier that the record of the call must have
   */
  acceptHeads(
    now: number,
    lossOf?: readonly string[],
  ): Promise<{ readonly accepted: readonly AcceptedHead[]; readonly recordId: string }>;
  /** As AuditReader.erasures, with the erasures of this transaction. */
  erasures(project: string | null): Promise<string>;
  /**
   * Deletes payloads of records or parts of them, and what exchanges that have no record yet have said. The caller appends the record of the
   * erasure, and requests `remove_erased_text` and `remove_expired_exports` after the commit. Exports that contain the records expire immediately
   * and cannot be downloaded any more.
   */
  erase(held: readonly TracedRecord[]): Promise<Erasure>;
  /**
   * Records that the successor is the current key from now on, and signs a checkpoint of every head with it, and with the previous key unless
   * that is lost.
   * @returns false, without a change, when the previous key is not the current one or this process does not sign with the successor.
   */
  adoptKey(rotation: KeyRotation, now: number): Promise<boolean>;
}
