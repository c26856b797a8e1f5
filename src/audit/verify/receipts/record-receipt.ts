// Owns the verification of a receipt of one record: that a key of the ledger has signed a checkpoint of a tree with its entry, and that its
// payload is that of the entry. Needs nothing but the receipt and the public keys. Pure.

import { isObject, type JsonObject, readJson } from "../../../platform/json/json.ts";
import { fromBase64, fromHex } from "../../../platform/text/byte-text.ts";
import { latestMs } from "../../../platform/time/timestamp.ts";
import { parseTreeCheckpoint } from "../../checkpoint.ts";
import { createTreeHasher } from "../../tree.ts";
import { type Cosignature, checkSignatures } from "../../witness/cosignature.ts";
import { parseSignedCheckpoint } from "../../witness/signed-checkpoint.ts";
import { isCosigning, parseVerifierKeyOf, type VerifierKey } from "../../witness/verifier-key.ts";
import type { Cryptography } from "../cryptography.ts";
import { type Entry, parseCanonical, parseEntry } from "../entry-parser.ts";
import { nameOfKey, openSignedNote, textOfNote } from "../note.ts";
import { decodeText, erasedParts, isErased } from "../part-lines.ts";
import { joinParts } from "../part-places.ts";
import { verifyParts } from "../parts.ts";
import { entryDigest } from "../record-checks.ts";
import { isIncluded, type TreeRoot } from "../tree-paths.ts";
import { parseTlogProof, type TlogProof } from "./tlog-proof.ts";

/** What a receipt says in its extra data. */
interface ReceiptExtra {
  /** As it was hashed. */
  readonly entry: string;
  /** What is stored of the payload; null: it is not in the receipt. */
  readonly payload: string | null;
  /** Of the payload. */
  readonly salt: Uint8Array;
  /** A token; null: it has none. */
  readonly timestamp: Uint8Array | null;
}

/** A payload that is that of the entry. */
export interface ProvedPayload {
  /** Null: it is no object, or the part around the others is erased. */
  readonly value: JsonObject | null;
  /** Number of parts, of those that were erased, and of those that whoever gave the receipt has left out. */
  readonly parts: number;
  readonly erased: number;
  readonly withheld: number;
}

/** What keys have signed about a record. */
export interface Signed {
  readonly chain: string;
  /** Number of leaves of the checkpoint. */
  readonly leaves: number;
  /** The verifier keys of the ledger that have signed it. */
  readonly signers: readonly string[];
  readonly cosignatures: readonly Cosignature[];
  /** Names of the other signatures, which no given key verifies. */
  readonly unknown: readonly string[];
}

/** A time stamp, and the text of which it should be: that of the checkpoint. */
export interface StampedText {
  readonly token: Uint8Array;
  readonly text: string;
}

export interface ProvedRecord extends Signed {
  readonly entry: Entry;
  readonly payload: ProvedPayload | null;
  /** Not verified here. Null: it has no time stamp. */
  readonly stamped: StampedText | null;
}

export interface ReceiptKeys {
  /** Verifier keys of the ledger. */
  readonly ledger: readonly string[];
  /** Keys of witnesses. */
  readonly witnesses: readonly VerifierKey[];
}

/** @returns what the receipt proves; a text: why it proves nothing, as a clause */
export function verifyRecordReceipt(
  file: Uint8Array,
  keys: ReceiptKeys,
  cryptography: Cryptography,
): ProvedRecord | string {
  const text = decodeText(file);
  const proof = text === null ? null : parseTlogProof(text);
  if (proof === null) return "it is not a file in the form of C2SP tlog-proof";
  const extra = proof.extra === null ? null : parseExtra(proof.extra);
  if (extra === null) return "its extra data is not that of a receipt of version 1";
  const entry = parseEntry(extra.entry);
  if (entry === null) return "its entry is not one of a record";
  const newer = entry.v2?.newer;
  if (newer != null && newer.members.length > 0)
    return `its entry has the member ${newer.members[0]}, which memledger knows from version ${newer.release} on`;
  const signed = openCheckpoint(proof.note, keys, cryptography);
  if (typeof signed === "string") return signed;
  const { root, ...checkpoint } = signed;
  if (checkpoint.chain !== entry.chain) return "its checkpoint is of another chain than its entry";
  const leaf = { proof, hash: entryHash(extra.entry, entry, cryptography), seq: entry.seq };
  if (!isLeaf(leaf, { size: checkpoint.leaves, root }, cryptography))
    return "its path does not lead from the entry to the checkpoint";
  const payload = extra.payload === null ? null : readPayload(extra, entry, cryptography);
  if (extra.payload !== null && payload === null) return "its payload is not that of its entry";
  const { timestamp: token } = extra;
  const stamped = token === null ? null : { token, text: textOfNote(proof.note) };
  return { ...checkpoint, entry, payload, stamped };
}

/** The note of a receipt and its time stamp, neither verified. @returns null when it is no receipt, or has no time stamp */
export function stampedNoteOf(
  file: string,
): { readonly note: string; readonly timestamp: Uint8Array } | null {
  const proof = parseTlogProof(file);
  const extra = proof?.extra ? parseExtra(proof.extra) : null;
  if (proof === null || !extra?.timestamp) return null;
  return { note: proof.note, timestamp: extra.timestamp };
}

/** Null: not the RFC 8785 form of such an object. */
function parseExtra(bytes: Uint8Array): ReceiptExtra | null {
  const value = parseCanonical(decodeText(bytes) ?? "");
  if (value === null || value.v !== 1) return null;
  const { v: _, entry, payload, salt, timestamp, ...others } = value;
  if (typeof entry !== "string" || Object.keys(others).length > 0) return null;
  const token = typeof timestamp === "string" && timestamp !== "" ? fromBase64(timestamp) : null;
  if (timestamp !== undefined && token === null) return null;
  if (payload === undefined && salt === undefined)
    return { entry, payload: null, salt: new Uint8Array(), timestamp: token };
  const bytesOfSalt = typeof salt === "string" ? fromBase64(salt) : null;
  return typeof payload === "string" && bytesOfSalt !== null
    ? { entry, payload, salt: bytesOfSalt, timestamp: token }
    : null;
}

/** Enough for every witness that somebody names; signed-note demands 16. */
const signatureMaxCount = 100;

/** @returns a text: why it proves nothing */
export function openCheckpoint(
  text: string,
  { ledger, witnesses }: ReceiptKeys,
  cryptography: Cryptography,
): (Signed & { readonly root: Uint8Array }) | string {
  const note = parseSignedCheckpoint(text);
  const tree = note === null ? null : parseTreeCheckpoint(note.text);
  if (note === null || tree === null) return "its checkpoint is malformed";
  const names = new Set(note.signatures.map(({ name, keyId }) => `${name}+${keyId}`));
  if (names.size < note.signatures.length || names.size > signatureMaxCount)
    return "its checkpoint has two signatures of one key, or too many";
  const opened = openSignedNote(text, ledger, cryptography);
  if (opened === null) return "its checkpoint is not signed by the public key";
  const { valid, invalid } = checkSignatures(note, witnesses, cryptography);
  if (invalid.length > 0 || valid.some(({ at }) => at > latestMs))
    return "the signature of a witness is not valid";
  const known = new Set([...ledger.map(nameOfKey), ...witnesses.map((key) => nameOfKey(key.text))]);
  const unknown = [...names].filter((name) => !known.has(name)).map((name) => name.split("+")[0] ?? "");
  const { chain, leaves } = tree;
  return { chain, leaves, signers: opened.signers, cosignatures: valid, unknown, root: note.root };
}

/** The key of a witness whose signatures can be checked here; null: it is none. */
export function parseWitnessKey(text: string, cryptography: Cryptography): VerifierKey | null {
  const key = parseVerifierKeyOf(text.trim(), cryptography);
  if (key === null || !isCosigning(key)) return null;
  const isChecked = key.type === "ed25519Cosignature" || cryptography.isSignedWithMlDsa44 !== undefined;
  return isChecked ? key : null;
}

interface Leaf {
  readonly proof: TlogProof;
  /** Of the entry. */
  readonly hash: Uint8Array;
  readonly seq: number;
}

/** Leaf 0 is the statement of the tree, and no tree begins after its records. */
function isLeaf(
  { proof: { index, path }, hash: data, seq }: Leaf,
  tree: TreeRoot,
  cryptography: Cryptography,
): boolean {
  if (index < 1 || index > seq) return false;
  return isIncluded({ index, data, path }, tree, createTreeHasher(cryptography));
}

export function entryHash(text: string, { v2 }: Entry, { createSha256 }: Cryptography): Uint8Array {
  return fromHex(entryDigest(text, v2, createSha256())) ?? new Uint8Array();
}

const saltBytesOfVersion1 = 16;

/** Null: it is not the payload of the entry. */
function readPayload(
  { payload, salt }: ReceiptExtra,
  { v2, payloadHash }: Entry,
  cryptography: Cryptography,
): ProvedPayload | null {
  const text = payload ?? "";
  if (v2 === null) {
    const hash = cryptography.createSha256().update("memledger/payload/v1\0").update(salt).update(text);
    if (salt.length !== saltBytesOfVersion1 || hash.digest() !== payloadHash) return null;
    const value = readJson(text);
    return { value: isObject(value) ? value : null, parts: 1, erased: 0, withheld: 0 };
  }
  const stored = { content: new TextEncoder().encode(text), salt };
  const expected = { parts: v2.parts, payloadHash };
  const parts = verifyParts(stored, expected, cryptography, true, v2.newer !== null);
  if (parts === null) return null;
  const [absent, erased] = [parts.lines.filter(isErased).length, erasedParts(parts).length];
  return { value: joinParts(parts), parts: v2.parts, erased, withheld: absent - erased };
}
