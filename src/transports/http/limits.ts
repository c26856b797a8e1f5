// Owns the fixed limits of the log of calls.

/** How often the number of failed calls that have no line of their own is logged. The limits of lines are for this time. */
export const failureSummaryEveryMs = 60_000;
/** Failed calls of one code that have a line of their own: of one key, and of all keys. */
export const failureLinesOfKeyMax = 10;
export const failureLinesOfCodeMax = 100;
/** Callers that are counted separately for a summary, and callers that it names: the most frequent ones. */
export const failureSourcesMax = 1_000;
export const failureSourcesShown = 5;
