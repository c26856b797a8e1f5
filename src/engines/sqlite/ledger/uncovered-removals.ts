// Owns the search for removals that no checkpoint covers, so that the server did not make them: its next checkpoint must not cover
// them. Only reads.

import { readPayloadText } from "../../../audit/parts/stored-payload.ts";
import { runtimeCryptography } from "../../../audit/runtime-cryptography.ts";
import { createNoteReader } from "../../../audit/verify/note-reader.ts";
import type { UncoveredRemoval } from "../../../calls/storage/stored-ledger.ts";
import { isObject } from "../../../platform/json/json.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { coveredThrough } from "../verify/ledger.ts";
import { unpackPayload } from "../verify/payload.ts";
import { toSource } from "../verify/verification-steps.ts";

const actions = "('audit.redact', 'audit.prune')";

/** For each chain, the first record of a removal that no checkpoint signed with these keys covers. */
export function findUncoveredRemovals(
  database: Database,
  verifierKeys: readonly string[],
): UncoveredRemoval[] {
  const source = toSource(database);
  const reader = createNoteReader(verifierKeys, runtimeCryptography);
  const chains = database.prepare<[], { number: number; chain: string; newest: number | null }>(
    `SELECT number, id AS chain,
       (SELECT MAX(seq) FROM audit_entry WHERE chain = c.number AND action IN ${actions}) AS newest
     FROM audit_chain c ORDER BY number`,
  );
  const later = database.prepare<[number, number], RemovalRow>(
    `SELECT e.seq, e.action, p.salt, p.text FROM audit_entry e LEFT JOIN audit_payload p ON p.entry = e.number
     WHERE e.chain = ? AND e.seq > ? AND e.action IN ${actions} ORDER BY e.seq`,
  );
  return chains.all().flatMap(({ number, chain, newest }) => {
    if (newest === null) return [];
    const covered = coveredThrough(source, reader, { number, chain });
    if (newest <= covered) return [];
    const found = later.all(number, covered).find(removesSomething);
    return found === undefined ? [] : [{ chain, seq: found.seq, action: found.action }];
  });
}

interface RemovalRow {
  readonly seq: number;
  readonly action: string;
  /** Null: the payload is missing. */
  readonly salt: Uint8Array | null;
  readonly text: Uint8Array | null;
}

/** Calls of administration have records with the same actions, which contain only request and answer. */
function removesSomething({ salt, text }: RemovalRow): boolean {
  const content = text === null ? null : unpackPayload(text);
  if (content === null || salt === null) return false;
  try {
    const payload: unknown = JSON.parse(readPayloadText({ content, salt }) ?? "null");
    if (!isObject(payload)) return false;
    return ["redacted", "redacted_parts", "payloads_through", "through"].some((member) => member in payload);
  } catch {
    return false;
  }
}
