// Owns what each kind of search needs to be ranked, and how its answer is made of that. Must never rank.

import { findSimilarItems, nearestOf } from "../../../../calls/operations/search/similar-items.ts";
import type {
  SearchHit,
  SearchQuery,
  SimilarityQuery,
  SimilarMemory,
} from "../../../../calls/storage/memory-store.ts";
import type { Owner } from "../../../../memory/owner.ts";
import type { Reading } from "../../../../memory/ranking/query-keywords.ts";
import type { Scored } from "../scanners/exact-score.ts";
import type { GroupRequest } from "../steps/group-steps.ts";
import type { GroupRequestName, GroupRequests } from "./group-requests.ts";
import type { SearchStatements } from "./search-statements.ts";

/** A search of a group. */
export interface SearchRequest {
  readonly queries: readonly SearchQuery[];
  /** Whose memories are searched: those that have some. */
  owners(statements: SearchStatements): readonly number[];
  /** The queries with the limits that depend on what is stored. All are ranked. */
  limited(statements: SearchStatements, owners: readonly number[]): readonly SearchQuery[];
  /** It pauses after short parts. @param ranked for each query the best memories, best first */
  answer(
    statements: SearchStatements,
    owners: readonly number[],
    ranked: readonly (readonly Scored[])[],
  ): Reading<unknown>;
}

type Kinds = {
  readonly [Name in GroupRequestName]: (
    query: GroupRequests[Name]["query"],
    owner: Owner,
  ) => {
    readonly queries: readonly SearchQuery[];
    readonly withProject?: boolean | undefined;
    limited?(statements: SearchStatements, owners: readonly number[]): readonly SearchQuery[];
    answer(
      statements: SearchStatements,
      owners: readonly number[],
      ranked: readonly (readonly Scored[])[],
    ): Reading<GroupRequests[Name]["answer"]>;
  };
};

const kinds: Kinds = {
  search: (query) => ({
    queries: [query],
    withProject: query.withProject,
    answer: (statements, _, [best = []]) => hitsOf(statements, best),
  }),
  readForInjection: (query) => ({
    queries: [query],
    withProject: query.withProject,
    limited(statements, owners) {
      if (query.prompt === null) return [query];
      return [{ ...query, minRelevance: statements.relevanceFloor(owners, query) }];
    },
    *answer(statements, owners, [best = []]) {
      return {
        rules: statements.rules(owners, query.now),
        hits: yield* hitsOf(statements, best),
        floor: statements.relevanceFloor(owners, query),
      };
    },
  }),
  readTopMemories: (query) => ({
    queries: [],
    withProject: query.withProject,
    *answer(statements, owners) {
      return {
        rules: statements.rules(owners, query.now),
        memories: yield* statements.top(owners, query),
      };
    },
  }),
  findSimilar: (query, owner) => ({
    queries: query.vectors.map((vector) => everythingSimilar(query, vector)),
    *answer(statements, _, ranked) {
      const found: SimilarMemory[][] = [];
      for (const similar of ranked) {
        found.push(nearestOf(bySimilarity(statements, similar, query.above), query.tags));
        yield;
      }
      const revision = statements.newestRevision(owner);
      return { similarItems: findSimilarItems(query, query.vectors[0]?.length ?? 0), revision, found };
    },
  }),
};

export function toSearchRequest({ name, owner, query }: GroupRequest): SearchRequest {
  // Only reader.ts names searches, with queries of their types.
  const request = (
    kinds[name as GroupRequestName] as (query: unknown, owner: Owner) => ReturnType<Kinds[GroupRequestName]>
  )(query, owner);
  return {
    owners: (statements) => statements.ownersOf(owner, request.withProject),
    limited: () => request.queries,
    ...request,
  };
}

function* hitsOf({ memoryOf }: SearchStatements, best: readonly Scored[]): Reading<SearchHit[]> {
  const hits: SearchHit[] = [];
  for (const { serial, similarity, keyword, relevance } of best) {
    hits.push({ memory: memoryOf(serial), similarity, keyword, relevance });
    yield;
  }
  return hits;
}

/** All above the threshold, because the memories with the best scores need not be the most similar ones. */
function everythingSimilar({ above, now }: SimilarityQuery, vector: Float32Array): SearchQuery {
  return {
    vector,
    words: null,
    types: null,
    origin: "kept",
    tags: null,
    topK: Number.POSITIVE_INFINITY,
    minSimilarity: above,
    includeExpired: false,
    includeInactive: false,
    now,
  };
}

function bySimilarity({ memoryOf }: SearchStatements, found: readonly Scored[], above: number) {
  return found
    .filter(({ similarity }) => similarity > above)
    .sort((a, b) => b.similarity - a.similarity || b.serial - a.serial)
    .values()
    .map(({ serial, similarity }) => ({ memory: memoryOf(serial), similarity }));
}
