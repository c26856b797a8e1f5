// Owns how many bytes of request bodies are held in memory: per key, so that one caller leaves room for the others, and in all, so
// that the process keeps its size. In memory only; a body is counted from its first byte until its call is answered.

import { Refusal, unavailable } from "../errors.ts";
import { bodiesMaxBytes, bodiesMaxBytesPerKey } from "../limits.ts";

/** The bytes of one call. Disposing it gives them back. */
export interface BodyClaim extends Disposable {
  /** @throws Refusal 1429 when the key holds too many bytes already, 1503 when all keys together do. */
  take(bytes: number): void;
}

/** Opens a claim for a call of the key. */
export type BodyBudget = (keyId: string) => BodyClaim;

export function createBodyBudget({
  maxBytes = bodiesMaxBytes,
  maxBytesPerKey = bodiesMaxBytesPerKey,
} = {}): BodyBudget {
  const heldByKey = new Map<string, number>();
  let held = 0;
  const add = (keyId: string, bytes: number) => {
    held += bytes;
    const ofKey = (heldByKey.get(keyId) ?? 0) + bytes;
    if (ofKey === 0) heldByKey.delete(keyId);
    else heldByKey.set(keyId, ofKey);
  };
  return (keyId) => {
    let taken = 0;
    return {
      take(bytes) {
        if ((heldByKey.get(keyId) ?? 0) + bytes > maxBytesPerKey) throw tooMuchOfKey(maxBytesPerKey);
        if (held + bytes > maxBytes) throw tooMuch(maxBytes);
        taken += bytes;
        add(keyId, bytes);
      },
      [Symbol.dispose]() {
        add(keyId, -taken);
        taken = 0;
      },
    };
  };
}

function tooMuchOfKey(maxBytes: number): Refusal {
  const message = `The bodies of this key's running calls exceed ${maxBytes} bytes. Send fewer calls at once.`;
  return new Refusal(1429, message, { limit_bytes: maxBytes }, 1);
}

function tooMuch(maxBytes: number): Refusal {
  return unavailable(
    `The bodies of all running calls exceed ${maxBytes} bytes. Send the call again in a moment.`,
  );
}
