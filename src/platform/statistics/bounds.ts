// Owns the bounds of all distributions. They follow what bench/RESULTS.md measures: a search takes 2 to 30 ms, a commit 1 to 10 ms, a
// stage of a search from 0.1 ms, an extraction with a language model up to minutes.

/** Seconds of a call. */
export const callSeconds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120,
];

/** Seconds of a part of a call: a stage of a search, a transaction, a batch of embeddings. */
export const stageSeconds: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** Calls of a group. */
export const groupCalls: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Memories whose exact score a search needed. */
export const rescoredMemories: readonly number[] = [10, 20, 50, 100, 250, 1_000, 10_000, 100_000];

/** Searches of a group. */
export const groupSearches: readonly number[] = [1, 2, 3, 4, 6, 8];

/** Seconds by which the event loop was late. */
export const delaySeconds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
];
