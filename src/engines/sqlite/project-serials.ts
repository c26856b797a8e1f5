// Owns the translation of the ids of projects and subjects, by which the rest of the program knows them, to the small numbers by which rows
// refer to them. A subject has a row of `project` whose parent is its project, so that what holds for the memories of a project holds for
// those of a subject.

import { kinds } from "../../memory/kind.ts";
import { type Owner, ownerId } from "../../memory/owner.ts";
import type { Database } from "../../platform/native/sqlite.ts";

interface Lookup {
  /** Undefined: there is no such project or subject. */
  readonly find: (id: string) => number | undefined;
  /**
   * Remembers what it found: neither ids nor numbers of projects ever change or return.
   * @throws Error when there is no such project; deleted ones still have their number.
   */
  readonly serialOf: (projectId: string) => number;
}

const lookups = new WeakMap<Database, Lookup>();

/** The same for all users of the connection. */
export function lookupOf(database: Database): Lookup {
  const lookup = lookups.get(database) ?? createLookup(database);
  lookups.set(database, lookup);
  return lookup;
}

function createLookup(database: Database): Lookup {
  const statement = database.prepare<[string], number>("SELECT serial FROM project WHERE id = ?").pluck();
  const find = (id: string) => statement.get(id);
  const known = new Map<string, number>();
  const serialOf = (projectId: string) => {
    const serial = known.get(projectId) ?? find(projectId);
    if (serial === undefined) throw new Error(`there is no project ${projectId}`);
    known.set(projectId, serial);
    return serial;
  };
  return { find, serialOf };
}

export function serialsOf(database: Database): Lookup["serialOf"] {
  return lookupOf(database).serialOf;
}

/** The number of the owner of memories; `noOwner` for a subject that has stored nothing. */
export function ownerSerialsOf(database: Database): (owner: Owner) => number {
  const { find, serialOf } = lookupOf(database);
  return (owner) => (owner.subject === null ? serialOf(owner.project) : (find(ownerId(owner)) ?? noOwner));
}

/** The numbers of the owner and, `withProject`, of its project; each once. */
export function ownerSetsOf(database: Database): (owner: Owner, withProject?: boolean) => readonly number[] {
  const serialOf = ownerSerialsOf(database);
  return (owner, withProject = false) => [
    ...new Set([owner, ...(withProject ? [{ ...owner, subject: null }] : [])].map(serialOf)),
  ];
}

/** @returns a function that creates the pools of a new owner, one for each kind of memories */
export function createPoolInsertion(database: Database): (owner: number) => void {
  const insert = database.prepare<[number, string]>(
    "INSERT INTO pool (project, memory_type, epoch, memories) VALUES (?, ?, 1, 0)",
  );
  return (owner) => {
    for (const kind of kinds) insert.run(owner, kind);
  };
}

/** No row refers to it. */
const noOwner = 0;

/** SQL: the number of memories of a project and all of its subjects, without passages. @param project alias of its row */
export function memoriesOf(project: string): string {
  return `(SELECT TOTAL(memories) FROM pool WHERE pool.project = ${project}.serial AND memory_type <> 'passage') + ${project}.subject_memories`;
}

/** SQL: as memoriesOf, of passages. */
export function passagesOf(project: string): string {
  return `(SELECT TOTAL(memories) FROM pool WHERE pool.project = ${project}.serial AND memory_type = 'passage') + ${project}.subject_passages`;
}

/** SQL: the numbers of a project and its subjects. Its parameter is the id of the project. */
export const ownersOfProject =
  "SELECT o.serial FROM project p JOIN project o ON o.serial = p.serial OR o.parent = p.serial WHERE p.id = ?";
