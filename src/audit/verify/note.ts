// Owns the form of signed notes (C2SP signed-note) and of verifier keys, and the check of a signature. Must never sign.

import { fromBase64, toBase64, toHex } from "../../text/byte-text.ts";
import type { Cryptography } from "./cryptography.ts";

export const keyName = "memledger";
const ed25519 = 1;
const keyIdBytes = 4;

/** Only such texts may have several signature lines, of witnesses for example: format version 1 has one line. */
const severalSigners = /^memledger\/[0-9a-f]{32}\/2\n/;

/**
 * The text of a note; null when the note is malformed or none of these keys has signed it. The first line of one of the keys counts, and lines
 * of other names and keys are ignored.
 */
export function openNote(
  note: string,
  verifierKeys: readonly string[],
  cryptography: Cryptography,
): string | null {
  const parsed = parseNote(note);
  if (parsed === null) return null;
  const keys = verifierKeys.map((key) => parseVerifierKey(key, cryptography)).filter((key) => key !== null);
  const first = parsed.signatures.find(({ keyId }) => keys.some(({ id }) => id === keyId));
  const isSigned = keys.some(
    ({ id, publicKey }) =>
      id === first?.keyId && cryptography.isSignedBy(publicKey, first.signature, parsed.text),
  );
  return isSigned ? parsed.text : null;
}

interface NoteSignature {
  /** Hexadecimal. */
  readonly keyId: string;
  readonly signature: Uint8Array;
}

interface ParsedNote {
  readonly text: string;
  /** Those with the name of ledger keys, at least one. */
  readonly signatures: readonly NoteSignature[];
}

/** Null when the note is malformed, or has no signature of a ledger key. */
function parseNote(note: string): ParsedNote | null {
  const [, text = "", lines = ""] = /^(.*\n)\n((?:— \S+ \S+\n)+)$/s.exec(note) ?? [];
  const signatures = [...lines.matchAll(/— (\S+) (\S+)\n/g)].map(([, name, encoded = ""]) =>
    name === keyName ? parseSignature(encoded) : null,
  );
  const own = signatures.filter((signature) => signature !== null);
  return own.length > 0 && (signatures.length === 1 || severalSigners.test(text))
    ? { text, signatures: own }
    : null;
}

/** Null when it has not the form of the signature of a ledger key. */
function parseSignature(encoded: string): NoteSignature | null {
  const bytes = fromBase64(encoded);
  if (bytes?.length !== keyIdBytes + 64) return null;
  return { keyId: toHex(bytes.subarray(0, keyIdBytes)), signature: bytes.subarray(keyIdBytes) };
}

/** Whether a text has the form of a note with a signature of a ledger key. Does not verify the signature. */
export function isSignedNote(note: string): boolean {
  return parseNote(note) !== null;
}

/** The text of a note. Does not verify the signature. */
export function textOfNote(note: string): string {
  return note.slice(0, note.indexOf("\n\n") + 1);
}

/** Splits a file of notes; each ends with its signature lines and an empty line. */
export function splitNotes(file: string): string[] {
  return file
    .split(/(?<=\n— \S+ \S+\n)(?!— )\n*/)
    .map((note) => note.replace(/^\n+/, ""))
    .flatMap((note) => (severalSigners.test(note) ? [note] : note.split(/(?<=\n— \S+ \S+\n)/)))
    .filter((note) => note.trim() !== "");
}

/** The beginning of the signer's verifier key, as the first signature line of a ledger key names it. Does not verify the signature. */
export function signerId(note: string): string {
  return `${keyName}+${parseNote(note)?.signatures[0]?.keyId ?? ""}`;
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
