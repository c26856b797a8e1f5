// Owns how a group of searches is answered, in steps: one index that is made current once, one scan for all queries, then exact scores.
// Everything is read in the transaction of the group, so an answered write is found. A project that is too large for an index is searched
// in the database; both ways give the same result.

import type { Project } from "../../../access/project.ts";
import { unavailable } from "../../../errors.ts";
import type { SearchQuery } from "../../../memory/store.ts";
import type { ModelBinding } from "../../../model-change/store.ts";
import type { Reading } from "../../../ranking/query-keywords.ts";
import type { ScanQuery } from "../../../ranking/scan-task.ts";
import { toRefused } from "../../../threads/answer-requests.ts";
import { loadIndex } from "../search-cache/index-load.ts";
import { rankExactly } from "./exact-ranking.ts";
import type { Scored } from "./exact-score.ts";
import type { GroupOutcome, GroupRequest } from "./group-steps.ts";
import { readByOthers } from "./index-build.ts";
import { scanIndex } from "./index-scan.ts";
import { createPause, type Pause } from "./pause.ts";
import type { GroupSteps } from "./scanner-tasks.ts";
import { bytesPerMemory, type SearchIndex } from "./search-index.ts";
import { type SearchRequest, toSearchRequest } from "./search-requests.ts";
import type { SearchStatements } from "./search-statements.ts";
import type { EndStage } from "./search-statistics.ts";
import type { Searcher } from "./searcher.ts";

/** @returns what answers the groups of a connection */
export function createGroupSearch(searcher: Searcher, statements: SearchStatements) {
  const { indexes, tagBytes, counts } = searcher;

  const fits = (project: number, { dimensions }: ModelBinding): boolean =>
    indexes.fits(statements.memoryCount(project), dimensions, tagBytes.get(project) ?? 0);

  function* prepare(index: SearchIndex, query: SearchQuery, pause: Pause): GroupSteps<ScanQuery> {
    const { vector, words, topK, minSimilarity } = query;
    const eligible = index.eligible(query);
    if (words === null) return { vector, eligible, keywords: null, topK, minSimilarity };
    const keywords = yield* inTurns(index.keywordsOf(statements.index, words, eligible), pause);
    return { vector, eligible, keywords, topK, minSimilarity };
  }

  function* rankInMemory(
    project: Project,
    model: ModelBinding,
    queries: readonly SearchQuery[],
    endStage: EndStage,
    pause: Pause,
  ): GroupSteps<(readonly Scored[])[]> {
    const serial = statements.serialOf(project.id);
    const index = indexes.use(serial, model);
    try {
      if (index.isNew) yield* loadIndex(index, searcher, { project, facts: statements.cache, pause });
      const build = { project: serial, model, statements: statements.index, pause };
      yield* index.catchUp(statements.index, pause, () => {
        indexes.makeRoom(statements.memoryCount(serial) * (model.dimensions + bytesPerMemory));
        return readByOthers(index, searcher.buffers, build);
      });
      if (index.tagBytesPerMemory > 0) tagBytes.set(serial, index.tagBytesPerMemory);
      endStage("catch_up");
      const scanned: ScanQuery[] = [];
      for (const query of queries) scanned.push(yield* prepare(index, query, pause));
      const found = yield* scanIndex(searcher, model.dimensions, index.blocks, scanned);
      pause.restart();
      endStage("scan");
      const ranked: (readonly Scored[])[] = [];
      const { buffers } = searcher;
      for (const [at, query] of queries.entries()) {
        const context = { index, model, buffers, pause, vectorOf: statements.vectorOf };
        const { best, scored } = yield* rankExactly(context, query, found[at] ?? []);
        counts.rescored(scored);
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
    return fits(serial, model)
      ? yield* rankInMemory(project, model, queries, endStage, pause)
      : yield* rankInDatabase(project, queries, endStage, pause);
  }

  return function* answer(project: Project, requests: readonly GroupRequest[]): GroupSteps {
    const pause = createPause();
    const endStage = counts.begin();
    const model = statements.model();
    const searches = requests.map(toSearchRequest);
    const comparable = searches.filter((search) => isComparable(search, model));
    const ranked = yield* rankAll(
      project,
      comparable.flatMap(({ queries }) => queries),
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
