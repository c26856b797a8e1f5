// Owns how a group of searches is answered, in steps: one index that is made current once, one scan for all queries, then exact scores.
// Everything is read in the transaction of the group, so an answered write is found. A project that is too large for an index is searched
// in the database; both ways give the same result.

import type { SearchQuery } from "../../../../calls/storage/memory-store.ts";
import type { ModelBinding } from "../../../../calls/storage/model-change-store.ts";
import { unavailable } from "../../../../platform/errors.ts";
import { topKDefault } from "../../../../platform/limits.ts";
import { toRefused } from "../../../../platform/threads/answer-requests.ts";
import type { PreloadOutcome } from "../../search-cache/copy-steps.ts";
import type { Scored } from "../scanners/exact-score.ts";
import type { GroupOutcome, GroupRequest } from "../steps/group-steps.ts";
import { createPause, inTurns, type Pause } from "../steps/pause.ts";
import type { GroupSteps } from "../steps/turns.ts";
import type { GroupConnection } from "./open-groups.ts";
import { type Counting, type OwnedQuery, rankInMemory } from "./owners-in-memory.ts";
import { type SearchRequest, toSearchRequest } from "./search-requests.ts";
import type { SearchStatements } from "./search-statements.ts";
import type { EndStage } from "./search-statistics.ts";
import type { Searcher } from "./searcher.ts";

/** @returns what answers the groups of a connection */
export function createGroupSearch(
  searcher: Searcher,
  statements: SearchStatements,
): Pick<GroupConnection, "answer" | "preload"> {
  const { indexes, tagBytes, counts } = searcher;

  const fits = (owner: number, { dimensions }: ModelBinding): boolean =>
    indexes.fits(statements.memoryCount(owner), dimensions, tagBytes.get(owner) ?? 0);

  function* rankInDatabase(
    queries: readonly OwnedQuery[],
    endStage: EndStage,
    pause: Pause,
  ): GroupSteps<(readonly Scored[])[]> {
    const ranked: (readonly Scored[])[] = [];
    for (const { query, owners } of queries)
      ranked.push(yield* inTurns(statements.scan(owners, query), pause));
    endStage("database");
    return ranked;
  }

  function* rankAll(
    project: string,
    queries: readonly OwnedQuery[],
    model: ModelBinding | null,
    endStage: EndStage,
    pause: Pause,
  ): GroupSteps<(readonly Scored[])[]> {
    if (queries.length === 0 || model === null) return [];
    const owners = [...new Set(queries.flatMap((each) => each.owners))];
    // Those of which one needs too much memory are compared in the database, so that all are read in one order.
    if (!owners.every((owner) => fits(owner, model))) return yield* rankInDatabase(queries, endStage, pause);
    const counting = { endStage, rescored: counts.rescored };
    const open = new Map(owners.map((owner) => [owner, indexes.use(owner, model)]));
    const own = { id: project, serial: statements.serialOf(project) };
    const ranking = { project: own, open, model, queries, counting, pause, isAwaited: true };
    return (yield* rankInMemory(searcher, statements, ranking)) ?? [];
  }

  /** Performs a search whose result nobody gets, so that the first one finds everything in memory that searches need. */
  function* warmUp(project: string, bytes: number): GroupSteps<PreloadOutcome> {
    const model = statements.model();
    const found = statements.cache.project(project);
    if (model === null || found === null) return "absent";
    const { serial } = found;
    if (indexes.has(serial)) return "loaded";
    if (!fits(serial, model) || !indexes.hasRoom(bytes * loadedPerByte)) return "full";
    const query = anyQuery(model.dimensions);
    const ranked = yield* rankInMemory(searcher, statements, {
      project: { id: project, serial },
      open: new Map([[serial, indexes.add(serial, model)]]),
      model,
      queries: [{ query, owners: [serial] }],
      counting: uncounted,
      pause: createPause(),
      isAwaited: false,
    });
    for (const { serial: memory } of ranked?.[0] ?? []) statements.memoryOf(memory);
    return ranked === null ? "absent" : "loaded";
  }

  function* answer(project: string, requests: readonly GroupRequest[]): GroupSteps {
    const pause = createPause();
    const endStage = counts.begin();
    const model = statements.model();
    const searches = requests.map(toSearchRequest).map((search) => {
      const owners = search.owners(statements);
      return { search, owners, isComparable: isComparable(search, model) };
    });
    const ranked = yield* rankAll(
      project,
      searches
        .filter((each) => each.isComparable)
        .flatMap(({ search, owners }) =>
          search.limited(statements, owners).map((query) => ({ query, owners })),
        ),
      model,
      endStage,
      pause,
    );
    const outcomes: GroupOutcome[] = [];
    for (const { search, owners, isComparable } of searches) {
      if (isComparable) {
        const own = ranked.splice(0, search.queries.length);
        outcomes.push({ answer: yield* inTurns(search.answer(statements, owners, own), pause) });
      } else outcomes.push({ refused: toRefused(otherModel, null) });
    }
    endStage("read");
    return outcomes;
  }

  return {
    answer,
    *preload(project, bytes) {
      return [{ answer: yield* warmUp(project, bytes) }];
    },
  };
}

/** Bytes in memory for each byte of cache files, at most: tables, bits and tags. */
const loadedPerByte = 1.1;

const uncounted: Counting = { endStage: () => undefined, rescored: () => undefined };

/** A query like those of callers. */
function anyQuery(dimensions: number): SearchQuery {
  return {
    vector: new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions)),
    words: null,
    types: null,
    tags: null,
    topK: topKDefault,
    minSimilarity: 0,
    includeExpired: true,
    includeInactive: false,
    now: 0,
  };
}

/** Whether the vectors of a search are those of the bound model, as far as their length tells: perform prepares the call again. */
function isComparable({ queries }: SearchRequest, model: ModelBinding | null): boolean {
  return queries.every(({ vector }) => vector.length === model?.dimensions);
}

const otherModel = unavailable(
  "The embedding model was changed while this call was performed. Send the call again.",
);
