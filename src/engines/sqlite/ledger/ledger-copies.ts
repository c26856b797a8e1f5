// Reads what is also stored outside of the database: signed checkpoints, statements about changes of the key, and which subjects were erased.
// Only reads.

import { readPayloadText } from "../../../audit/parts/stored-payload.ts";
import type {
  PublishedState,
  RecordedErasure,
  StoredCheckpoint,
} from "../../../calls/storage/stored-ledger.ts";
import { isObject, type JsonObject, readJson } from "../../../platform/json/json.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { unpackPayload } from "../verify/payload.ts";
import { createSizeReader } from "./missing-records.ts";

/** As StoredLedger. */
export function findNewerCheckpoints(
  database: Database,
  published: readonly PublishedState[],
): readonly StoredCheckpoint[] {
  const sizeOf = createSizeReader(database);
  const sizes = new Map(published.map((checkpoint) => [checkpoint.chain, sizeOf(checkpoint)]));
  const chains = database.prepare<[], { number: number; id: string }>(
    "SELECT number, id FROM audit_chain ORDER BY number",
  );
  // By time: after an accepted loss, larger ones are older.
  const newer = database.prepare<[number, number], StoredCheckpoint>(
    `SELECT c.id AS chain, p.size, p.note FROM audit_checkpoint p JOIN audit_chain c ON c.number = p.chain
     WHERE p.chain = ? AND p.size > ? ORDER BY p.at, p.size`,
  );
  return chains.all().flatMap(({ number, id }) => newer.all(number, sizes.get(id) ?? -1));
}

/** The statements of the records about changes of the key, oldest first; without those that retention has removed. */
export function readRecordedRotations(database: Database): readonly string[] {
  const payloads = database
    .prepare<[], PayloadRow>(
      `SELECT p.salt, p.text FROM audit_entry e JOIN audit_payload p ON p.entry = e.number
       WHERE e.chain = (SELECT number FROM audit_chain WHERE project IS NULL)
         AND e.action = 'audit.rotate_key' AND e.status = 200 ORDER BY e.seq`,
    )
    .all();
  return payloads.flatMap((row) => {
    const { request_body: body } = readPayloadOf(row);
    return isObject(body) && typeof body.statement === "string" ? [body.statement] : [];
  });
}

/** As StoredLedger. Works with every older format since the second. */
export function readRecordedErasures(database: Database): readonly RecordedErasure[] {
  const rows = database
    .prepare<[], PayloadRow & { at: number }>(
      `SELECT e.at, p.salt, p.text FROM audit_entry e JOIN audit_payload p ON p.entry = e.number
       WHERE e.action = 'audit.redact' AND e.status = 200 ORDER BY e.number`,
    )
    .all();
  // Formats without pseudonyms have no such record.
  const isOther = (id: string) =>
    database
      .prepare("SELECT 1 FROM pseudonym WHERE id = ? AND kind IN ('conversation', 'person')")
      .get(id) !== undefined;
  return rows.flatMap(({ at, ...row }) => {
    const { erased } = readPayloadOf(row);
    const all = Array.isArray(erased) ? erased.filter((id) => typeof id === "string") : [];
    return all.length === 0 ? [] : [{ at, subjects: all.filter((id) => !isOther(id)) }];
  });
}

interface PayloadRow {
  readonly salt: Uint8Array;
  readonly text: Uint8Array;
}

function readPayloadOf({ salt, text }: PayloadRow): JsonObject {
  const content = unpackPayload(text);
  const payload = readJson((content && readPayloadText({ content, salt })) ?? "");
  return isObject(payload) ? payload : {};
}
