// Owns how a group of searches is answered, in steps: one index that is made current once, one scan for all queries, then exact scores.
// Everything is read in the transaction of the group, so an answered write is found. A project that is too large for an index is searched
// in the database; both ways give the same result.

import type { Project } from "../../../../access/project.ts";
import { unavailable } from "../../../../errors.ts";
import { topKDefault } from "../../../../limits.ts";
import type { SearchQuery } from "../../../../memory/store.ts";
import type { ModelBinding } from "../../../../model-change/store.ts";
import type { Reading } from "../../../../ranking/query-keywords.ts";
import type { ScanQuery } from "../../../../ranking/scan-task.ts";
import { toRefused } from "../../../../threads/answer-requests.ts";
import type { PreloadOutcome } from "../../search-cache/copy-steps.ts";
import { bytesPerMemory, type SearchIndex } from "../index/search-index.ts";
import type { Scored } from "../scanners/exact-score.ts";
import type { GroupOutcome, GroupRequest } from "../steps/group-steps.ts";
import { createPause, type Pause } from "../steps/pause.ts";
import type { GroupSteps } from "../steps/turns.ts";
import { rankExactly } from "./exact-ranking.ts";
import { readByOthers } from "./index-build.ts";
import { loadIndex } from "./index-load.ts";
import { scanIndex } from "./index-scan.ts";
import type { GroupConnection } from "./open-groups.ts";
import { type SearchRequest, toSearchRequest } from "./search-requests.ts";
import type { SearchStatements } from "./search-statements.ts";
import type { EndStage, SearchCounting } from "./search-statistics.ts";
import type { Searcher } from "./searcher.ts";

/** What is counted of a group. */
type Counting = Pick<SearchCounting, "rescored"> & { readonly endStage: EndStage };

interface MemoryRanking {
  /** Its id. */
  readonly project: string;
  readonly serial: number;
  /** Of the project, from `indexes`. */
  readonly index: SearchIndex;
  readonly model: ModelBinding;
  readonly queries: readonly SearchQuery[];
  readonly counting: Counting;
  readonly pause: Pause;
  /** Whether somebody waits for the result. Otherwise the index is not read from the database when there are no cache files. */
  readonly isAwaited: boolean;
}

/** @returns what answers the groups of a connection */
export function createGroupSearch(
  searcher: Searcher,
  statements: SearchStatements,
): Pick<GroupConnection, "answer" | "preload"> {
  const { indexes, tagBytes, counts } = searcher;

  const fits = (project: number, { dimensions }: ModelBinding): boolean =>
    indexes.fits(statements.memoryCount(project), dimensions, tagBytes.get(project) ?? 0);

  function* prepare(
    index: SearchIndex,
    serial: number,
    query: SearchQuery,
    pause: Pause,
  ): GroupSteps<ScanQuery> {
    const { vector, words, topK, minSimilarity, minRelevance = 0 } = query;
    const eligible = index.eligible(query);
    const limits = { topK, minSimilarity, minRelevance };
    if (words === null) return { vector, eligible, keywords: null, ...limits };
    const nearWords = statements.nearWords(serial);
    const keywords = yield* inTurns(index.keywordsOf(statements.index, words, eligible, nearWords), pause);
    return { vector, eligible, keywords, ...limits };
  }

  /** @returns null: there are no cache files, and nobody waits */
  function* rankInMemory({
    project,
    serial,
    index,
    model,
    queries,
    counting: { endStage, rescored },
    pause,
    isAwaited,
  }: MemoryRanking): GroupSteps<(readonly Scored[])[] | null> {
    try {
      if (index.isNew)
        yield* loadIndex(index, searcher, { project, facts: statements.cache, pause, isAwaited });
      if (index.isNew && !isAwaited) return null;
      const build = { project: serial, model, statements: statements.index, pause };
      yield* index.catchUp(statements.index, pause, () => {
        indexes.makeRoom(statements.memoryCount(serial) * (model.dimensions + bytesPerMemory));
        return readByOthers(index, searcher.buffers, build);
      });
      if (index.tagBytesPerMemory > 0) tagBytes.set(serial, index.tagBytesPerMemory);
      endStage("catch_up");
      const scanned: ScanQuery[] = [];
      for (const query of queries) scanned.push(yield* prepare(index, serial, query, pause));
      const found = yield* scanIndex(searcher, model.dimensions, index.blocks, scanned);
      pause.restart();
      endStage("scan");
      const ranked: (readonly Scored[])[] = [];
      const { buffers } = searcher;
      for (const [at, query] of queries.entries()) {
        const context = { index, model, buffers, pause, vectorOf: statements.vectorOf };
        const { best, scored } = yield* rankExactly(context, query, found[at] ?? []);
        rescored(scored);
        ranked.push(best);
      }
      endStage("rescore");
      return ranked;
    } finally {
      index.endGroup();
      indexes.settle(serial);
    }
  }

  function* rankInDatabase(
    project: Project,
    queries: readonly SearchQuery[],
    endStage: EndStage,
    pause: Pause,
  ): GroupSteps<(readonly Scored[])[]> {
    const ranked: (readonly Scored[])[] = [];
    for (const query of queries) ranked.push(yield* inTurns(statements.scan(project, query), pause));
    endStage("database");
    return ranked;
  }

  function* rankAll(
    project: Project,
    queries: readonly SearchQuery[],
    model: ModelBinding | null,
    endStage: EndStage,
    pause: Pause,
  ): GroupSteps<(readonly Scored[])[]> {
    if (queries.length === 0 || model === null) return [];
    const serial = statements.serialOf(project.id);
    if (!fits(serial, model)) return yield* rankInDatabase(project, queries, endStage, pause);
    const counting = { endStage, rescored: counts.rescored };
    const index = indexes.use(serial, model);
    const ranking = { project: project.id, serial, index, model, queries, counting, pause, isAwaited: true };
    return (yield* rankInMemory(ranking)) ?? [];
  }

  /** Performs a search whose result nobody gets, so that the first one finds everything in memory that searches need. */
  function* rehearse(project: string, bytes: number): GroupSteps<PreloadOutcome> {
    const model = statements.model();
    const found = statements.cache.project(project);
    if (model === null || found === null) return "absent";
    const { serial } = found;
    if (indexes.has(serial)) return "loaded";
    if (!fits(serial, model) || !indexes.hasRoom(bytes * loadedPerByte)) return "full";
    const query = anyQuery(model.dimensions);
    const ranked = yield* rankInMemory({
      project,
      serial,
      index: indexes.add(serial, model),
      model,
      queries: [query],
      counting: uncounted,
      pause: createPause(),
      isAwaited: false,
    });
    for (const { serial: memory } of ranked?.[0] ?? []) statements.memoryOf(memory);
    return ranked === null ? "absent" : "loaded";
  }

  function* answer(project: Project, requests: readonly GroupRequest[]): GroupSteps {
    const pause = createPause();
    const endStage = counts.begin();
    const model = statements.model();
    const searches = requests.map(toSearchRequest);
    const comparable = searches.filter((search) => isComparable(search, model));
    const ranked = yield* rankAll(
      project,
      comparable.flatMap((search) => search.limited(statements, project)),
      model,
      endStage,
      pause,
    );
    const outcomes: GroupOutcome[] = [];
    for (const search of searches) {
      if (comparable.includes(search)) {
        const own = ranked.splice(0, search.queries.length);
        outcomes.push({ answer: yield* inTurns(search.answer(statements, project, own), pause) });
      } else outcomes.push({ refused: toRefused(otherModel, null) });
    }
    endStage("read");
    return outcomes;
  }

  return {
    answer,
    *preload(project, bytes) {
      return [{ answer: yield* rehearse(project, bytes) }];
    },
  };
}

/** Bytes in memory for each byte of cache files, at most: tables, bits and tags. */
const loadedPerByte = 1.1;

const uncounted: Counting = { endStage: () => undefined, rescored: () => undefined };

/** As ordinary as those of callers. */
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

/** Performs work that pauses after short parts. */
function* inTurns<Result>(parts: Reading<Result>, pause: Pause): GroupSteps<Result> {
  // When the group is ended, the work ends, too: an open query would keep the connection busy.
  using open = parts;
  for (;;) {
    const { done, value } = open.next();
    if (done === true) return value;
    yield* pause.ifDue();
  }
}

/** Whether the vectors of a search are those of the bound model, as far as their length tells: perform prepares the call again. */
function isComparable({ queries }: SearchRequest, model: ModelBinding | null): boolean {
  return queries.every(({ vector }) => vector.length === model?.dimensions);
}

const otherModel = unavailable(
  "The embedding model was changed while this call was performed. Send the call again.",
);
