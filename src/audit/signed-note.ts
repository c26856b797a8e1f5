// Owns signed notes (C2SP signed-note) and the Ed25519 key that signs them. Must never expose the private key.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";

const keyName = "memledger";
const ed25519 = 1;
/** An Ed25519 public key in DER (RFC 8410) is this prefix followed by 32 bytes. */
const derPrefix = Buffer.from("302a300506032b6570032100", "hex");

/** Signs notes. */
export interface Signer {
  /** `memledger+<key id>+<base64>`: the public key with which others verify the notes. */
  readonly verifierKey: string;
  /** `text` ends with a newline. */
  sign(text: string): string;
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
  const publicKey = rawPublicKey(createPublicKey(privateKey));
  const id = keyId(publicKey);
  return {
    verifierKey: `${keyName}+${id.toString("hex")}+${Buffer.concat([Buffer.of(ed25519), publicKey]).toString("base64")}`,
    sign(text) {
      const signature = sign(null, Buffer.from(text), privateKey);
      return `${text}\n— ${keyName} ${Buffer.concat([id, signature]).toString("base64")}\n`;
    },
  };
}

/** The text of a note; null when the note is malformed or this key has not signed it. */
export function openNote(note: string, verifierKey: string): string | null {
  const parsed = parseNote(note);
  const key = parseVerifierKey(verifierKey);
  if (parsed === null || key === null) return null;
  const { text, bytes } = parsed;
  if (!bytes.subarray(0, 4).equals(keyId(key.raw))) return null;
  return verify(null, Buffer.from(text), key.object, bytes.subarray(4)) ? text : null;
}

/** `bytes` are the key id and the signature. Null when the note is malformed. */
function parseNote(note: string): { text: string; bytes: Buffer } | null {
  const [, text, name, encoded = ""] = /^(.*\n)\n— (\S+) (\S+)\n$/s.exec(note) ?? [];
  const bytes = Buffer.from(encoded, "base64");
  if (text === undefined || name !== keyName) return null;
  return bytes.length === 68 && bytes.toString("base64") === encoded ? { text, bytes } : null;
}

/** Whether a text has the form of a note with one signature of a ledger key. Does not verify the signature. */
export function isSignedNote(note: string): boolean {
  return parseNote(note) !== null;
}

/** The text of a note. Does not verify the signature. */
export function textOfNote(note: string): string {
  return note.slice(0, note.indexOf("\n\n") + 1);
}

/** Splits a file of notes; each ends with its signature line and an empty line. */
export function splitNotes(file: string): string[] {
  return file
    .split(/(?<=\n— \S+ \S+\n)\n*/)
    .map((note) => note.replace(/^\n+/, ""))
    .filter((note) => note.trim() !== "");
}

/** The beginning of the signer's verifier key, as the signature line of a note names it. Does not verify the signature. */
export function signerId(note: string): string {
  const [, encoded = ""] = /\n— \S+ (\S+)\n$/.exec(note) ?? [];
  return `${keyName}+${Buffer.from(encoded, "base64").subarray(0, 4).toString("hex")}`;
}

export function isVerifierKey(text: string): boolean {
  return parseVerifierKey(text) !== null;
}

function parseVerifierKey(text: string): { raw: Buffer; object: KeyObject } | null {
  const match = /^memledger\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text.trim());
  const bytes = Buffer.from(match?.[2] ?? "", "base64");
  if (match === null || bytes.length !== 33 || bytes[0] !== ed25519) return null;
  const raw = bytes.subarray(1);
  if (keyId(raw).toString("hex") !== match[1]) return null;
  const object = createPublicKey({ key: Buffer.concat([derPrefix, raw]), format: "der", type: "spki" });
  return { raw, object };
}

function rawPublicKey(key: KeyObject): Buffer {
  return key.export({ type: "spki", format: "der" }).subarray(derPrefix.length);
}

function keyId(publicKey: Uint8Array): Buffer {
  return createHash("sha256")
    .update(`${keyName}\n`)
    .update(Buffer.of(ed25519))
    .update(publicKey)
    .digest()
    .subarray(0, 4);
}
