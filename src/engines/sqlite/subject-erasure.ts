// Owns the SQL that deletes what there is of a subject. Rows are deleted at once and not hidden first, because nothing of them may be left
// when the call is answered.

import type { SubjectTransaction } from "../../calls/storage/subject-store.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import { createRecordsAbout } from "./ledger/records-about.ts";
import { createRowRemoval } from "./memories/row-removal.ts";
import type { WriterState } from "./threads/writer-state.ts";

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
  const records = createRecordsAbout(database);
  // The subject first: a part about both is then erased with the rest of its record.
  const sameName = database
    .prepare<[string], string>(
      `SELECT p.id FROM pseudonym s JOIN pseudonym p ON p.project = s.project AND p.kind = 'person' AND COALESCE(p.owner, 0) = 0
         AND p.name = s.name WHERE s.id = ? AND s.kind = 'subject'`,
    )
    .pluck();
  const pseudonymsOf = (id: string) => [id, ...sameName.all(id)];
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
    "DELETE FROM suggestion WHERE project = :owner",
    "UPDATE project SET deleted_at = :now WHERE serial = :owner",
  ].map((sql) => database.prepare(sql));
  const removeTasks = database.prepare("DELETE FROM remember_task WHERE subject = ?");
  // A key for it alone has its name, and nothing left to do.
  const revokeKeys = database.prepare(
    `UPDATE api_key SET revoked_at = COALESCE(revoked_at, :now), subject = :id
     WHERE project = (SELECT project FROM pseudonym WHERE id = :id) AND subject = :name`,
  );
  // Those of its conversations and of the person with its name, too.
  const removeNames = database
    .prepare<[{ id: string; ids: string }], string>(
      `UPDATE pseudonym SET name = NULL
       WHERE name IS NOT NULL AND (id IN (SELECT value FROM json_each(:ids)) OR owner = (SELECT serial FROM pseudonym WHERE id = :id)) RETURNING id`,
    )
    .pluck();

  const holdings: SubjectTransaction["holdings"] = async ({ id }) => {
    const owner = ownerOf.get(id) ?? 0;
    return {
      memories: memories.get(owner) ?? 0,
      checks: checks.get(owner) ?? 0,
      records: records.count(pseudonymsOf(id)),
    };
  };
  return {
    holdings,
    async erase(subject, now, known) {
      const { id } = subject;
      const found = await holdings(subject);
      const owner = ownerOf.get(id) ?? 0;
      removeRows(serials.all(owner));
      for (const statement of others) statement.run({ owner, now });
      removeTasks.run(id);
      state.callers.clear();
      revokeKeys.run({ id, name: subject.name, now });
      const ids = pseudonymsOf(id);
      const later = ids.flatMap((each) => records.held(each, known?.through));
      const held = [...(known?.records ?? []), ...later];
      return { ...found, held, pseudonyms: removeNames.all({ id, ids: JSON.stringify(ids) }) };
    },
  };
}
