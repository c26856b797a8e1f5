// Reads what is also stored in files beside the database: signed checkpoints, and statements about changes of the key. Only reads.

import { readPayloadText } from "../../../audit/stored-payload.ts";
import { isObject } from "../../../json/json.ts";
import type { Database } from "../../../native/sqlite.ts";
import type { PublishedState, StoredCheckpoint } from "../../../storage/stored-ledger.ts";
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
    .prepare<[], { salt: Uint8Array; text: Uint8Array }>(
      `SELECT p.salt, p.text FROM audit_entry e JOIN audit_payload p ON p.entry = e.number
       WHERE e.chain = (SELECT number FROM audit_chain WHERE project IS NULL)
         AND e.action = 'audit.rotate_key' AND e.status = 200 ORDER BY e.seq`,
    )
    .all();
  return payloads.flatMap(({ salt, text }) => {
    const content = Bun.zstdDecompressSync(text);
    const payload: unknown = JSON.parse(readPayloadText({ content, salt }) ?? "null");
    const body = isObject(payload) ? payload.request_body : null;
    return isObject(body) && typeof body.statement === "string" ? [body.statement] : [];
  });
}
