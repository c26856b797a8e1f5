// Owns the limits of reading lists of memories. Those of the whole service are in src/platform/limits.ts.

/** How a page is read: in the order of its list, or from the memories of a filter, which are sorted for each page. */
export interface ListLimits {
  /** Reading and sorting a memory of a filter takes as long as reading so many in the order of a list. */
  readonly sortedCost: number;
  /** The memories of a filter are sorted after all when the order has shown so many times as many others as expected, and `walkMin` more. */
  readonly walkFactor: number;
  readonly walkMin: number;
}

export const listLimits: ListLimits = { sortedCost: 2, walkFactor: 10, walkMin: 1_000 };

/** Memories whose texts are measured for the statistics of a project. */
export const contentSampleSize = 1_000;
