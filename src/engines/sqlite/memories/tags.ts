// Owns the SQL that finds memories by their tags.

import type { TagFilter } from "../../../memory/tags.ts";

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
