// Owns what a report says: the types of its JSON (docs/engineer/AUDIT-FORMAT-2.md) and the text that is signed. It has identifiers, names that
// administrators have chosen, times and numbers. Must never have a text of a memory, a message or a query.

import { canonical } from "../../platform/json/hash.ts";
import type { Json, JsonObject } from "../../platform/json/json.ts";

export const reportForm = "memledger-report/1";

/** Months are not a number of days: six months have 181 to 184, and 183 is half of a year. */
export const sixMonthsDays = 183;

/** An operation, and what its records hold. */
export interface LoggedAction {
  readonly action: string;
  readonly summary: string;
  readonly scope: "project" | "installation" | "session";
  readonly effect: "reads" | "adds" | "changes or removes";
  /** Fields of the request that its record does not hold. */
  readonly withheld: readonly string[];
  /** What its record holds of the answer. */
  readonly answer:
    | "recorded"
    | "a secret: not recorded"
    | "audit records: not recorded"
    | "none, or a file: not recorded";
}

/** Calls of one kind in the period. */
export interface ActionCount {
  readonly action: string;
  /** False: clients have appended these records; the server has not performed what they say. */
  readonly performed: boolean;
  readonly succeeded: number;
  readonly refused: number;
}

export interface RefusalCount {
  readonly code: number | null;
  readonly meaning: string;
  readonly count: number;
  /** Of these, attempts to sign in to the console. */
  readonly sign_ins: number;
}

export interface ReportedPlace {
  readonly seq: number;
  readonly id: string;
  readonly at: string;
}

/** A removal by retention, as its signed anchor states it. */
export interface ReportedRemoval {
  readonly at: string;
  readonly through: number;
  readonly count: number;
  readonly first_at: string;
  readonly last_at: string;
  /** Age of the newest removed record, in whole days. */
  readonly youngest_days: number;
  readonly note: string;
}

export interface ReportedAttestation {
  readonly kind: "cosignature" | "timestamp";
  readonly source: string;
  /** Number of records that its newest checkpoint covers. */
  readonly size: number;
  readonly stored_at: string;
  readonly count: number;
}

export interface ReportedVerification {
  readonly verdict: "unattested" | "broken" | "contradicted";
  readonly from_seq: number;
  readonly through_seq: number;
  /** When the check of the whole chain began. */
  readonly started_at: string;
  readonly finding: string | null;
}

export interface ReportedChain {
  readonly chain: string;
  /** Null: the installation. */
  readonly project: { readonly id: string; readonly name: string; readonly deleted_at: string | null } | null;
  /** Days that records are kept; null: without a limit. */
  readonly retention_days: number | null;
  readonly payload_retention_days: number | null;
  readonly removed_through: number;
  readonly first: ReportedPlace | null;
  readonly last: ReportedPlace | null;
  /** Records of the period that were counted, and positions between the first and the last one without a record. */
  readonly records: number;
  readonly missing: number;
  readonly refused: number;
  readonly appended: number;
  readonly checkpoints: number;
  /** Signed with the report. */
  readonly checkpoint: { readonly size: number; readonly signed_at: string; readonly note: string };
  readonly verification: ReportedVerification | null;
  readonly removals: readonly ReportedRemoval[];
  readonly more_removals: number;
  readonly attestations: readonly ReportedAttestation[];
  readonly attested: {
    readonly size: number;
    readonly note: string;
    readonly timestamp: string | null;
  } | null;
}

/** A record of administration. */
export interface ReportedRecord {
  /** Id of the project of its chain; null: the installation. */
  readonly project: string | null;
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly kind: "key" | "backup" | "model" | "erasure" | "other";
  readonly by: string;
  /** What it was about: names and ids of projects, keys and the like. */
  readonly on: string;
  /** Numbers and choices that the call has set. */
  readonly settings: string;
  readonly reason: string | null;
}

export interface ReportedRecords {
  readonly records: readonly ReportedRecord[];
  /** How many older ones of the period are not listed. */
  readonly more: number;
}

export interface ReportedErasure extends ReportedRecord {
  /** Records of which the whole payload was erased, and records of which parts were. */
  readonly whole: number;
  readonly in_part: number;
  /** Pseudonyms that have lost their names. */
  readonly pseudonyms: readonly string[];
}

export interface ReportedModel {
  readonly use: "embedding" | "reranker" | "language model";
  readonly name: string;
  readonly sha256: string | null;
}

export interface Report {
  readonly form: typeof reportForm;
  /** Version of memledger that made it, and made its page. */
  readonly version: string;
  readonly made_at: string;
  /** The chain in whose name it is signed: that of the project, or of the installation. */
  readonly chain: string;
  readonly period: { readonly from: string; readonly to: string };
  readonly project: { readonly id: string; readonly name: string } | null;
  /** Pseudonym of the subject that the counts and erasures are about; null: all. */
  readonly subject: string | null;
  readonly logged: readonly LoggedAction[];
  readonly chains: readonly ReportedChain[];
  readonly more_chains: number;
  readonly actions: readonly ActionCount[];
  readonly refusals: readonly RefusalCount[];
  /** Null: a report about a subject has none. */
  readonly administration: ReportedRecords | null;
  readonly erasures: { readonly records: readonly ReportedErasure[]; readonly more: number };
  readonly models: readonly ReportedModel[] | null;
}

/** A report whose text was parsed has been checked by its signature and by making its page again. */
export function toReport(value: JsonObject): Report | null {
  return value.form === reportForm ? (value as unknown as Report) : null;
}

/** What HTML would read as markup, and what changes the order of characters on a screen. */
const unsafe = /[<>&\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** The text that is signed: RFC 8785, with characters escaped that must not be in a page as they are. One text for each report. */
export function reportText(report: Report): string {
  return safeText(report as unknown as Json);
}

export function safeText(value: Json): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return canonical(value).replace(unsafe, escaped);
}
