// Owns the SQL that deletes what there is of a subject. Rows are deleted at once and not hidden first, because nothing of them may be left
// when the call is answered.

import { notErasable } from "../../audit/erased.ts";
import { partsAbout } from "../../audit/stored-payload.ts";
import type { TracedRecord } from "../../audit/traced.ts";
import type { Subject } from "../../memory/owner.ts";
import type { Database } from "../../native/sqlite.ts";
import type { SubjectTransaction } from "../../subjects/store.ts";
import { createRowRemoval } from "./memories/row-removal.ts";
import type { WriterState } from "./threads/writer-state.ts";
import { unpackPayload } from "./verify/payload.ts";

interface HeldRow {
  seq: number;
  id: string;
  action: string;
  /** Id. */
  project: string;
  salt: Uint8Array;
  text: Uint8Array;
}

export function createSubjectErasure(
  database: Database,
  state: WriterState,
): Pick<SubjectTransaction, "holdings" | "erase"> {
  const ownerOf = database
    .prepare<[string], number>("SELECT serial FROM project WHERE id = ? AND parent IS NOT NULL")
    .pluck();
  const memories = database
    .prepare<[number], number>("SELECT TOTAL(memories) FROM pool WHERE project = ?")
    .pluck();
  const checks = database
    .prepare<[number], number>("SELECT COUNT(*) FROM memory_check WHERE project = ?")
    .pluck();
  const records = database
    .prepare<[string], number>(
      `SELECT COUNT(*) FROM audit_pseudonym a JOIN audit_payload p ON p.entry = a.entry
       WHERE a.pseudonym = (SELECT serial FROM pseudonym WHERE id = ?)`,
    )
    .pluck();
  const held = database.prepare<[string, string], HeldRow>(
    `SELECT e.seq, e.id, e.action, o.id AS project, p.salt, p.text FROM audit_pseudonym a
     JOIN audit_entry e ON e.number = a.entry JOIN audit_payload p ON p.entry = a.entry
     JOIN audit_chain c ON c.number = e.chain JOIN project o ON o.serial = c.project
     WHERE a.pseudonym = (SELECT serial FROM pseudonym WHERE id = ?) AND e.action NOT IN (SELECT value FROM json_each(?))
     ORDER BY e.number`,
  );
  const serials = database
    .prepare<[number], number>("SELECT serial FROM memory WHERE project = ? ORDER BY serial")
    .pluck();
  const removeRows = createRowRemoval(database, state);
  /** Each with the number of the owner. */
  const others = [
    `UPDATE project SET
       subject_memories = subject_memories - (SELECT TOTAL(memories) FROM pool WHERE project = :owner AND memory_type <> 'passage'),
       subject_passages = subject_passages - (SELECT TOTAL(memories) FROM pool WHERE project = :owner AND memory_type = 'passage')
     WHERE serial = (SELECT parent FROM project WHERE serial = :owner)`,
    "DELETE FROM pool WHERE project = :owner",
    "DELETE FROM dead_pool WHERE project = :owner",
    "DELETE FROM memory_removal WHERE project = :owner",
    "DELETE FROM memory_check WHERE project = :owner",
    "UPDATE project SET deleted_at = :now WHERE serial = :owner",
  ].map((sql) => database.prepare(sql));
  const removeTasks = database.prepare("DELETE FROM remember_task WHERE subject = ?");
  // A key for it alone has its name, and nothing left to do.
  const revokeKeys = database.prepare(
    `UPDATE api_key SET revoked_at = COALESCE(revoked_at, :now), subject = :id
     WHERE project = (SELECT project FROM pseudonym WHERE id = :id) AND subject = :name`,
  );
  const removeName = database.prepare("UPDATE pseudonym SET name = NULL WHERE id = ?");

  const holdings: SubjectTransaction["holdings"] = async ({ id }) => {
    const owner = ownerOf.get(id) ?? 0;
    return {
      memories: memories.get(owner) ?? 0,
      checks: checks.get(owner) ?? 0,
      records: records.get(id) ?? 0,
    };
  };
  return {
    holdings,
    async erase(subject: Subject, now: number) {
      const { id } = subject;
      const found = await holdings(subject);
      const owner = ownerOf.get(id) ?? 0;
      removeRows(serials.all(owner));
      for (const statement of others) statement.run({ owner, now });
      removeTasks.run(id);
      state.callers.clear();
      revokeKeys.run({ id, name: subject.name, now });
      removeName.run(id);
      return { ...found, held: held.all(id, JSON.stringify(notErasable)).flatMap((row) => toHeld(row, id)) };
    },
  };
}

function toHeld({ salt, text, ...place }: HeldRow, pseudonym: string): TracedRecord[] {
  const content = unpackPayload(text);
  const parts = content === null ? null : partsAbout({ content, salt }, pseudonym);
  return parts?.length === 0 ? [] : [{ ...place, holding: "shown", parts }];
}
