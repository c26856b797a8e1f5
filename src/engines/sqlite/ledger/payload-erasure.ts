// Owns the SQL that erases the payload of a record, or parts of it. Their bytes are overwritten (`secure_delete`).

import { eraseParts } from "../../../audit/parts/parts.ts";
import { presentParts } from "../../../audit/parts/stored-payload.ts";
import type { TracedRecord } from "../../../audit/trace/traced.ts";
import type { StoredParts } from "../../../audit/verify/part-lines.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { unpackPayload } from "../verify/payload.ts";

interface PayloadRow {
  entry: number;
  salt: Uint8Array;
  text: Uint8Array;
  parts: number;
}

/** @returns a function that returns what of a record it has erased; null: nothing, because all of it was erased before */
export function createPayloadErasure(database: Database): (held: TracedRecord) => TracedRecord | null {
  const remove = database.prepare(
    "DELETE FROM audit_payload WHERE entry = (SELECT number FROM audit_entry WHERE id = ?)",
  );
  const find = database.prepare<[string], PayloadRow>(
    `SELECT p.entry, p.salt, p.text, e.entry ->> '$.parts' AS parts FROM audit_payload p
     JOIN audit_entry e ON e.number = p.entry WHERE e.id = ?`,
  );
  const replace = database.prepare("UPDATE audit_payload SET salt = ?, text = ? WHERE entry = ?");
  const replaceSame = database.prepare(
    "UPDATE audit_payload SET salt = ?, text = ? WHERE entry = (SELECT number FROM audit_entry WHERE id = ?) AND text = ?",
  );
  // As the trigger of the schema does for a whole payload.
  const removeTask = database.prepare("DELETE FROM remember_task WHERE record = ?");

  const erase = (held: TracedRecord): TracedRecord | null => {
    const { id, parts, prepared } = held;
    if (parts === null) return remove.run(id).changes > 0 ? held : null;
    if (prepared !== undefined) {
      const { salt, compressed, before } = prepared;
      if (replaceSame.run(salt, compressed, id, before).changes > 0) return held;
    }
    const row = find.get(id);
    const content = row === undefined ? null : unpackPayload(row.text);
    if (row === undefined || content === null) return null;
    const stored: StoredParts = { content, salt: row.salt };
    const left = presentParts(stored)?.filter(({ index }) => parts.includes(index)) ?? [];
    if (left.length === 0) return null;
    const erased = left.map(({ index }) => index);
    const { salt, compressed } = eraseParts(stored, row.parts, new Set(erased));
    replace.run(salt, compressed, row.entry);
    return { ...held, parts: erased };
  };
  return (held) => {
    const erased = erase(held);
    if (erased !== null && erased.parts !== null) removeTask.run(held.id);
    return erased;
  };
}
