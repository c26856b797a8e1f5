// Owns the form in which calls travel to the writer's thread. A call whose outcome was precomputed travels as JSON text, bytes in Base64:
// copying it as a value (structured clone) takes four times as long, in both threads. Other calls may hold vectors and travel as values.

import type { EncodedPayload } from "../../../audit/parts/parts.ts";
import type { Call, PrecomputedOutcome } from "../../../calls/contract/call.ts";

export type CallMessage = Call | string;

/** What the text holds. */
interface TextCall extends Omit<Call, "decision"> {
  readonly decision: Omit<Extract<Call["decision"], { readonly prepared: unknown }>, "precomputed"> & {
    readonly precomputed: Omit<PrecomputedOutcome, "answer" | "payload"> & {
      readonly payload: Omit<EncodedPayload, "salt" | "compressed"> & {
        readonly salt: string;
        readonly compressed: string;
      };
    };
  };
}

/** The answer is not sent: the thread that has prepared it gives it to the caller. */
export function toCallMessage(call: Call): CallMessage {
  const { decision, ...rest } = call;
  if (decision.refused !== null || decision.precomputed === undefined) return call;
  const { precomputed, ...accepted } = decision;
  const { memoryId, entry, after, payload } = precomputed;
  const { salt, compressed, ...encoded } = payload;
  const bytes = { ...encoded, salt: salt.toBase64(), compressed: compressed.toBase64() };
  const text: TextCall = {
    ...rest,
    decision: { ...accepted, precomputed: { memoryId, entry, after, payload: bytes } },
  };
  return JSON.stringify(text);
}

export function fromCallMessage(message: CallMessage): Call {
  if (typeof message !== "string") return message;
  const { decision, ...rest }: TextCall = JSON.parse(message);
  const { payload, ...precomputed } = decision.precomputed;
  const salt = Uint8Array.fromBase64(payload.salt);
  const compressed = Uint8Array.fromBase64(payload.compressed);
  return {
    ...rest,
    decision: {
      ...decision,
      precomputed: { ...precomputed, answer: null, payload: { ...payload, salt, compressed } },
    },
  };
}
