// Owns the fixed limits of remembering. Those of an extraction are in src/platform/limits.ts.

/** Answers of a project that wait. The record of an answer that finds the queue full says so. */
export const waitingMaxPerProject = 1_000;
/** Projects whose answers are remembered at the same time, one of each. */
export const projectsAtOnce = 4;

/** Length of the words of one extraction, below the limit of the operation. */
export const partMaxCharacters = 40_000;
/** Extractions for one answer. What is longer is left out, and the record of the last one says so. */
export const partsMax = 8;

/** Attempts of one extraction. The record of the last one says that it was the last one. */
export const attemptsMax = 8;
/** Delay after the first failure of a project; doubled after each further one without a success, up to the second time. */
export const retryMinMs = 5_000;
export const retryMaxMs = 3_600_000;

/**
 * How long the end of the server waits for what is being extracted, and again after it was cancelled. A language model may need minutes; the
 * next start asks it again.
 */
export const closeMaxMs = 500;
