// Owns the limits of operations on many memories at once. Those of the whole service are in src/platform/limits.ts.

/** Items of one batch. A body of bodyMaxBytes has room for so many of about a thousand characters. */
export const batchMaxItems = 1_000;
export const sourceIdMaxCharacters = 200;
/** The text by which lists are filtered. Each word needs a pass over its part of the index. */
export const filterMaxCharacters = 500;
export const filterWordsMax = 32;
/** Memories that are explained besides the results of a search. */
export const missedMax = 10;
/** Passages beyond the limit that one call removes, besides one for each new passage. */
export const passageRemovalsMax = 100;
/** Memories of which an item of an extraction is suggested to be a contradiction. */
export const nearMatchesMax = 3;
/** Checks of a project. Running all of them takes a search for each. */
export const checksMax = 200;
/** Checks of one run whose searches wait at once, so that other calls of the project get turns, too. */
export const checksAtOnce = 8;
/** Words that are searched in front of a memory, such as the headings above it. */
export const leadMaxCharacters = 200;
/** Found passages of an injection, the best ones, which get what was said next to them. With more, most lines are of no use. */
export const understoodMax = 3;
