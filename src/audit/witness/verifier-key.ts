// Owns verifier keys of any signer (C2SP signed-note): logs and witnesses have names of their own, and witnesses sign in another way.

import { fromBase64, toBase64 } from "../../platform/text/byte-text.ts";
import type { Cryptography } from "../verify/cryptography.ts";
import { ed25519, keyIdOf } from "../verify/note.ts";

/** How a key signs, by the byte of signed-note, with the number of bytes of its public key. */
export const keyTypes = {
  /** Signs the text of a note. */
  ed25519: { byte: ed25519, bytes: 32 },
  /** Cosigns checkpoints with a time (tlog-cosignature). */
  ed25519Cosignature: { byte: 4, bytes: 32 },
  mlDsa44Cosignature: { byte: 6, bytes: 1312 },
} as const;
export type KeyType = keyof typeof keyTypes;

export interface VerifierKey {
  readonly name: string;
  /** 8 hexadecimal characters. */
  readonly id: string;
  readonly type: KeyType;
  readonly publicKey: Uint8Array;
  /** The key as a text. */
  readonly text: string;
}

export function isCosigning({ type }: Pick<VerifierKey, "type">): boolean {
  return type !== "ed25519";
}

/** Null when the text is not a verifier key, or one of a type that is not known. */
export function parseVerifierKeyOf(text: string, cryptography: Cryptography): VerifierKey | null {
  const [, name = "", id = "", encoded = ""] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  const [type] = typeNames.filter((each) => keyTypes[each].byte === bytes?.[0]);
  if (bytes === null || type === undefined || bytes.length !== 1 + keyTypes[type].bytes) return null;
  const key = toVerifierKeyOf(name, type, bytes.subarray(1), cryptography);
  return key.id === id ? key : null;
}

const typeNames: readonly KeyType[] = ["ed25519", "ed25519Cosignature", "mlDsa44Cosignature"];

export function toVerifierKeyOf(
  name: string,
  type: KeyType,
  publicKey: Uint8Array,
  cryptography: Pick<Cryptography, "createSha256">,
): VerifierKey {
  const { byte } = keyTypes[type];
  const id = keyIdOf(publicKey, cryptography, { name, type: byte });
  return { name, id, type, publicKey, text: `${name}+${id}+${toBase64(Uint8Array.of(byte, ...publicKey))}` };
}
