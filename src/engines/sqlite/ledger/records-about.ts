// Owns the SQL that finds the records about a pseudonym, of a subject or a conversation, and what of their payloads is about it.

import { notErasable } from "../../../audit/erased.ts";
import { eraseParts } from "../../../audit/parts.ts";
import { partsAbout } from "../../../audit/stored-payload.ts";
import type { RecordsAbout, TracedRecord } from "../../../audit/traced.ts";
import type { StoredParts } from "../../../audit/verify/part-lines.ts";
import type { Database } from "../../../native/sqlite.ts";
import { unpackPayload } from "../verify/payload.ts";

/** Payloads whose erasure is prepared before the transaction; that of the others is not. */
const preparedMaxBytes = 32 * 1024 * 1024;

interface PayloadRow {
  seq: number;
  id: string;
  action: string;
  /** Id. */
  project: string;
  salt: Uint8Array;
  text: Uint8Array;
  /** Null: the record is of version 1. */
  parts: number | null;
}

/** A record that has a payload. */
interface NamingRecord extends PayloadRow {
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
  const list = database.prepare<[string, number, string], PayloadRow>(
    `SELECT e.seq, e.id, e.action, o.id AS project, p.salt, p.text, e.entry ->> '$.parts' AS parts FROM audit_pseudonym a
     JOIN audit_entry e ON e.number = a.entry JOIN audit_payload p ON p.entry = a.entry
     JOIN audit_chain c ON c.number = e.chain JOIN project o ON o.serial = c.project
     WHERE a.pseudonym = (SELECT serial FROM pseudonym WHERE id = ?) AND a.entry > ? AND e.action NOT IN (SELECT value FROM json_each(?))
     ORDER BY e.number`,
  );
  const newest = database.prepare<[], number | null>("SELECT MAX(number) FROM audit_entry").pluck();
  const naming = (pseudonym: string, after = 0): NamingRecord[] =>
    list.all(pseudonym, after, JSON.stringify(notErasable)).map((row) => {
      const content = unpackPayload(row.text);
      return { ...row, stored: content === null ? null : { content, salt: row.salt } };
    });
  return {
    /** Number of the records that name it and have a payload. */
    count: (pseudonym: string): number => count.get(pseudonym) ?? 0,
    naming,
    /** Those of which something is left to erase. `after`: only records behind this one, a number over all chains. */
    held: (pseudonym: string, after = 0): TracedRecord[] =>
      naming(pseudonym, after).flatMap(toHeld(pseudonym)),
    /** The same, each with what becomes of its payload, as many as fit into memory. */
    prepare: database.transaction((pseudonym: string): RecordsAbout => {
      let bytes = 0;
      const records = naming(pseudonym).flatMap((row) =>
        toHeld(pseudonym)(row).map((held) => {
          bytes += row.text.length;
          return bytes > preparedMaxBytes ? held : { ...held, ...toPrepared(row, held) };
        }),
      );
      return { records, through: newest.get() ?? 0 };
    }),
  };
}

function toHeld(pseudonym: string): (record: NamingRecord) => TracedRecord[] {
  return ({ seq, id, action, project, stored }) => {
    const parts = stored === null ? null : partsAbout(stored, pseudonym);
    return parts?.length === 0 ? [] : [{ seq, id, action, project, holding: "shown", parts }];
  };
}

function toPrepared(
  { stored, text, parts: count }: NamingRecord,
  { parts }: TracedRecord,
): Pick<TracedRecord, "prepared"> {
  if (stored === null || count === null || parts === null) return {};
  return { prepared: { before: text, ...eraseParts(stored, count, new Set(parts)) } };
}
