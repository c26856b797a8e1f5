// Owns what each kind of search needs to be ranked, and how its answer is made of that. Must never rank.

import type { Project } from "../../../../access/project.ts";
import { findSimilarItems, nearestOf } from "../../../../memory/similar-items.ts";
import type { SearchHit, SearchQuery, SimilarityQuery, SimilarMemory } from "../../../../memory/store.ts";
import type { Reading } from "../../../../ranking/query-keywords.ts";
import type { Scored } from "../scanners/exact-score.ts";
import type { GroupRequest } from "../steps/group-steps.ts";
import type { GroupRequestName, GroupRequests } from "./group-requests.ts";
import type { SearchStatements } from "./search-statements.ts";

/** A search of a group. */
export interface SearchRequest {
  readonly queries: readonly SearchQuery[];
  /** The queries with the limits that depend on what is stored. All are ranked. */
  limited(statements: SearchStatements, project: Project): readonly SearchQuery[];
  /** It pauses after short parts. @param ranked for each query the best memories, best first */
  answer(
    statements: SearchStatements,
    project: Project,
    ranked: readonly (readonly Scored[])[],
  ): Reading<unknown>;
}

type Kinds = {
  readonly [Name in GroupRequestName]: (query: GroupRequests[Name]["query"]) => {
    readonly queries: readonly SearchQuery[];
    limited?(statements: SearchStatements, project: Project): readonly SearchQuery[];
    answer(
      statements: SearchStatements,
      project: Project,
      ranked: readonly (readonly Scored[])[],
    ): Reading<GroupRequests[Name]["answer"]>;
  };
};

const kinds: Kinds = {
  search: (query) => ({
    queries: [query],
    answer: (statements, _, [best = []]) => hitsOf(statements, best),
  }),
  readForInjection: (query) => ({
    queries: [query],
    limited(statements, project) {
      if (query.prompt === null) return [query];
      return [{ ...query, minRelevance: statements.relevanceFloor(project, query) }];
    },
    *answer(statements, project, [best = []]) {
      return {
        rules: statements.rules(project, query.now),
        hits: yield* hitsOf(statements, best),
        floor: statements.relevanceFloor(project, query),
      };
    },
  }),
  readProminent: (query) => ({
    queries: [],
    *answer(statements, project) {
      return {
        rules: statements.rules(project, query.now),
        memories: yield* statements.prominent(project, query),
      };
    },
  }),
  findSimilar: (query) => ({
    queries: query.vectors.map((vector) => everythingSimilar(query, vector)),
    *answer(statements, project, ranked) {
      const found: SimilarMemory[][] = [];
      for (const similar of ranked) {
        found.push(nearestOf(bySimilarity(statements, similar, query.above), query.tags));
        yield;
      }
      const revision = statements.newestRevision(statements.serialOf(project.id));
      return { similarItems: findSimilarItems(query, query.vectors[0]?.length ?? 0), revision, found };
    },
  }),
};

export function toSearchRequest({ name, query }: GroupRequest): SearchRequest {
  // Only reader.ts names searches, with queries of their types.
  const request = (
    kinds[name as GroupRequestName] as (query: unknown) => ReturnType<Kinds[GroupRequestName]>
  )(query);
  return { limited: () => request.queries, ...request };
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
