// Owns the fixed limits of the engine's threads.

/** So many calls need not wait for others: larger groups save little more processor time. */
export const groupCallsEnough = 16;
/** How long a call waits for others of its project at most: two runs of the embedder on an ordinary processor. */
export const groupWaitMaxMs = 10;

/**
 * How long an erasure waits for readers that hold the write-ahead log before it answers 1503. Other calls wait meanwhile, but a caller who
 * must run the erasure again lets them wait again.
 */
export const erasureLogWaitMs = 5_000;
/** How long other calls wait for one step of an erasure. */
export const erasureStepMs = 4;
