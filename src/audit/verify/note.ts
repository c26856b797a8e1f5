// Owns the form of signed notes (C2SP signed-note) and of verifier keys, and the check of a signature. Must never sign.

import { fromBase64, toBase64, toHex } from "../../platform/text/byte-text.ts";
import type { Cryptography } from "./cryptography.ts";

export const keyName = "memledger";
export const ed25519 = 1;
const keyIdBytes = 4;
const signatureBytes = 64;

/** Only such texts may have several signature lines, of witnesses for example: format version 1 has one line. */
const severalSigners = /^memledger\/[0-9a-f]{32}\/(?:2|[0-9a-f]{32})\n/;

/** A note that at least one accepted key has signed. */
export interface OpenedNote {
  readonly text: string;
  /** The verifier keys whose signatures are valid. */
  readonly signers: readonly string[];
}

/**
 * Null when the note is malformed, none of these keys has signed it, or a line of one of them is not valid. Lines of other names and keys are
 * ignored.
 */
export function openSignedNote(
  note: string,
  verifierKeys: readonly string[],
  cryptography: Cryptography,
): OpenedNote | null {
  const parsed = parseNote(note);
  if (parsed === null) return null;
  const accepted = verifierKeys.map((key) => ({ key, ...parseVerifierKey(key, cryptography) }));
  const signers = new Set<string>();
  for (const { keyId, signature } of parsed.signatures) {
    const named = accepted.filter(({ id }) => id === keyId);
    const valid = named.filter(
      ({ publicKey }) =>
        publicKey !== undefined &&
        signature.length === signatureBytes &&
        cryptography.isSignedBy(publicKey, signature, parsed.text),
    );
    if (named.length > 0 && valid.length === 0) return null;
    for (const { key } of valid) signers.add(key);
  }
  return signers.size === 0 ? null : { text: parsed.text, signers: [...signers] };
}

/** The text of a note that `openSignedNote` opens. */
export function openNote(
  note: string,
  verifierKeys: readonly string[],
  cryptography: Cryptography,
): string | null {
  return openSignedNote(note, verifierKeys, cryptography)?.text ?? null;
}

interface NoteSignature {
  /** Hexadecimal. */
  readonly keyId: string;
  readonly signature: Uint8Array;
}

interface ParsedNote {
  readonly text: string;
  /** Those with the name of ledger keys. At least one has the length of a signature of a ledger key. */
  readonly signatures: readonly NoteSignature[];
}

/** Null when the note is malformed, or has no signature of a ledger key. */
function parseNote(note: string): ParsedNote | null {
  const [, text = "", lines = ""] = /^(.*\n)\n((?:— \S+ \S+\n)+)$/s.exec(note) ?? [];
  const signatures = [...lines.matchAll(/— (\S+) (\S+)\n/g)].map(([, name, encoded = ""]) =>
    name === keyName ? parseSignature(encoded) : null,
  );
  const own = signatures.filter((signature) => signature !== null);
  const isSigned = own.some(({ signature }) => signature.length === signatureBytes);
  return isSigned && (signatures.length === 1 || severalSigners.test(text))
    ? { text, signatures: own }
    : null;
}

/** Null when it names no key. */
function parseSignature(encoded: string): NoteSignature | null {
  const bytes = fromBase64(encoded);
  if (bytes === null || bytes.length < keyIdBytes) return null;
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

/** Name and id of a verifier key: for messages, so that nobody copies a public key from one. */
export function nameOfKey(verifierKey: string): string {
  return verifierKey.split("+").slice(0, 2).join("+");
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

/** Of a key of the ledger, if no other signer is named. Hexadecimal. */
export function keyIdOf(
  publicKey: Uint8Array,
  { createSha256 }: Pick<Cryptography, "createSha256">,
  { name, type }: { readonly name: string; readonly type: number } = { name: keyName, type: ed25519 },
): string {
  const hash = createSha256().update(`${name}\n`).update(Uint8Array.of(type)).update(publicKey);
  return hash.digest().slice(0, 2 * keyIdBytes);
}
