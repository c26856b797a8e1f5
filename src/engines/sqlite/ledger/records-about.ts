// Owns the SQL that finds the records about a pseudonym, of a subject, a conversation or a person, and what of their payloads is about it.

import { eraseParts } from "../../../audit/parts/parts.ts";
import { partsAbout } from "../../../audit/parts/stored-payload.ts";
import type { RecordsAbout, TracedRecord } from "../../../audit/trace/traced.ts";
import type { StoredParts } from "../../../audit/verify/part-lines.ts";
import { notErasable } from "../../../calls/operations/ledger/erased.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { unpackPayload } from "../verify/payload.ts";

/** Records whose erasure is prepared in one step, because other calls wait for it. */
const preparedAtOnce = 25;

/** The records of a step; `through` is the last one, or all if nothing is left. */
export interface PreparedStep extends RecordsAbout {
  readonly isLast: boolean;
}

interface PayloadRow {
  entry: number;
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
      `SELECT COUNT(DISTINCT a.entry) FROM audit_pseudonym a JOIN audit_payload p ON p.entry = a.entry
       WHERE a.pseudonym IN (SELECT serial FROM pseudonym WHERE id IN (SELECT value FROM json_each(?)))`,
    )
    .pluck();
  const list = database.prepare<[string, number, string, number], PayloadRow>(
    `SELECT e.number AS entry, e.seq, e.id, e.action, o.id AS project, p.salt, p.text, e.entry ->> '$.parts' AS parts FROM audit_pseudonym a
     JOIN audit_entry e ON e.number = a.entry JOIN audit_payload p ON p.entry = a.entry
     JOIN audit_chain c ON c.number = e.chain JOIN project o ON o.serial = c.project
     WHERE a.pseudonym = (SELECT serial FROM pseudonym WHERE id = ?) AND a.entry > ? AND e.action NOT IN (SELECT value FROM json_each(?))
     ORDER BY e.number LIMIT ?`,
  );
  const newest = database.prepare<[], number | null>("SELECT MAX(number) FROM audit_entry").pluck();
  const naming = (pseudonym: string, after = 0, limit = -1): NamingRecord[] =>
    list.all(pseudonym, after, JSON.stringify(notErasable), limit).map((row) => {
      const content = unpackPayload(row.text);
      return { ...row, stored: content === null ? null : { content, salt: row.salt } };
    });
  return {
    /** Number of the records that name one of them and have a payload. */
    count: (pseudonyms: readonly string[]): number => count.get(JSON.stringify(pseudonyms)) ?? 0,
    naming,
    /** Those of which something is left to erase. `after`: only records behind this one, a number over all chains. */
    held: (pseudonym: string, after = 0): TracedRecord[] =>
      naming(pseudonym, after).flatMap(toHeld(pseudonym)),
    /** The same in steps, each record with what becomes of its payload. */
    prepare: database.transaction((pseudonym: string, after: number): PreparedStep => {
      const rows = naming(pseudonym, after, preparedAtOnce);
      const heldIn = toHeld(pseudonym);
      const records = rows.flatMap((row) =>
        heldIn(row).map((held) => ({ ...held, ...toPrepared(row, held) })),
      );
      const last = rows.length < preparedAtOnce ? undefined : rows.at(-1)?.entry;
      return { records, through: last ?? newest.get() ?? 0, isLast: last === undefined };
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
