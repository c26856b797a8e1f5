// Owns what each kind of search needs to be ranked, and how its answer is made of that. Must never rank.

import type { Project } from "../../../access/project.ts";
import { findSimilarItems, nearestOf } from "../../../memory/similar-items.ts";
import type { SearchHit, SearchQuery, SimilarityQuery } from "../../../memory/store.ts";
import type { Scored } from "./exact-score.ts";
import type { GroupRequestName, GroupRequests } from "./group-requests.ts";
import type { GroupRequest } from "./group-steps.ts";
import type { SearchStatements } from "./search-statements.ts";

/** A search of a group. */
export interface SearchRequest {
  /** All are ranked. */
  readonly queries: readonly SearchQuery[];
  /** @param ranked for each query the best memories, best first */
  answer(statements: SearchStatements, project: Project, ranked: readonly (readonly Scored[])[]): unknown;
}

type Kinds = {
  readonly [Name in GroupRequestName]: (query: GroupRequests[Name]["query"]) => {
    readonly queries: readonly SearchQuery[];
    answer(
      statements: SearchStatements,
      project: Project,
      ranked: readonly (readonly Scored[])[],
    ): GroupRequests[Name]["answer"];
  };
};

const kinds: Kinds = {
  search: (query) => ({
    queries: [query],
    answer: (statements, _, [best = []]) => hitsOf(statements, best),
  }),
  readForInjection: (query) => ({
    queries: [query],
    answer: (statements, project, [best = []]) => ({
      rules: statements.rules(project, query.now),
      hits: hitsOf(statements, best),
    }),
  }),
  readProminent: (query) => ({
    queries: [],
    answer: (statements, project) => ({
      rules: statements.rules(project, query.now),
      memories: statements.prominent(project, query),
    }),
  }),
  findSimilar: (query) => ({
    queries: query.vectors.map((vector) => everythingSimilar(query, vector)),
    answer: (statements, project, ranked) => ({
      similarItems: findSimilarItems(query, query.vectors[0]?.length ?? 0),
      revision: statements.newestRevision(statements.serialOf(project.id)),
      found: ranked.map((found) => nearestOf(bySimilarity(statements, found, query.above), query.tags)),
    }),
  }),
};

export function toSearchRequest({ name, query }: GroupRequest): SearchRequest {
  // Only reader.ts names searches, with queries of their types.
  return (kinds[name as GroupRequestName] as (query: unknown) => SearchRequest)(query);
}

function hitsOf({ memoryOf }: SearchStatements, best: readonly Scored[]): SearchHit[] {
  return best.map(({ serial, similarity, keyword, relevance }) => ({
    memory: memoryOf(serial),
    similarity,
    keyword,
    relevance,
  }));
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
    includeInactive: true,
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
