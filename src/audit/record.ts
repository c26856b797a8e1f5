// Owns what an audit record consists of: numbers and identifiers in the entry, everything that may be personal in the payload.

import { type Answer, type Call, successCode } from "../call.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Caller, Operation } from "../operation.ts";

export interface RecordNumbers {
  /** Milliseconds from arrival to append. */
  readonly duration: number;
  readonly credits_consumed: number;
  readonly balance_consumed_usd: number;
  readonly is_cache_hit: boolean;
}

/** A record before the chain gives it its position, identifier and time. */
export interface RecordDraft {
  readonly project: { readonly id: string; readonly serial: number } | null;
  readonly now: number;
  readonly action: string;
  readonly status: number;
  /** 1000 or the error code. */
  readonly code: number;
  readonly keyId: string | null;
  readonly memoryId: string | null;
  readonly numbers: RecordNumbers;
  /** Fields that are null are left out. */
  readonly payload: JsonObject;
}

export interface Settled {
  readonly code: number;
  readonly message: string;
  readonly memoryId: string | null;
  readonly answer: Answer;
  /** The envelope as a value; null for 204 and where the answer holds a secret or records of the log itself. */
  readonly recordedResponse: JsonObject | null;
}

export function toRecordDraft(
  call: Call,
  operation: Operation,
  caller: Caller | null,
  settled: Settled,
  clock: { readonly now: number; readonly elapsed: number },
): RecordDraft {
  return {
    project: caller === null ? null : { id: caller.project.id, serial: caller.project.serial },
    now: clock.now,
    action: operation.name,
    status: settled.answer.status,
    code: settled.code,
    keyId: caller?.key.id ?? null,
    memoryId: settled.memoryId,
    numbers: {
      duration: Math.max(0, Math.round((clock.elapsed - call.arrivedAt) * 1000) / 1000),
      credits_consumed: 0,
      balance_consumed_usd: 0,
      is_cache_hit: false,
    },
    payload: withoutNulls({
      ip_address: call.origin.ip,
      user_agent: call.origin.userAgent,
      metadata: call.origin.metadata,
      error_msg: settled.code === successCode ? null : settled.message,
      request_body: call.body,
      unreadable_body: call.unreadableBody === null ? null : { ...call.unreadableBody },
      response_body: settled.recordedResponse,
    }),
  };
}

function withoutNulls(fields: { readonly [name: string]: Json }): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
