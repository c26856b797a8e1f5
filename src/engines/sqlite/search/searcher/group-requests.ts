// Owns the kinds of searches that a group can have, with the types of their values.

import type {
  InjectionCandidates,
  InjectionQuery,
  ProminenceQuery,
  ProminentMemories,
  SearchHit,
  SearchQuery,
  SimilarityQuery,
  SimilarMemories,
} from "../../../../calls/storage/memory-store.ts";

/** By name. */
export interface GroupRequests {
  readonly search: { readonly query: SearchQuery; readonly answer: readonly SearchHit[] };
  readonly readForInjection: { readonly query: InjectionQuery; readonly answer: InjectionCandidates };
  readonly readProminent: { readonly query: ProminenceQuery; readonly answer: ProminentMemories };
  readonly findSimilar: { readonly query: SimilarityQuery; readonly answer: SimilarMemories };
}

export type GroupRequestName = keyof GroupRequests;
