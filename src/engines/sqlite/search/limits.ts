// Owns the fixed limits of search in this engine.

/**
 * Vectors that one group of searches compares with all memories, unless one search alone has more: each is two columns of a product, and
 * wider products take longer for each column.
 */
export const groupVectorsMax = 8;

/** Groups that are open at once, of different projects. Each has a connection with a read transaction. */
export const openGroupsMax = 16;

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
