// Owns the verifier keys of witnesses, and the check of what they have signed (C2SP signed-note, tlog-cosignature). Must never sign.

import { fromBase64, toHex } from "../../../platform/text/byte-text.ts";
import type { Cryptography } from "../cryptography.ts";
import type { NoteLines } from "./tlog-proof.ts";

export interface WitnessKey {
  readonly name: string;
  /** Hexadecimal. */
  readonly id: string;
  readonly publicKey: Uint8Array;
}

/** A witness had this checkpoint at this time, and it continued all that the witness had seen of the log before. */
export interface Cosignature {
  readonly witness: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** The type of a cosignature with Ed25519. */
const cosignature = 4;
const keyBytes = 32;
const timeBytes = 8;
const signatureBytes = 64;

/** Null: not the verifier key of a witness that signs with Ed25519. */
export function parseWitnessKey(text: string, { createSha256 }: Cryptography): WitnessKey | null {
  const form = /^([^\p{White_Space}\p{Cc}+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/u;
  const [, name = "", id = "", encoded = ""] = form.exec(text.trim()) ?? [];
  const bytes = fromBase64(encoded);
  if (bytes?.length !== 1 + keyBytes || bytes[0] !== cosignature) return null;
  const hash = createSha256().update(`${name}\n`).update(bytes).digest();
  return hash.startsWith(id) ? { name, id, publicKey: bytes.subarray(1) } : null;
}

/** Null: a signature of one of these witnesses is not valid. */
export function readCosignatures(
  { text, signatures }: NoteLines,
  witnesses: readonly WitnessKey[],
  { isSignedBy }: Cryptography,
): readonly Cosignature[] | null {
  const found: (Cosignature | null)[] = [];
  for (const { name, keyId, signature } of signatures) {
    const witness = witnesses.find((one) => one.name === name && one.id === toHex(keyId));
    if (witness === undefined) continue;
    const at = signature.length === timeBytes + signatureBytes ? timeIn(signature) : null;
    const isValid =
      at !== null &&
      isSignedBy(witness.publicKey, signature.subarray(timeBytes), `cosignature/v1\ntime ${at}\n${text}`);
    found.push(isValid ? { witness: name, at } : null);
  }
  const valid = found.filter((one) => one !== null);
  return valid.length === found.length ? valid : null;
}

/** Null: no time that a calendar has. */
function timeIn(signature: Uint8Array): number | null {
  const at = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
  return at <= 253_402_300_799 ? at : null;
}
