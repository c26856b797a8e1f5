// Owns the audit record of a call: numbers and identifiers in the entry, everything that may be personal in the payload.

import type { Caller } from "../access/caller.ts";
import type { Cost } from "../access/credits.ts";
import type { SealedPayload } from "../audit/payload.ts";
import type { AppendedRecord, RecordDraft, StoredRecord } from "../audit/record.ts";
import { successCode } from "../errors.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { AfterCommit } from "../storage/after-commit.ts";
import type { Answer } from "./answer.ts";
import type { Call, Origin } from "./call.ts";
import type { Operation } from "./operation.ts";

export interface Settled {
  readonly code: number;
  readonly message: string;
  readonly status: number;
  readonly memoryId: string | null;
  /** `success`, `code`, `message` and `data`; null for 204, and if the answer contains a secret or audit records. */
  readonly recordedResponse: JsonObject | null;
  /** Additional members of the record, beside request and answer. */
  readonly details: JsonObject;
  readonly cost: Cost;
  /** Replaces the call's own record. */
  readonly appended: AppendedRecord | null;
  /** What the engine does after the commit. */
  readonly after: readonly AfterCommit[];
  /** The payload, if it was sealed before the transaction; null: it is made of the fields above. */
  readonly sealed: SealedPayload | null;
  /** Null: the thread that prepared the call has the answer. */
  toAnswer(record: StoredRecord): Answer | null;
}

/** The numbers and identifiers of the record; `payload` is everything else. */
export function toRecordDraft(
  call: Call,
  operation: Operation,
  caller: Caller | null,
  settled: Settled,
  payload: SealedPayload,
  clock: { readonly now: number; readonly elapsed: number },
): RecordDraft {
  const origin = {
    project: caller?.project.id ?? null,
    now: clock.now,
    keyId: caller?.key.id ?? null,
  };
  if (settled.appended !== null) {
    return { ...origin, memoryId: null, ...settled.appended, payload };
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
    payload,
  };
}

/** Reads nothing from the transaction, so it can run before it. */
export function payloadOf(
  { origin, parameters, unreadableBody }: Pick<Call, "origin" | "parameters" | "unreadableBody">,
  body: JsonObject | null,
  { appended, code, message, recordedResponse, details }: Settled,
): JsonObject {
  if (appended !== null) return withoutNulls(appended.payload);
  return withoutNulls({
    ...describeOrigin(origin),
    error_msg: code === successCode ? null : message,
    request_parameters: parameters,
    request_body: body,
    unreadable_body: unreadableBody === null ? null : { ...unreadableBody },
    response_body: recordedResponse,
    ...details,
  });
}

/** Calls over HTTP have only the address, the user agent and the metadata. */
function describeOrigin({ transport, ip, userAgent, client, metadata, administrator, performedFor }: Origin) {
  return {
    transport: transport === "http" ? null : transport,
    ip_address: ip,
    user_agent: userAgent,
    client_name: client,
    os_uid: administrator?.osUid ?? null,
    os_user: administrator?.osUser ?? null,
    sudo_user: administrator?.sudoUser ?? null,
    performed_for: performedFor ?? null,
    metadata,
  };
}

function withoutNulls(fields: { readonly [name: string]: Json }): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
