// Owns how the memories of several owners are ranked together with their indexes in memory: in one order, as if they were those of one.
// All owners are of one project, and no other group of the project is open.

import type { SearchQuery } from "../../../../calls/storage/memory-store.ts";
import type { ModelBinding } from "../../../../calls/storage/model-change-store.ts";
import { mergeBest } from "../../../../memory/ranking/exact-order.ts";
import { keywordsOfOwners } from "../../../../memory/ranking/query-keywords.ts";
import type { ScanFound, ScanQuery, WordHolders } from "../../../../memory/ranking/scan/scan-task.ts";
import { bytesPerMemory, type SearchIndex } from "../index/search-index.ts";
import type { Scored } from "../scanners/exact-score.ts";
import { inTurns, type Pause } from "../steps/pause.ts";
import type { GroupSteps } from "../steps/turns.ts";
import { rankExactly } from "./exact-ranking.ts";
import { readByOthers } from "./index-build.ts";
import { loadIndex } from "./index-load.ts";
import { scanIndex } from "./index-scan.ts";
import type { SearchStatements } from "./search-statements.ts";
import type { EndStage, SearchCounting } from "./search-statistics.ts";
import type { Searcher } from "./searcher.ts";

/** What is counted of a group. */
export type Counting = Pick<SearchCounting, "rescored"> & { readonly endStage: EndStage };

/** A query, and whose memories it searches. */
export interface OwnedQuery {
  readonly query: SearchQuery;
  readonly owners: readonly number[];
}

export interface MemoryRanking {
  /** Its subjects have no cache files. */
  readonly project: { readonly id: string; readonly serial: number };
  /** Of each owner of the queries, from `indexes`. */
  readonly open: ReadonlyMap<number, SearchIndex>;
  readonly model: ModelBinding;
  readonly queries: readonly OwnedQuery[];
  readonly counting: Counting;
  readonly pause: Pause;
  /** Whether somebody waits for the result. Otherwise an index is not read from the database when there are no cache files. */
  readonly isAwaited: boolean;
}

/** A query as one index is scanned for it. */
interface Prepared {
  /** Its position among all queries. */
  readonly at: number;
  readonly scan: ScanQuery;
}

/** @returns for each query the best memories, best first; null: there are no cache files, and nobody waits */
export function* rankInMemory(
  searcher: Searcher,
  statements: SearchStatements,
  ranking: MemoryRanking,
): GroupSteps<(readonly Scored[])[] | null> {
  const { open, model, queries, pause } = ranking;
  const { endStage, rescored } = ranking.counting;
  const { indexes, buffers } = searcher;
  try {
    if (!(yield* makeCurrent(searcher, statements, ranking))) return null;
    endStage("catch_up");
    const prepared = new Map<SearchIndex, Prepared[]>();
    for (const [at, owned] of queries.entries()) {
      for (const [index, scan] of yield* prepare(statements, open, owned, pause))
        prepared.set(index, [...(prepared.get(index) ?? []), { at, scan }]);
    }
    const found = new Map<SearchIndex, readonly (readonly ScanFound[])[]>();
    const best: (readonly Scored[])[][] = queries.map(() => []);
    for (const [index, each] of prepared) {
      const scans = each.map(({ scan }) => scan);
      found.set(index, yield* scanIndex(searcher, model.dimensions, index.blocks, scans));
    }
    pause.restart();
    endStage("scan");
    for (const [index, each] of prepared) {
      const context = { index, model, buffers, pause, vectorOf: statements.vectorOf };
      for (const [position, { at, scan }] of each.entries()) {
        const exact = yield* rankExactly(context, scan, found.get(index)?.[position] ?? []);
        rescored(exact.scored);
        best[at]?.push(exact.best);
      }
    }
    endStage("rescore");
    return best.map((lists, at) => mergeBest(lists, queries[at]?.query.topK ?? 0));
  } finally {
    for (const [owner, index] of open) {
      index.endGroup();
      indexes.settle(owner);
    }
  }
}

/** Brings all indexes to the state of one read transaction. @returns false: there are no cache files, and nobody waits */
function* makeCurrent(
  searcher: Searcher,
  statements: SearchStatements,
  { project, open, model, pause, isAwaited }: MemoryRanking,
): GroupSteps<boolean> {
  const { indexes, tagBytes, buffers } = searcher;
  // What many changes were read with ends with a new transaction, in which the other indexes are behind again.
  for (let isRenewed = true; isRenewed; ) {
    isRenewed = false;
    for (const [owner, index] of open) {
      if (index.isNew && owner === project.serial)
        yield* loadIndex(index, searcher, { project: project.id, facts: statements.cache, pause, isAwaited });
      if (index.isNew && !isAwaited) return false;
      const build = { project: owner, model, statements: statements.index, pause };
      yield* index.catchUp(statements.index, pause, () => {
        isRenewed = open.size > 1;
        indexes.makeRoom(statements.memoryCount(owner) * (model.dimensions + bytesPerMemory));
        return readByOthers(index, buffers, build);
      });
      if (index.tagBytesPerMemory > 0) tagBytes.set(owner, index.tagBytesPerMemory);
    }
  }
  return true;
}

/** The words of the query count as they are rare among the memories of all of its owners. */
function* prepare(
  statements: SearchStatements,
  open: ReadonlyMap<number, SearchIndex>,
  { query, owners }: OwnedQuery,
  pause: Pause,
): GroupSteps<(readonly [SearchIndex, ScanQuery])[]> {
  const { vector, words, topK, minSimilarity, minRelevance = 0 } = query;
  const searched: { owner: number; index: SearchIndex; eligible: Uint32Array }[] = [];
  for (const owner of owners) {
    const index = open.get(owner);
    if (index === undefined) continue;
    searched.push({ owner, index, eligible: yield* inTurns(index.eligible(statements.index, query), pause) });
  }
  let keywords: readonly { readonly share: number; readonly holders: readonly WordHolders["holders"][] }[] =
    [];
  if (words !== null) {
    const ofOwners = searched.map(({ owner, index, eligible }) =>
      index.searched(statements.index, eligible, statements.nearWords(owner)),
    );
    keywords = yield* inTurns(keywordsOfOwners(words, ofOwners), pause);
  }
  const ofOwner = (at: number): readonly WordHolders[] =>
    keywords.flatMap(({ share, holders }) => {
      const own = holders[at];
      return own === undefined ? [] : [{ share, holders: own }];
    });
  return searched.map(({ index, eligible }, at) => [
    index,
    { vector, eligible, keywords: words === null ? null : ofOwner(at), topK, minSimilarity, minRelevance },
  ]);
}
