// Owns the fixed limits of search in this engine.

/**
 * Vectors that one group of searches compares with all memories, unless one search alone has more. With 32 clients and 100,000 memories,
 * groups of 16 need a fifth less processor time than groups of eight; larger ones would delay their first search.
 */
export const groupVectorsMax = 16;

/** Groups that are open at once, of different projects. Each has a connection with a read transaction. */
export const openGroupsMax = 16;

/** How long the reading of cache files that nobody waits for pauses while others search; then it takes turns with them. */
export const preloadPausesMs = 5_000;

/** Requests that the searcher has at once, so that it does not wait for the main thread between them. */
export const searcherRequestsMax = 2;

/** Connections that the searcher keeps for its next groups. */
export const idleConnectionsMax = 4;

/** Threads that perform tasks, unless a setting says how many: more would only wait for the memory. */
export const scannersMax = 4;

/** An index of so many blocks is scanned in the searcher: passing tasks to other threads would take longer. */
export const localBlocksMax = 2;

/** About how long a task takes, and how long the searcher works for one group until other projects have their turns. */
export const taskMs = 4;

/** Exact scores that the searcher computes for one query; more are computed by scanners. An ordinary search needs some dozen. */
export const localScoresMax = 1_024;

/** Candidates of one query that the searcher brings into the order of their bounds: about a millisecond. */
export const orderedCandidatesMax = 16_384;

/** Exact scores of one task: 2 to 5 ms, most of it for reading vectors. */
export const taskScoresMax = 2_048;

/** Changes that the searcher reads itself. Other threads read more of them at once. */
export const readAloneMax = 8_192;

/** Memories that one task reads into a block: 5 to 10 ms. It divides the rows of a block. */
export const readRowsMax = 1_024;

/** Projects with more memories have no vocabulary: reading all texts of so many takes half a second, once after a start. */
export const vocabularyMemoriesMax = 100_000;
/** Words of all vocabularies together, 50 to 100 bytes each. */
export const vocabularyWordsMax = 400_000;
/** Texts whose words are added at once: one to two milliseconds. */
export const vocabularyTextsAtOnce = 256;

/** Memories whose vectors show what an unrelated prompt reaches, and how many of the oldest ones they are chosen from. */
export const vectorSampleSize = 128;
export const vectorSampleAmong = 4_096;
