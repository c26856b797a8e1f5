// Owns reading from the records of a chain up to which seq payloads may be deleted. The column of audit_chain only repeats it, and any
// program that can write the file can change it. Only reads.

import { entryHash } from "../../../audit/chain.ts";
import { payloadHash } from "../../../audit/parts/payload.ts";
import { readPayloadText } from "../../../audit/parts/stored-payload.ts";
import { runtimeCryptography } from "../../../audit/runtime-cryptography.ts";
import { parseCanonical } from "../../../audit/verify/entry-parser.ts";
import { createNoteReader } from "../../../audit/verify/note-reader.ts";
import type { StoredParts } from "../../../audit/verify/part-lines.ts";
import { verifyParts } from "../../../audit/verify/parts.ts";
import { isObject, type JsonObject } from "../../../platform/json/json.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { coveredThrough } from "../verify/ledger.ts";
import { unpackPayload } from "../verify/payload.ts";
import { toSource } from "../verify/verification-steps.ts";

interface PruneRow {
  readonly entry: string;
  readonly hash: string;
  readonly salt: Uint8Array;
  readonly text: Uint8Array;
}

/** The seq that the newest record covered by a checkpoint names as the last one without a payload; 0 when no record names one. */
export function announcedThrough(
  database: Database,
  verifierKeys: readonly string[],
  chain: { readonly number: number; readonly chain: string },
): number {
  const covered = coveredThrough(
    toSource(database),
    createNoteReader(verifierKeys, runtimeCryptography),
    chain,
  );
  const rows = database.prepare<[number, number], PruneRow>(
    `SELECT e.entry, e.hash, p.salt, p.text FROM audit_entry e JOIN audit_payload p ON p.entry = e.number
     WHERE e.chain = ? AND e.seq <= ? AND e.action = 'audit.prune' ORDER BY e.seq DESC`,
  );
  for (const row of rows.iterate(chain.number, covered)) {
    const said = namedBy(row);
    if (said !== null) return said;
  }
  return 0;
}

/** Null when the record names none, or does not match its hash. */
function namedBy({ entry, hash, salt, text }: PruneRow): number | null {
  const unpacked = unpackPayload(text);
  if (unpacked === null || entryHash(entry) !== hash) return null;
  const stored = { content: unpacked, salt };
  if (!isCommitted(parseCanonical(entry), stored)) return null;
  const said: unknown = JSON.parse(readPayloadText(stored) ?? "null");
  const through = isObject(said) ? said.payloads_through : null;
  return Number.isSafeInteger(through) ? Number(through) : null;
}

function isCommitted(entry: JsonObject | null, stored: StoredParts): boolean {
  const { v, parts, payload_hash: hash } = entry ?? {};
  if (v !== 2) return hash === payloadHash(stored.salt, Buffer.from(stored.content).toString());
  const committed = { parts: Number(parts), payloadHash: String(hash) };
  return verifyParts(stored, committed, runtimeCryptography) !== null;
}
