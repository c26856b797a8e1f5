// Owns what the two steps of an operation return: the outcome that `prepare` precomputes, and what `apply` has done.

import type { Cost } from "../../access/price.ts";
import type { MadeOfTexts } from "../../audit/parts/made-of.ts";
import type { AppendedRecord, StoredRecord } from "../../audit/record.ts";
import type { Refusal } from "../../platform/errors.ts";
import { isObject, type Json, type JsonObject } from "../../platform/json/json.ts";
import type { AfterCommit } from "../storage/after-commit.ts";
import type { AnswerFile } from "./answer.ts";
import type { PrecomputedEntry } from "./exchange.ts";

export type Applied<Data> = Done<Data> | Appended<Data> | Declined | Confirmed;

/**
 * What `prepare` of an operation that changes nothing can return: the outcome of the call, unless `apply` finds another one. The answer
 * and the payload of the record are then made before the transaction and outside the thread that writes.
 */
export interface Precomputed<Data, Prepared> {
  readonly precomputed: Pick<Done<Data>, "data" | "recorded" | "memoryId" | "details" | "after">;
  /** Of an exchange: what the entry of the record says. Absent: as of every success. */
  readonly entry?: PrecomputedEntry;
  /** What `apply` gets. */
  readonly prepared: Prepared;
}

export function isPrecomputed(prepared: unknown): prepared is Precomputed<unknown, unknown> {
  return isObject(prepared) && "precomputed" in prepared;
}

/** The outcome that `prepare` has precomputed is true in the transaction, too. */
export interface Confirmed {
  readonly confirmed: true;
  readonly after?: undefined;
}

export const confirmed: Confirmed = { confirmed: true };

/** `apply` of an operation whose outcome depends on nothing but what `prepare` has read. */
export async function confirm(): Promise<Confirmed> {
  return confirmed;
}

export interface Done<Data> {
  /** Instead of `success` of the operation; absent: that. */
  readonly status?: 200;
  /** The `data` of the answer; null for 204. */
  readonly data: Data;
  /** What the record stores instead of `data`; absent: `data`. */
  readonly recorded?: Json;
  /** The memory that the audit entry names. */
  readonly memoryId?: string;
  /** The identifier of the record, which the operation has used already; absent: it is made with the record. */
  readonly recordId?: string;
  /** The answer is this file instead of `data`. */
  readonly file?: AnswerFile;
  /** Additional members of the record, beside request and answer. */
  readonly details?: JsonObject;
  /** Memories that the call has created of texts, in an operation that `namesItsRecord`; absent: none. */
  readonly made?: readonly MadeOfTexts[];
  /** The cost of the call; absent: none. */
  readonly cost?: Cost;
  /** What the engine does after the commit; absent: nothing. */
  readonly after?: readonly AfterCommit[];
}

/** A refusal that leaves something to do. What the operation changed is undone, as with a refusal that is thrown. */
export interface Declined {
  readonly refusal: Refusal;
  readonly after: readonly AfterCommit[];
}

/** The caller appends its own record, which replaces the call's record. */
export interface Appended<Data> {
  readonly record: AppendedRecord;
  /** The `data` of the answer, after the record has been added to the chain. `payload`: of the record, without nulls. */
  present(record: StoredRecord, payload: JsonObject): Data;
  readonly after?: readonly AfterCommit[];
}
