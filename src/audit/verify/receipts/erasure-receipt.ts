// Owns the verification of a receipt of an erasure: that a key of the ledger has signed a checkpoint of a chain with this record in it, and
// what the record says. Needs nothing but the receipt and the public keys. Pure.

import { isObject, type Json, type JsonObject } from "../../../platform/json/json.ts";
import { fromBase64, toHex } from "../../../platform/text/byte-text.ts";
import { createTreeHasher, type TreeHasher } from "../../tree.ts";
import type { VerifierKey } from "../../witness/verifier-key.ts";
import type { Cryptography } from "../cryptography.ts";
import { parseEntry } from "../entry-parser.ts";
import { joinParts } from "../part-places.ts";
import { verifyParts } from "../parts.ts";
import { isIncluded, type TreeRoot } from "../tree-paths.ts";
import { entryHash, openCheckpoint, type Signed } from "./record-receipt.ts";

export interface VerifiedErasure extends Signed {
  readonly project: string;
  /** Pseudonym of the erased subject. */
  readonly subject: string;
  /** Of the record of the erasure, as its id. */
  readonly seq: number;
  readonly record: string;
  readonly at: string;
  /** How many records lost parts of their payload, or all of it. */
  readonly records: number;
}

const utf8 = new TextEncoder();

/**
 * @param given the receipt, or the answer that has it as `data.receipt`
 * @param keys verifier keys of the ledger
 * @returns what the receipt proves; a text: why it proves nothing, as a clause
 */
export function verifyErasureReceipt(
  given: Json | undefined,
  keys: readonly string[],
  cryptography: Cryptography,
  witnesses: readonly VerifierKey[] = [],
): VerifiedErasure | string {
  const receipt = receiptIn(given);
  if (!isObject(receipt) || receipt.v !== 1) return "it is not a receipt of version 1";
  const { entry, hash, checkpoint, subject, project } = receipt;
  if (typeof entry !== "string" || typeof checkpoint !== "string") return "it has no entry or no checkpoint";
  const parsed = parseEntry(entry);
  if (parsed?.v2 === undefined || parsed.v2 === null) return "its entry is not one of a record of version 2";
  const data = entryHash(entry, parsed, cryptography);
  if (toHex(data) !== hash) return "its hash is not that of its entry";
  const opened = openCheckpoint(checkpoint, { ledger: keys, witnesses }, cryptography);
  if (typeof opened === "string") return opened;
  const { root, ...signed } = opened;
  if (signed.chain !== parsed.chain) return "its checkpoint is of another chain than its entry";
  if (!isNewest(data, receipt.inclusion, { size: signed.leaves, root }, createTreeHasher(cryptography)))
    return "its record is not the newest one of the checkpoint";
  const said = readPayload(
    receipt,
    { parts: parsed.v2.parts, payloadHash: parsed.payloadHash },
    cryptography,
  );
  if (said === null) return "its payload is not that of its entry";
  const { erased, redacted, redacted_parts: parts } = said;
  const names = (value: Json | undefined): boolean => Array.isArray(value) && value.includes(String(subject));
  if (parsed.action !== "audit.redact" || !names(erased)) return "its record does not erase the subject";
  if (typeof subject !== "string" || parsed.project !== project)
    return "its project is not that of its entry";
  const count = (value: Json | undefined) => (Array.isArray(value) ? value.length : 0);
  const { seq, id: record, at } = parsed;
  const records = count(redacted) + count(parts);
  return { ...signed, project: String(project), subject, seq, record, at, records };
}

function receiptIn(given: Json | undefined): Json | undefined {
  const data = isObject(given) ? given.data : undefined;
  return isObject(data) && data.receipt !== undefined ? data.receipt : given;
}

function readPayload(
  { payload, salt }: JsonObject,
  expected: { readonly parts: number; readonly payloadHash: string },
  cryptography: Cryptography,
): JsonObject | null {
  if (typeof payload !== "string" || typeof salt !== "string") return null;
  const stored = { content: utf8.encode(payload), salt: fromBase64(salt) ?? new Uint8Array() };
  const parts = verifyParts(stored, expected, cryptography);
  return parts === null ? null : joinParts(parts);
}

/** Whether the path proves that an entry with this hash is the last leaf of the tree. */
function isNewest(
  data: Uint8Array,
  inclusion: Json | undefined,
  tree: TreeRoot,
  hasher: TreeHasher,
): boolean {
  if (!Array.isArray(inclusion)) return false;
  const path = inclusion.map(
    (item) => (typeof item === "string" ? fromBase64(item) : null) ?? new Uint8Array(),
  );
  return isIncluded({ index: tree.size - 1, data, path }, tree, hasher);
}
