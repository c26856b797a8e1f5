// The subjects of the test engine.

import type { SubjectReader, SubjectTransaction } from "../../../src/memory/subject-store.ts";
import type { Data } from "./data.ts";

/** Ids under which the project and its subjects have memories. */
export function ownIds({ subjects }: Data, project: string): readonly string[] {
  const own = subjects.all().filter((row) => row.project === project);
  return [project, ...own.map(({ id }) => id)];
}

export function createSubjectReader(data: Data): SubjectReader {
  return {
    find: ({ id: project }, name) => data.inTurn(() => findSubject(data, project, name)),
    owners: ({ id: project }) =>
      data.inTurn(() =>
        ownIds(data, project).map((id) => ({ project, subject: id === project ? null : id })),
      ),
  };
}

export function createSubjectTransaction(data: Data): SubjectTransaction {
  return {
    async open({ id: project }, { id, name }) {
      const known = findSubject(data, project, name);
      if (known !== null) return known.id === id;
      if (data.subjects.get(id) !== undefined) return false;
      data.subjects.set(id, { id, name, project });
      return true;
    },
  };
}

function findSubject({ subjects }: Data, project: string, name: string) {
  const row = subjects.all().find((each) => each.project === project && each.name === name);
  return row === undefined ? null : { id: row.id, name };
}
