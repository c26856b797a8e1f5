// Owns the Ed25519 key that signs notes (C2SP signed-note) and seals what only the server reads, and opening notes with the cryptography of the server. Must never expose the
// private key.

import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  sign,
} from "node:crypto";
import { fromHex } from "../platform/text/byte-text.ts";
import { createEntryMac, type EntryMac } from "./entry-mac.ts";
import { derPrefix, runtimeCryptography } from "./runtime-cryptography.ts";
import {
  keyIdOf,
  keyName,
  openNote as openWith,
  parseVerifierKey,
  textOfNote,
  toVerifierKey,
} from "./verify/note.ts";

/** Signs notes. */
export interface Signer {
  /** `memledger+<key id>+<base64>`: the public key with which others verify the notes. */
  readonly verifierKey: string;
  /** `text` ends with a newline. */
  sign(text: string): string;
  /**
   * A code that only a holder of the private key can make (HMAC-SHA-256, base64). Unlike a signature, nobody else can verify it, and it
   * takes a twentieth of the time.
   */
  seal(text: string): string;
  /** The function that makes the MACs of the entries of a chain, with a key that is derived once. */
  macOf(chain: string): EntryMac;
  /** A key of 32 bytes for another purpose, which tells nothing about the private key (HKDF-SHA-256). */
  deriveKey(purpose: string): Uint8Array;
}

/** A new private key as PKCS #8 PEM. */
export function createSigningKey(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** @throws Error when the PEM is not an Ed25519 private key. */
export function createSigner(privateKeyPem: string): Signer {
  const privateKey = createPrivateKey(privateKeyPem);
  if (privateKey.asymmetricKeyType !== "ed25519")
    throw new Error("the audit key must be an Ed25519 private key");
  const publicKey = createPublicKey(privateKey)
    .export({ type: "spki", format: "der" })
    .subarray(derPrefix.length);
  const id = fromHex(keyIdOf(publicKey, runtimeCryptography)) ?? new Uint8Array();
  const secret = privateKey.export({ type: "pkcs8", format: "der" });
  const seed = Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url");
  const sealingKey = Buffer.from(hkdfSync("sha256", secret, "", "memledger/seal/v1", 32));
  return {
    verifierKey: toVerifierKey(publicKey, runtimeCryptography),
    sign(text) {
      const signature = sign(null, Buffer.from(text), privateKey);
      return `${text}\n— ${keyName} ${Buffer.concat([id, signature]).toString("base64")}\n`;
    },
    seal: (text) => createHmac("sha256", sealingKey).update(text).digest("base64"),
    macOf: (chain) => createEntryMac(seed, chain),
    deriveKey: (purpose) => new Uint8Array(hkdfSync("sha256", seed, "", purpose, 32)),
  };
}

/** The note with a line of another key after its own. */
export function addSignature(note: string, { sign }: Signer): string {
  const text = textOfNote(note);
  return note + sign(text).slice(text.length + 1);
}

/** The text of a note; null when the note is malformed or this key has not signed it. */
export function openNote(note: string, verifierKey: string): string | null {
  return openWith(note, [verifierKey], runtimeCryptography);
}

export function isVerifierKey(text: string): boolean {
  return parseVerifierKey(text, runtimeCryptography) !== null;
}
