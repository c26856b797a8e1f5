// The subjects of the test engine.

import type { SubjectReader, SubjectTransaction } from "../../../src/calls/storage/subject-store.ts";
import { randomId } from "../../../src/platform/ids.ts";
import type { Data } from "./data.ts";

/** Ids under which the project and its subjects have memories. */
export function ownIds({ subjects }: Data, project: string): readonly string[] {
  const own = subjects.all().filter((row) => row.project === project);
  return [project, ...own.map(({ id }) => id)];
}

export function createSubjectReader(data: Data): SubjectReader {
  return {
    // Its transactions find all of them.
    recordsAbout: async () => ({ records: [], through: 0 }),
    find: ({ id: project }, name) => data.inTurn(() => findSubject(data, project, name)),
    findPerson: ({ id: project }, name) => data.inTurn(() => findPerson(data, project, name)),
    list: ({ id: project }, after, limit) =>
      data.inTurn(() => {
        const named = data.subjects
          .all()
          .flatMap(({ id, name, project: own }) => (own === project && name !== null ? [{ id, name }] : []))
          .toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
        const at = after === null ? -1 : named.findIndex(({ id }) => id === after);
        if (after !== null && at < 0) return null;
        return named
          .slice(at + 1, at + 1 + limit)
          .map((each) => ({ ...each, memories: holdingsOf(data, each.id).memories.length }));
      }),
    findById: ({ id: project }, id) =>
      data.inTurn(() => {
        const row = data.subjects.get(id) ?? data.persons.get(id);
        return row?.project === project && row.name !== null ? { id, name: row.name } : null;
      }),
    owners: ({ id: project }) =>
      data.inTurn(() =>
        ownIds(data, project).map((id) => ({ project, subject: id === project ? null : id })),
      ),
  };
}

function holdingsOf(data: Data, id: string) {
  const memories = data.memories.all().filter((row) => row.project === id);
  return { memories, checks: data.checks.all().filter((row) => row.project === id) };
}

export function createSubjectTransaction(data: Data): SubjectTransaction {
  return {
    async holdings({ id }) {
      const { memories, checks } = holdingsOf(data, id);
      return { memories: memories.length, checks: checks.length, records: 0 };
    },
    // It keeps the texts of payloads, not their parts.
    async erase({ id }) {
      const { memories, checks } = holdingsOf(data, id);
      for (const { memory } of memories) data.memories.delete(memory.id);
      for (const { check } of checks) data.checks.delete(check.id);
      for (const { suggestion, project } of data.suggestions.all())
        if (project === id) data.suggestions.delete(suggestion.id);
      const row = data.subjects.get(id);
      if (row !== undefined) data.subjects.set(id, { ...row, name: null });
      const person = findPerson(data, row?.project ?? "", row?.name ?? "");
      if (person !== null)
        data.persons.set(person.id, { ...person, project: row?.project ?? "", name: null });
      const own = data.conversations.all().filter(({ subject }) => subject === id);
      for (const each of own) data.conversations.set(each.id, { ...each, name: null });
      const pseudonyms = [id, ...own.map((each) => each.id), ...(person === null ? [] : [person.id])];
      return { memories: memories.length, checks: checks.length, records: 0, held: [], pseudonyms };
    },
    async openPerson({ id: project }, { id, name }) {
      const known = findPerson(data, project, name);
      if (known !== null) return known;
      const given = data.persons.get(id) === undefined ? id : randomId();
      data.persons.set(given, { id: given, name, project });
      return { id: given, name };
    },
    async open({ id: project }, { id, name }) {
      if (findPerson(data, project, name)?.id === id) return true;
      const known = findSubject(data, project, name);
      if (known !== null) return known.id === id;
      if (data.subjects.get(id) !== undefined) return false;
      data.subjects.set(id, { id, name, project });
      return true;
    },
  };
}

function findPerson({ persons }: Data, project: string, name: string) {
  const row = persons.all().find((each) => each.project === project && each.name === name);
  return row === undefined ? null : { id: row.id, name };
}

function findSubject({ subjects }: Data, project: string, name: string) {
  const row = subjects.all().find((each) => each.project === project && each.name === name);
  return row === undefined ? null : { id: row.id, name };
}
