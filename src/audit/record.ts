// Owns what an audit record consists of: numbers and identifiers in the entry, everything that may be personal in the payload.

import type { Cost } from "../access/credits.ts";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/call.ts";
import type { AppendedRecord, Caller, Operation } from "../calls/operation.ts";
import { successCode } from "../errors.ts";
import type { Json, JsonObject } from "../json/json.ts";

/** A record before the chain gives it its position, identifier and time. */
export interface RecordDraft {
  /** Null: the installation's chain. */
  readonly project: { readonly id: string; readonly serial: number } | null;
  readonly now: number;
  readonly action: string;
  readonly status: number;
  /** 1000 on success, else the error code; null where an appended record has none. */
  readonly code: number | null;
  readonly keyId: string | null;
  readonly memoryId: string | null;
  readonly numbers: JsonObject;
  /** Fields that are null are left out. */
  readonly payload: JsonObject;
}

/** A record as the store keeps it. */
export interface StoredRecord {
  readonly seq: number;
  /** The exact text that was hashed. */
  readonly entry: string;
  readonly hash: string;
  /** 16 bytes; null when the payload was erased. */
  readonly salt: Uint8Array | null;
  /** The exact payload text; null when it was erased. */
  readonly payload: string | null;
  /** Why there is no payload: it was erased by audit.redact, or payload retention has removed it; null: it is there. */
  readonly removal: "redacted" | "expired" | null;
}

export interface Settled {
  readonly code: number;
  readonly message: string;
  readonly status: number;
  readonly memoryId: string | null;
  /** `success`, `code`, `message` and `data`; null for 204 and where the answer holds a secret or audit records. */
  readonly recordedResponse: JsonObject | null;
  /** What the record says beyond request and answer. */
  readonly details: JsonObject;
  readonly cost: Cost;
  /** Takes the place of the call's own record. */
  readonly appended: AppendedRecord | null;
  toAnswer(record: StoredRecord): Answer;
}

export function toRecordDraft(
  call: Call,
  body: JsonObject | null,
  operation: Operation,
  caller: Caller | null,
  settled: Settled,
  clock: { readonly now: number; readonly elapsed: number },
): RecordDraft {
  const origin = {
    project: caller === null ? null : { id: caller.project.id, serial: caller.project.serial },
    now: clock.now,
    keyId: caller?.key.id ?? null,
  };
  if (settled.appended !== null) {
    const { payload, ...record } = settled.appended;
    return { ...origin, memoryId: null, ...record, payload: withoutNulls(payload) };
  }
  return {
    ...origin,
    action: operation.name,
    status: settled.status,
    code: settled.code,
    memoryId: settled.memoryId ?? call.memoryId,
    numbers: {
      duration: Math.max(0, Math.round((clock.elapsed - call.arrivedAt) * 1000) / 1000),
      credits_consumed: settled.cost.credits,
      balance_consumed_usd: settled.cost.usd,
      is_cache_hit: false,
    },
    payload: withoutNulls({
      ip_address: call.origin.ip,
      user_agent: call.origin.userAgent,
      metadata: call.origin.metadata,
      error_msg: settled.code === successCode ? null : settled.message,
      request_parameters: call.parameters,
      request_body: body,
      unreadable_body: call.unreadableBody === null ? null : { ...call.unreadableBody },
      response_body: settled.recordedResponse,
      ...settled.details,
    }),
  };
}

/** A record that the server writes by itself, such as audit.prune. */
export function toServerRecord(
  project: RecordDraft["project"],
  action: string,
  now: number,
  payload: JsonObject,
): RecordDraft {
  const numbers = { duration: null, credits_consumed: 0, balance_consumed_usd: 0, is_cache_hit: false };
  const success = { status: 200, code: successCode, keyId: null, memoryId: null };
  return { project, now, action, ...success, numbers, payload };
}

function withoutNulls(fields: { readonly [name: string]: Json }): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
