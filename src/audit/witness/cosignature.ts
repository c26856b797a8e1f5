// Owns the check of signatures on checkpoints: those of logs, and cosignatures of witnesses with their times (C2SP tlog-cosignature). Pure.

import { toBase64 } from "../../platform/text/byte-text.ts";
import type { Cryptography } from "../verify/cryptography.ts";
import type { SignatureLine, SignedCheckpointOf } from "./signed-checkpoint.ts";
import type { VerifierKey } from "./verifier-key.ts";

export interface Cosignature {
  readonly key: VerifierKey;
  /** When the witness has seen this state, as it says: milliseconds since 1970. */
  readonly at: number;
  /** Without its end. */
  readonly line: string;
}

export interface CheckedSignatures {
  readonly valid: readonly Cosignature[];
  /** Keys whose line is there, but not valid: somebody has changed it, or the text. */
  readonly invalid: readonly VerifierKey[];
}

/** What these keys have signed. Lines of other keys are ignored. A log states no time: 0. */
export function checkSignatures(
  checkpoint: SignedCheckpointOf,
  keys: readonly VerifierKey[],
  cryptography: Cryptography,
): CheckedSignatures {
  const [valid, invalid] = [new Map<string, Cosignature>(), new Map<string, VerifierKey>()];
  for (const line of checkpoint.signatures) {
    const named = keys.filter(({ name, id }) => name === line.name && id === line.keyId);
    for (const key of named) {
      const at = timeOf(line, key, checkpoint, cryptography);
      if (at === null) invalid.set(key.text, key);
      else valid.set(key.text, { key, at, line: line.line });
    }
  }
  return { valid: [...valid.values()], invalid: [...invalid.values()] };
}

/** Null when the signature is not valid. */
function timeOf(
  { signature }: SignatureLine,
  { type, name, publicKey }: VerifierKey,
  checkpoint: SignedCheckpointOf,
  cryptography: Cryptography,
): number | null {
  const { text } = checkpoint;
  if (type === "ed25519")
    return signature.length === ed25519Bytes && cryptography.isSignedBy(publicKey, signature, text)
      ? 0
      : null;
  const seconds = secondsOf(signature);
  if (seconds === null) return null;
  const bytes = signature.subarray(timeBytes);
  const isValid =
    type === "ed25519Cosignature"
      ? bytes.length === ed25519Bytes &&
        cryptography.isSignedBy(publicKey, bytes, cosignedText(text, seconds))
      : bytes.length === mlDsa44Bytes &&
        cryptography.isSignedWithMlDsa44?.(publicKey, bytes, cosignedMessage(name, checkpoint, seconds)) ===
          true;
  return isValid ? seconds * 1_000 : null;
}

const timeBytes = 8;
const ed25519Bytes = 64;
const mlDsa44Bytes = 2420;

/** Null for no time: a witness must state one. */
function secondsOf(signature: Uint8Array): number | null {
  if (signature.length < timeBytes) return null;
  const seconds = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
  return seconds > 0 && Number.isSafeInteger(seconds * 1_000) ? seconds : null;
}

/** What an Ed25519 witness signs. */
export function cosignedText(text: string, seconds: number): string {
  return `cosignature/v1\ntime ${seconds}\n${text}`;
}

/** The signature line of an Ed25519 witness, without its end. */
export function cosignatureLine(
  { name, id }: Pick<VerifierKey, "name" | "id">,
  seconds: number,
  signature: Uint8Array,
): string {
  const bytes = new Uint8Array(4 + timeBytes + signature.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Number.parseInt(id, 16));
  view.setBigUint64(4, BigInt(seconds));
  bytes.set(signature, 4 + timeBytes);
  return `— ${name} ${toBase64(bytes)}`;
}

/** What an ML-DSA-44 witness signs: the structure `cosigned_message` of the whole tree. */
function cosignedMessage(
  name: string,
  { origin, size, root }: Pick<SignedCheckpointOf, "origin" | "size" | "root">,
  seconds: number,
): Uint8Array {
  const encoder = new TextEncoder();
  const number = (value: number) => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
    return bytes;
  };
  const sized = (text: string) => {
    const bytes = encoder.encode(text);
    return [Uint8Array.of(bytes.length), bytes];
  };
  const parts = [
    encoder.encode("subtree/v1\n\0"),
    ...sized(name),
    number(seconds),
    ...sized(origin),
    number(0),
    number(size),
    root,
  ];
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
