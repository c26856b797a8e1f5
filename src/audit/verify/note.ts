// Owns the form of signed notes (C2SP signed-note) and of verifier keys, and the check of a signature. Must never sign.

import { fromBase64, toBase64, toHex } from "../../text/byte-text.ts";
import type { Cryptography } from "./cryptography.ts";

export const keyName = "memledger";
const ed25519 = 1;
const keyIdBytes = 4;

/** The text of a note; null when the note is malformed or this key has not signed it. */
export function openNote(note: string, verifierKey: string, cryptography: Cryptography): string | null {
  const parsed = parseNote(note);
  const key = parseVerifierKey(verifierKey, cryptography);
  if (parsed === null || key === null || parsed.keyId !== key.id) return null;
  return cryptography.isSignedBy(key.publicKey, parsed.signature, parsed.text) ? parsed.text : null;
}

interface ParsedNote {
  readonly text: string;
  /** Hexadecimal. */
  readonly keyId: string;
  readonly signature: Uint8Array;
}

/** Null when the note is malformed. */
function parseNote(note: string): ParsedNote | null {
  const [, text, name, encoded = ""] = /^(.*\n)\n— (\S+) (\S+)\n$/s.exec(note) ?? [];
  const bytes = fromBase64(encoded);
  if (text === undefined || name !== keyName || bytes?.length !== 68) return null;
  return { text, keyId: toHex(bytes.subarray(0, keyIdBytes)), signature: bytes.subarray(keyIdBytes) };
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
  return `${keyName}+${toHex((fromBase64(encoded) ?? new Uint8Array()).subarray(0, keyIdBytes))}`;
}

/** `memledger+<key id>+<base64>`: the public key with which others verify the notes. */
export function toVerifierKey(publicKey: Uint8Array, cryptography: Cryptography): string {
  return `${keyName}+${keyIdOf(publicKey, cryptography)}+${toBase64(Uint8Array.of(ed25519, ...publicKey))}`;
}

/** Null when the text is not a verifier key. */
export function parseVerifierKey(
  text: string,
  cryptography: Cryptography,
): { readonly id: string; readonly publicKey: Uint8Array } | null {
  const [, id = "", encoded = ""] = /^memledger\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text.trim()) ?? [];
  const bytes = fromBase64(encoded);
  if (bytes?.length !== 33 || bytes[0] !== ed25519) return null;
  const publicKey = bytes.subarray(1);
  return keyIdOf(publicKey, cryptography) === id ? { id, publicKey } : null;
}

/** Hexadecimal. */
export function keyIdOf(publicKey: Uint8Array, { createSha256 }: Cryptography): string {
  const hash = createSha256().update(`${keyName}\n`).update(Uint8Array.of(ed25519)).update(publicKey);
  return hash.digest().slice(0, 2 * keyIdBytes);
}
