// Owns the SQL that finds the records about a pseudonym, of a subject or a conversation, and what of their payloads is about it.

import { notErasable } from "../../../audit/erased.ts";
import { partsAbout } from "../../../audit/stored-payload.ts";
import type { TracedRecord } from "../../../audit/traced.ts";
import type { StoredParts } from "../../../audit/verify/part-lines.ts";
import type { Database } from "../../../native/sqlite.ts";
import { unpackPayload } from "../verify/payload.ts";

interface PayloadRow {
  seq: number;
  id: string;
  action: string;
  /** Id. */
  project: string;
  salt: Uint8Array;
  text: Uint8Array;
}

/** A record that has a payload. */
interface NamingRecord extends Omit<PayloadRow, "salt" | "text"> {
  /** Null: it cannot be read. */
  readonly stored: StoredParts | null;
}

export function createRecordsAbout(database: Database) {
  const count = database
    .prepare<[string], number>(
      `SELECT COUNT(*) FROM audit_pseudonym a JOIN audit_payload p ON p.entry = a.entry
       WHERE a.pseudonym = (SELECT serial FROM pseudonym WHERE id = ?)`,
    )
    .pluck();
  const list = database.prepare<[string, string], PayloadRow>(
    `SELECT e.seq, e.id, e.action, o.id AS project, p.salt, p.text FROM audit_pseudonym a
     JOIN audit_entry e ON e.number = a.entry JOIN audit_payload p ON p.entry = a.entry
     JOIN audit_chain c ON c.number = e.chain JOIN project o ON o.serial = c.project
     WHERE a.pseudonym = (SELECT serial FROM pseudonym WHERE id = ?) AND e.action NOT IN (SELECT value FROM json_each(?))
     ORDER BY e.number`,
  );
  const naming = (pseudonym: string): NamingRecord[] =>
    list.all(pseudonym, JSON.stringify(notErasable)).map(({ salt, text, ...place }) => {
      const content = unpackPayload(text);
      return { ...place, stored: content === null ? null : { content, salt } };
    });
  return {
    /** Number of the records that name it and have a payload. */
    count: (pseudonym: string): number => count.get(pseudonym) ?? 0,
    naming,
    /** Those of which something is left to erase. */
    held: (pseudonym: string): TracedRecord[] =>
      naming(pseudonym).flatMap(({ stored, ...place }) => {
        const parts = stored === null ? null : partsAbout(stored, pseudonym);
        return parts?.length === 0 ? [] : [{ ...place, holding: "shown", parts }];
      }),
  };
}
