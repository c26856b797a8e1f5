// Owns the SQL that finds memories by their tags, and that counts the memories of each tag.

import { LRUCache } from "lru-cache";
import type { TagPage, TagQuery } from "../../../memory/counts.ts";
import { kindsOf } from "../../../memory/kind.ts";
import { type Owner, ownerId } from "../../../memory/owner.ts";
import type { TagFilter } from "../../../memory/tags.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { ownerSerialsOf } from "../project-serials.ts";
import { createListCursors } from "./list-cursor.ts";
import { ofKinds, toKindsParameter } from "./memory-row.ts";

interface TaggedMemories {
  /** A query for the serials of the memories that match, each once, without those that a bulk delete has hidden. */
  readonly sql: string;
  /** All of its parameters except `project`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** SQL behind the number of a project: the memories of one owner are wanted. */
export const oneOwner = "= :project";

/**
 * @param condition restricts the pools `p`, such as "p.memory_type = 'fact'"
 * @param owners SQL behind the number of a project: whose memories are wanted
 */
export function taggedMemories(
  { tags, match }: TagFilter,
  condition = "TRUE",
  owners = oneOwner,
): TaggedMemories {
  const names = tags.map((_, at) => `tag${at}`);
  // CROSS JOIN: the pools are few, and each of them has one range of the tag's rows.
  const each = names.map(
    (name) => `SELECT t.memory FROM pool p CROSS JOIN memory_tag t
      ON t.project = p.project AND t.memory_type = p.memory_type AND t.epoch = p.epoch
      WHERE p.project ${owners} AND t.tag = :${name} AND (${condition})`,
  );
  return {
    sql: each.join(match === "all" ? " INTERSECT " : " UNION "),
    parameters: Object.fromEntries(names.map((name, at) => [name, tags[at] ?? ""])),
  };
}

/** Pages of tags that are kept until a memory of their project changes. */
const keptPages = 100;

/** A place in the list: the tag before it. */
type Place = TagPage["tags"][number];

/**
 * Reads the rows of all tags of the project, in their order; they are found without the memories. A million memories take half a second, so
 * a page is kept with the newest revision of its project, which every change of a memory increases.
 */
export function createTagList(database: Database): (owner: Owner, query: TagQuery) => TagPage | null {
  const serialOf = ownerSerialsOf(database);
  const cursors = createListCursors<Place>(database);
  // Counted in the order of the key; then pools are looked up for each number and not for each row.
  const counted = `SELECT t.tag, SUM(t.memories) AS count FROM
      (SELECT project, tag, memory_type, epoch, COUNT(*) AS memories FROM memory_tag
       WHERE project = :project AND ${ofKinds("memory_tag")}
       GROUP BY project, tag, memory_type, epoch) t
    JOIN pool p ON p.project = t.project AND p.memory_type = t.memory_type AND p.epoch = t.epoch
    GROUP BY t.tag`;
  const page = database.prepare<[Record<string, unknown>], Place & { total: number }>(
    `SELECT tag, count, COUNT(*) OVER () AS total FROM (${counted})
     WHERE :tag IS NULL OR count < :count OR (count = :count AND tag > :tag)
     ORDER BY count DESC, tag LIMIT :limit OFFSET :skip`,
  );
  const all = database
    .prepare<[Record<string, unknown>], number>(`SELECT COUNT(*) FROM (${counted})`)
    .pluck();
  const newestRevision = database
    .prepare<[number], number>("SELECT revision FROM project WHERE serial = ?")
    .pluck();
  const kept = new LRUCache<string, { readonly revision: number; readonly found: TagPage }>({
    max: keptPages,
  });
  return database.transaction((owner: Owner, query: TagQuery) => {
    const { type, origin, limit, after } = query;
    const list = JSON.stringify(["tags", ownerId(owner), type, origin]);
    const from = "cursor" in after ? cursors.read(list, after.cursor) : null;
    if ("cursor" in after && from === null) return null;
    const wanted = { project: serialOf(owner), kinds: toKindsParameter(kindsOf(type, origin)) };
    const revision = newestRevision.get(wanted.project) ?? 0;
    const key = JSON.stringify([wanted.project, wanted.kinds, limit, after]);
    const known = kept.get(key);
    if (known?.revision === revision) return known.found;
    const skip = "skip" in after ? after.skip : 0;
    const { tag = null, count = null } = from ?? {};
    const rows = page.all({ ...wanted, tag, count, limit: limit + 1, skip });
    // Behind the end there is no row that has the total.
    const total = from?.total ?? rows[0]?.total ?? all.get(wanted) ?? 0;
    const before = from?.before ?? skip;
    const tags = rows.slice(0, limit).map(({ tag, count }) => ({ tag, count }));
    const last = rows.length > limit ? tags.at(-1) : undefined;
    const position = { total, before: before + limit };
    const next = last === undefined ? null : cursors.write(list, { ...last, ...position });
    const found = { tags, total, before, next };
    kept.set(key, { revision, found });
    return found;
  });
}
