// Owns the translation of a project's id, by which the rest of the program knows it, to the small number by which rows refer to it.

import type { Database } from "../../native/sqlite.ts";

/** @throws Error when there is no such project; deleted ones still have their number. */
type SerialOf = (projectId: string) => number;

const lookups = new WeakMap<Database, SerialOf>();

/** Remembers what it found, for all users of the connection: neither ids nor numbers ever change or return. */
export function serialsOf(database: Database): SerialOf {
  const lookup = lookups.get(database) ?? createLookup(database);
  lookups.set(database, lookup);
  return lookup;
}

function createLookup(database: Database): SerialOf {
  const find = database.prepare<[string], number>("SELECT serial FROM project WHERE id = ?").pluck();
  const known = new Map<string, number>();
  return (projectId) => {
    const serial = known.get(projectId) ?? find.get(projectId);
    if (serial === undefined) throw new Error(`there is no project ${projectId}`);
    known.set(projectId, serial);
    return serial;
  };
}
