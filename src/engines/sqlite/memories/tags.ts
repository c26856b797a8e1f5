// Owns the SQL that finds memories by their tags, and that counts the memories of each tag.

import type { Project } from "../../../access/project.ts";
import type { TagPage, TagQuery } from "../../../memory/store.ts";
import type { TagFilter } from "../../../memory/tags.ts";
import type { Database } from "../../../native/sqlite.ts";
import { serialsOf } from "../project-serials.ts";

interface TaggedMemories {
  /** A query for the serials of the memories that match, each once, without those that a bulk delete has hidden. */
  readonly sql: string;
  /** All of its parameters except `project`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** @param condition restricts the pools `p`, such as "p.memory_type = 'fact'" */
export function taggedMemories({ tags, match }: TagFilter, condition = "TRUE"): TaggedMemories {
  const names = tags.map((_, at) => `tag${at}`);
  // CROSS JOIN: the pools are few, and each of them has one range of the tag's rows.
  const each = names.map(
    (name) => `SELECT t.memory FROM pool p CROSS JOIN memory_tag t
      ON t.project = p.project AND t.memory_type = p.memory_type AND t.epoch = p.epoch
      WHERE p.project = :project AND t.tag = :${name} AND (${condition})`,
  );
  return {
    sql: each.join(match === "all" ? " INTERSECT " : " UNION "),
    parameters: Object.fromEntries(names.map((name, at) => [name, tags[at] ?? ""])),
  };
}

/** Reads the rows of all tags of the project, in their order; they are found without the memories. */
export function createTagList(database: Database): (project: Project, query: TagQuery) => TagPage {
  const serialOf = serialsOf(database);
  const counted = `SELECT t.tag, COUNT(*) AS count FROM memory_tag t CROSS JOIN pool p
    ON p.project = t.project AND p.memory_type = t.memory_type AND p.epoch = t.epoch
    WHERE t.project = :project AND (:type IS NULL OR t.memory_type = :type) GROUP BY t.tag`;
  const page = database.prepare<[Record<string, unknown>], { tag: string; count: number }>(
    `${counted} ORDER BY count DESC, t.tag LIMIT :limit OFFSET :offset`,
  );
  const total = database
    .prepare<[Record<string, unknown>], number>(`SELECT COUNT(*) FROM (${counted})`)
    .pluck();
  return database.transaction((project: Project, { type, limit, offset }: TagQuery) => {
    const wanted = { project: serialOf(project.id), type };
    return { tags: page.all({ ...wanted, limit, offset }), total: total.get(wanted) ?? 0 };
  });
}
