// Owns the kinds of searches that a group can have, with the types of their values.

import type {
  InjectionCandidates,
  InjectionQuery,
  SearchHit,
  SearchQuery,
  SimilarityQuery,
  SimilarMemories,
  TopMemories,
  TopMemoriesQuery,
} from "../../../../calls/storage/memory-store.ts";

/** By name. */
export interface GroupRequests {
  readonly search: { readonly query: SearchQuery; readonly answer: readonly SearchHit[] };
  readonly readForInjection: { readonly query: InjectionQuery; readonly answer: InjectionCandidates };
  readonly readTopMemories: { readonly query: TopMemoriesQuery; readonly answer: TopMemories };
  readonly findSimilar: { readonly query: SimilarityQuery; readonly answer: SimilarMemories };
}

export type GroupRequestName = keyof GroupRequests;
