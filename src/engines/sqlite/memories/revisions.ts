// Owns the revisions of memories: the order of changes within a project. They are counted in the project's row and allocated in the
// transaction that holds it, so that no two changes of a project have the same one, also with several servers.

import type { Database } from "../../../platform/native/sqlite.ts";

export interface Revisions {
  /** The next revision of the project with this serial. Gaps mean nothing. */
  next(project: number): number;
  /** Writes the newest revisions to the projects' rows; call it right before the commit. */
  write(): void;
  /** The transaction was rolled back. */
  forget(): void;
}

export function createRevisions(database: Database): Revisions {
  const read = database.prepare<[number], number>("SELECT revision FROM project WHERE serial = ?").pluck();
  const update = database.prepare("UPDATE project SET revision = ? WHERE serial = ?");
  /** By project: the newest revision, of projects that the transaction changes. */
  const newest = new Map<number, number>();
  return {
    next(project) {
      const revision = (newest.get(project) ?? read.get(project) ?? 0) + 1;
      newest.set(project, revision);
      return revision;
    },
    write() {
      for (const [project, revision] of newest) update.run(revision, project);
      newest.clear();
    },
    forget() {
      newest.clear();
    },
  };
}
