// Owns what a list of memories can be read from besides its order: for each filter that few memories may match, the rows that match it.
// Applies no other filter.

import { kindsOf } from "../../../memory/kind.ts";
import type { ListFilter } from "../../../memory/search/list-query.ts";
import type { TagFilter } from "../../../memory/tags.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { toMatch } from "../words/match.ts";
import { createMatchReader } from "../words/reader.ts";
import { type ListedRow, type Order, type Place, sortColumns, toBehind, toOrderBy } from "./list-order.ts";
import { ofKinds, toKindsParameter } from "./memory-row.ts";
import { selectedMemories } from "./selected-memories.ts";

/** Some memories of a project, among them all that a list shows. */
export interface ListSource {
  /** A query for their serials. */
  readonly sql: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Their number, or `max` if there are more. */
  count(max: number): number;
}

export interface ListSources {
  readonly sources: readonly ListSource[];
  /** Content revisions of the memories that match the words, ascending, hidden memories included; null without such a filter. */
  readonly revisions: Float64Array | null;
}

const ofPool = `p.project = :project AND ${ofKinds("p")}`;
const alive = "m.project = p.project AND m.memory_type = p.memory_type AND m.epoch = p.epoch";

/** All that are not hidden. */
const pools = `SELECT m.serial FROM pool p CROSS JOIN memory m INDEXED BY memory_by_pool ON ${alive} WHERE ${ofPool}`;
const inactive = `SELECT m.serial FROM pool p CROSS JOIN memory m INDEXED BY memory_inactive ON ${alive} AND m.is_active = 0 WHERE ${ofPool}`;
const expired =
  "SELECT m.serial FROM memory m INDEXED BY memory_by_expiry WHERE m.project = :project AND m.expires_at <= :now";

/** A content keeps its revision until the memory is changed otherwise; such memories have an index of their own. */
const matching = [
  `SELECT m.serial FROM memory_word CROSS JOIN memory m INDEXED BY memory_by_revision
     ON m.project = :project AND m.revision = memory_word.rowid - (:project << 40) AND m.content_revision = m.revision`,
  `SELECT m.serial FROM memory_word CROSS JOIN memory m INDEXED BY memory_by_content_revision
     ON m.project = :project AND m.content_revision = memory_word.rowid - (:project << 40) AND m.content_revision <> m.revision`,
].map(
  (sql) => `${sql}
   WHERE memory_word MATCH :match AND memory_word.rowid BETWEEN (:project << 40) AND (:project << 40) + 0xFFFFFFFFFF`,
);

export function createListSources(
  database: Database,
): (project: number, filter: ListFilter, now: number, isPurging: boolean) => ListSources {
  const readMatching = createMatchReader(database);
  const poolSize = database
    .prepare<[Record<string, unknown>], number>(`SELECT TOTAL(p.memories) FROM pool p WHERE ${ofPool}`)
    .pluck();

  const counting = (sql: string, parameters: ListSource["parameters"]): ListSource => ({
    sql,
    parameters,
    count: (max) =>
      database
        .prepare<[Record<string, unknown>], number>(`SELECT COUNT(*) FROM (${sql} LIMIT :max)`)
        .pluck()
        .get({ ...parameters, max }) ?? 0,
  });

  return (project, filter, now, isPurging) => {
    const { type, origin, tags, metadata, conversation = null, words } = filter;
    const kinds = toKindsParameter(kindsOf(type, origin));
    const described = (metadata ?? []).map((condition) => ({ tags: null, metadata: [condition] }));
    const common = { project, kinds, now };
    const match = words === null ? null : toMatch(words);
    const revisions = match === null ? null : readMatching(project, match, 0, -1);
    const sources: ListSource[] = [];
    if (kinds !== null || isPurging) {
      sources.push({ sql: pools, parameters: common, count: () => poolSize.get({ project, kinds }) ?? 0 });
    }
    if (filter.active === false) sources.push(counting(inactive, common));
    if (filter.expired === true) sources.push(counting(expired, common));
    const said = conversation === null ? [] : [{ tags: null, conversation }];
    for (const part of [...toTagSources(tags).map((tags) => ({ tags })), ...described, ...said]) {
      const selected = selectedMemories(part, ofPool);
      if (selected === null) continue;
      const { sql, parameters } = selected;
      sources.push(counting(`SELECT memory AS serial FROM (${sql})`, { ...common, ...parameters }));
    }
    if (revisions !== null) {
      sources.push({
        sql: matching.join(" UNION ALL "),
        parameters: { ...common, match },
        count: () => revisions.length,
      });
    }
    return { sources, revisions };
  };
}

/** The source with the fewest memories, at most `max`. */
export function smallest(sources: readonly ListSource[], max: number): ListSource | null {
  const bound = Number.isFinite(max) ? max + 1 : -1;
  const sized = sources.map((source) => ({ source, size: source.count(bound) }));
  const best = sized.sort((a, b) => a.size - b.size).at(0);
  return best === undefined || best.size > max ? null : best.source;
}

/** Reads the rows of a source. */
export function createCollection(database: Database) {
  const columns = (value: string) =>
    `m.serial, ${value} AS value, m.content_revision, m.memory_type, m.epoch, m.is_active, m.updated_at, m.expires_at, m.tags, m.metadata`;
  const read = (sql: string) => database.prepare<[Record<string, unknown>], ListedRow>(sql);
  return {
    all({ sql, parameters }: ListSource): Iterable<ListedRow> {
      const from = `FROM (${sql}) s CROSS JOIN memory m ON m.serial = s.serial`;
      return read(`SELECT ${columns("m.serial")} ${from}`).iterate(parameters);
    },
    inOrder({ sql, parameters }: ListSource, order: Order, place: Place | null): Iterable<ListedRow> {
      const from = `FROM (${sql}) s CROSS JOIN memory m ON m.serial = s.serial`;
      const behind = place === null ? "TRUE" : toBehind(order);
      return read(
        `SELECT ${columns(sortColumns[order.sortBy])} ${from} WHERE ${behind} ${toOrderBy(order, "+")}`,
      ).iterate({ ...parameters, value: place?.value, serial: place?.serial });
    },
  };
}

/** If all of the tags are wanted, the memories of each one are a source. */
function toTagSources(filter: TagFilter | null): readonly TagFilter[] {
  if (filter === null) return [];
  return filter.match === "any" ? [filter] : filter.tags.map((tag) => ({ tags: [tag], match: "all" }));
}
