// Owns the pages of the list of memories. A page is read from the order of the list, or, when few memories match a filter, from those. Both
// begin at the place of the page, so a page far from the first takes as long as the first one.

import { type Kind, kindsOf } from "../../../memory/kind.ts";
import { isExpired } from "../../../memory/memory.ts";
import { type Owner, ownerId } from "../../../memory/owner.ts";
import type { ListQuery, MemoryPage } from "../../../memory/search/list-query.ts";
import { matchesMetadata } from "../../../memory/search/metadata-filter.ts";
import { matchesTags } from "../../../memory/tags.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { ownerSetsOf } from "../project-serials.ts";
import { type ListLimits, listLimits } from "./limits.ts";
import { createListCursors } from "./list-cursor.ts";
import { inOneOrder, take, toPlace } from "./list-merge.ts";
import { createWalk, type ListedRow, type Order, type Place, sortColumns, toOrderBy } from "./list-order.ts";
import { createCollection, createListSources, type ListSources, smallest } from "./list-sources.ts";
import { createListTotal } from "./list-total.ts";
import { aliveFirst } from "./memory-reader.ts";
import {
  aliveJoin,
  type MemoryRow,
  memoryColumns,
  ofKinds,
  toKindsParameter,
  toMemory,
} from "./memory-row.ts";
import { selectedMemories } from "./selected-memories.ts";

/** Behind which memory a page begins. Of a list of several owners: behind which one of each; null: with the first one. */
type ListPlace = Place & { readonly places?: readonly (Place | null)[] };

type Matches = (row: ListedRow) => boolean;

/** @returns a function that reads one page; null: the cursor is not one of this list. */
export function createMemoryList(
  database: Database,
  { sortedCost, walkFactor, walkMin }: ListLimits = listLimits,
): (owner: Owner, query: ListQuery) => MemoryPage | null {
  const serialsOf = ownerSetsOf(database);
  const cursors = createListCursors<ListPlace>(database);
  const walk = createWalk(database);
  const sourcesOf = createListSources(database);
  const knownTotal = createListTotal(database);
  const collect = createCollection(database);
  const placeBefore = createPlaceFinder(database);
  const epochs = database.prepare<[number], { memory_type: Kind; epoch: number }>(
    "SELECT memory_type, epoch FROM pool WHERE project = ?",
  );
  const isPurging = database
    .prepare<[number], number>("SELECT EXISTS (SELECT 1 FROM dead_pool WHERE project = ?)")
    .pluck();
  const said = database
    .prepare<[{ project: number; name: string }], number>(
      `SELECT r.memory FROM conversation c JOIN memory_conversation r ON r.conversation = c.serial
       WHERE c.project = :project AND c.name = :name`,
    )
    .pluck();
  const saidIn = (project: number, name: string | null) =>
    name === null ? null : new Set(said.all({ project, name }));
  const sizes = database
    .prepare<[number], number>("SELECT TOTAL(memories) FROM pool WHERE project = ?")
    .pluck();
  const size = (project: number) => sizes.get(project) ?? 0;
  const bySerial = database.prepare<[number], MemoryRow>(
    `SELECT ${memoryColumns} FROM memory m WHERE m.serial = ?`,
  );

  /**
   * Rows behind a place in the order of the list, among them all that match behind it.
   * @param expected rows to be read in the order of the list until the page is full, if those that match are spread evenly
   */
  function* candidates(
    project: number,
    order: Order,
    place: Place | null,
    from: ListSources,
    expected: number,
  ) {
    const few = smallest(from.sources, Math.floor(expected / sortedCost));
    if (few !== null) return yield* collect.inOrder(few, order, place);
    const most = walkFactor * expected + walkMin;
    let read = 0;
    let last = place;
    for (const row of walk(project, order, place)) {
      yield row;
      last = row;
      read += 1;
      if (read >= most && from.sources.length > 0) break;
    }
    const source = read < most ? null : smallest(from.sources, Number.POSITIVE_INFINITY);
    if (source !== null) yield* collect.inOrder(source, order, last);
  }

  const countOf = (project: number, query: ListQuery, found: ListSources, matches: Matches): number => {
    const known = knownTotal(project, query, query.now);
    if (known !== null) return known;
    // The words of hidden memories stay in the index until these are purged.
    if (found.revisions !== null && found.sources.length === 1 && isUnfiltered(query))
      return found.revisions.length;
    const source = smallest(found.sources, Number.POSITIVE_INFINITY);
    if (source === null) throw new Error("a filter by words or tags has a source");
    let count = 0;
    for (const row of collect.all(source)) if (matches(row)) count += 1;
    return count;
  };

  return database.transaction((owner: Owner, query: ListQuery) => {
    const { limit, now, after } = query;
    const list = nameOf(owner, query);
    const from = "cursor" in after ? cursors.read(list, after.cursor) : null;
    if ("cursor" in after && from === null) return null;
    const lists = serialsOf(owner, query.withProject).map((serial) => {
      const found = sourcesOf(serial, query, now, isPurging.get(serial) === 1);
      const alive = new Map(epochs.all(serial).map(({ memory_type, epoch }) => [memory_type, epoch]));
      const saidThere = saidIn(serial, query.conversation ?? null);
      return { serial, found, matches: toPredicate(query, found.revisions, saidThere, alive) };
    });
    const counts = () => lists.map(({ serial, found, matches }) => countOf(serial, query, found, matches));
    const total = from?.total ?? counts().reduce((sum, each) => sum + each, 0);
    const skip = "skip" in after ? after.skip : 0;
    const [first] = lists;
    const isSeekable = query.active === null && query.expired === null && query.words === null;
    const start =
      isSeekable && skip > 0 && first !== undefined && lists.length === 1
        ? { skipped: 0, places: [placeBefore(first.serial, query, skip, isPurging.get(first.serial) === 1)] }
        : { skipped: skip, places: from?.places ?? [from] };
    const matching = lists.map(({ serial, found, matches }, at) => {
      const expected = ((start.skipped + limit + 1) * size(serial)) / Math.max(1, total);
      return candidates(serial, query, start.places[at] ?? null, found, expected).filter(matches);
    });
    const rows =
      total <= skip && from === null ? [] : take(inOneOrder(matching, query), start.skipped, limit + 1);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    const before = from?.before ?? skip;
    const { value = 0, serial: end = 0 } = last?.row ?? {};
    const placeIn = (list: number) =>
      shown.findLast((each) => each.list === list)?.row ?? start.places[list] ?? null;
    const places = lists.length === 1 ? {} : { places: lists.map((_, at) => toPlace(placeIn(at))) };
    const next = { value, serial: end, ...places, total, before: before + limit };
    return {
      memories: shown.map(({ row }) => toMemory(present(bySerial.get(row.serial)))),
      total,
      before,
      next: last === undefined ? null : cursors.write(list, next),
    };
  });
}

/** The place before a numbered page, of which the database skips the rows: reading each one here would take three times as long. */
function createPlaceFinder(database: Database) {
  return (project: number, query: ListQuery, skip: number, isPurging: boolean): Place | null => {
    const kinds = toKindsParameter(kindsOf(query.type, query.origin));
    const selected = selectedMemories(query, ofKinds("p"));
    const alive = isPurging ? aliveFirst : `memory m ${aliveJoin}`;
    const from = selected === null ? alive : "memory m";
    const wanted = selected === null ? ofKinds("m") : `m.serial IN (${selected.sql})`;
    const skipped = database.prepare<[Record<string, unknown>], Place>(
      `SELECT ${sortColumns[query.sortBy]} AS value, m.serial FROM ${from} WHERE m.project = :project AND ${wanted}
       ${toOrderBy(query, "")} LIMIT 1 OFFSET :offset`,
    );
    return skipped.get({ ...selected?.parameters, project, kinds, offset: skip - 1 }) ?? null;
  };
}

/** Whether a list has all memories that match its words. */
function isUnfiltered({ type, origin = null, tags, active, expired, ...others }: ListQuery): boolean {
  const { metadata = null, conversation = null } = others;
  return (
    conversation === null &&
    type === null &&
    origin === null &&
    tags === null &&
    metadata === null &&
    active === null &&
    expired === null
  );
}

function present(row: MemoryRow | undefined): MemoryRow {
  if (row === undefined) throw new Error("a memory disappeared within a transaction");
  return row;
}

/** @param said serials of the memories of the wanted conversation; null: all. @param alive the epoch of each kind: memories with another one are hidden */
function toPredicate(
  { type, origin, tags, metadata = null, active, expired, now }: ListQuery,
  revisions: Float64Array | null,
  said: ReadonlySet<number> | null,
  alive: ReadonlyMap<Kind, number>,
): Matches {
  const kinds = kindsOf(type, origin);
  return (row) =>
    alive.get(row.memory_type) === row.epoch &&
    (kinds === null || kinds.includes(row.memory_type)) &&
    (active === null || (row.is_active === 1) === active) &&
    (expired === null || isExpired({ expiresAt: row.expires_at }, now) === expired) &&
    (said === null || said.has(row.serial)) &&
    (revisions === null || includes(revisions, row.content_revision)) &&
    (tags === null || (row.tags !== null && matchesTags(JSON.parse(row.tags), tags))) &&
    (metadata === null || matchesMetadata(row.metadata === null ? null : JSON.parse(row.metadata), metadata));
}

/** @param numbers ascending */
function includes(numbers: Float64Array, wanted: number): boolean {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === wanted;
}

/** The same for every page of the list. */
function nameOf(owner: Owner, query: ListQuery): string {
  const { type, origin, tags, metadata = null, conversation = null, active, expired, words } = query;
  const { sortBy, direction } = query;
  const kinds = kindsOf(type, origin);
  const said = conversation === null ? [] : [{ conversation }];
  const all = query.withProject === true ? [owner.project] : [];
  const filters = [kinds, tags, metadata, active, expired, words, ...said, ...all];
  return JSON.stringify([ownerId(owner), ...filters, sortBy, direction]);
}
