// Compares the memories of a database with what clients were told: which ones they have stored, and which ones are deleted. Must never write
// to the database.

import { Database } from "bun:sqlite";

/** Without those that a bulk delete has hidden. */
const find = "SELECT m.content FROM memory m JOIN pool USING (project, memory_type, epoch) WHERE m.id = ?";
const findTagged =
  "SELECT COUNT(*) AS count FROM memory_tag t JOIN pool USING (project, memory_type, epoch) WHERE t.tag = ?";

/** @param kept contents by id. @returns one sentence for each memory that is not there as it was answered */
export function findLostMemories(path: string, kept: ReadonlyMap<string, string>): string[] {
  using database = new Database(path, { readonly: true });
  const query = database.query<{ content: string }, [string]>(find);
  return [...kept].flatMap(([id, content]) => {
    const found = query.get(id);
    return found?.content === content
      ? []
      : [`the memory ${id} is ${found === null ? "lost" : "another one"}`];
  });
}

/** @returns one sentence for each memory that is still there, and for each tag that a memory still has */
export function findRemainingMemories(
  path: string,
  deleted: { readonly ids: Iterable<string>; readonly tags: Iterable<string> },
): string[] {
  using database = new Database(path, { readonly: true });
  const query = database.query<{ content: string }, [string]>(find);
  const tagged = database.query<{ count: number }, [string]>(findTagged);
  return [
    ...[...deleted.ids].flatMap((id) => (query.get(id) === null ? [] : [`the memory ${id} is still there`])),
    ...[...deleted.tags].flatMap((tag) => {
      const count = tagged.get(tag)?.count ?? 0;
      return count === 0 ? [] : [`${count} memories still have the tag ${tag}`];
    }),
  ];
}
