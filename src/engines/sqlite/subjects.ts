// Owns the SQL of subjects: a row of `pseudonym` with the name, and a row of `project` under the same id, to which its memories belong. A
// person for whom a client acts has the first row only.

import type { ListedSubject, SubjectReader, SubjectTransaction } from "../../calls/storage/subject-store.ts";
import type { Owner } from "../../memory/owner.ts";
import { randomId } from "../../platform/ids.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import { createPoolInsertion, serialsOf } from "./project-serials.ts";
import { createSubjectErasure } from "./subject-erasure.ts";
import type { WriterState } from "./threads/writer-state.ts";

const byName = (kind: "subject" | "person") =>
  `SELECT id FROM pseudonym WHERE project = ? AND kind = '${kind}' AND COALESCE(owner, 0) = 0 AND name = ?`;

export function createSubjectReader(database: Database): Omit<SubjectReader, "recordsAbout"> {
  const serialOf = serialsOf(database);
  const find = database.prepare<[number, string], string>(byName("subject")).pluck();
  const findPerson = database.prepare<[number, string], string>(byName("person")).pluck();
  // Of a name, "" is before every one.
  const list = database.prepare<[number, string, number], ListedSubject>(
    `SELECT s.id, s.name, (SELECT TOTAL(memories) FROM pool WHERE pool.project = o.serial) AS memories
     FROM pseudonym s JOIN project o ON o.id = s.id
     WHERE s.project = ? AND s.kind = 'subject' AND COALESCE(s.owner, 0) = 0 AND s.name > ? ORDER BY s.name LIMIT ?`,
  );
  const nameOf = database
    .prepare<[string, number], string | null>(
      "SELECT name FROM pseudonym WHERE id = ? AND project = ? AND kind IN ('subject', 'person')",
    )
    .pluck();
  const subjects = database
    .prepare<[number], string>(
      "SELECT id FROM project WHERE parent = ? AND deleted_at IS NULL ORDER BY serial",
    )
    .pluck();
  return {
    async find({ id: project }, name) {
      const id = find.get(serialOf(project), name);
      return id === undefined ? null : { id, name };
    },
    async findPerson({ id: project }, name) {
      const id = findPerson.get(serialOf(project), name);
      return id === undefined ? null : { id, name };
    },
    async list({ id: project }, after, limit) {
      const place = after === null ? "" : (nameOf.get(after, serialOf(project)) ?? null);
      return place === null ? null : list.all(serialOf(project), place, limit);
    },
    async findById({ id: project }, id) {
      const name = nameOf.get(id, serialOf(project)) ?? null;
      return name === null ? null : { id, name };
    },
    async owners({ id: project }): Promise<readonly Owner[]> {
      const ids = subjects.all(serialOf(project));
      return [null, ...ids].map((subject) => ({ project, subject }));
    },
  };
}

export function createSubjectTransaction(database: Database, state: WriterState): SubjectTransaction {
  const serialOf = serialsOf(database);
  const find = database.prepare<[number, string], string>(byName("subject")).pluck();
  const findPerson = database.prepare<[number, string], string>(byName("person")).pluck();
  const exists = database.prepare<[string], number>("SELECT 1 FROM pseudonym WHERE id = ?").pluck();
  const insertPseudonym = database.prepare(
    "INSERT INTO pseudonym (id, project, kind, name) VALUES (?, ?, ?, ?)",
  );
  // What a project has besides its memories, a subject does not have.
  const insertOwner = database.prepare(
    `INSERT INTO project (id, name, plan, subscription, created_at, parent)
     SELECT :id, :id, plan, subscription, created_at, serial FROM project WHERE serial = :project`,
  );
  const insertPools = createPoolInsertion(database);
  return {
    ...createSubjectErasure(database, state),
    async openPerson({ id: own }, { id, name }) {
      const project = serialOf(own);
      const known = findPerson.get(project, name);
      if (known !== undefined) return { id: known, name };
      // The pseudonym of a person that was erased is not given again.
      const given = exists.get(id) === undefined ? id : randomId();
      insertPseudonym.run(given, project, "person", name);
      return { id: given, name };
    },
    async open({ id }, subject) {
      const project = serialOf(id);
      if (findPerson.get(project, subject.name) === subject.id) return true;
      const known = find.get(project, subject.name);
      if (known !== undefined) return known === subject.id;
      if (exists.get(subject.id) !== undefined) return false;
      insertPseudonym.run(subject.id, project, "subject", subject.name);
      insertPools(Number(insertOwner.run({ id: subject.id, project }).lastInsertRowid));
      return true;
    },
  };
}
