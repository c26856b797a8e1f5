// Owns the fixed limits of ranking.

/** Rows of a full block: the unit in which a search index grows, is scanned and is written to files. A multiple of 64. */
export const rowsPerBlock = 8_192;

/** Rows of the smallest block; also the step between the capacities of small blocks. */
export const rowsPerBlockMin = 64;

/**
 * Memory of the posting lists of one project: 16 bytes for each slot are the bits of 128 words, or the complete lists of a vocabulary of
 * memories with four words each. A list needs one bit for each slot at most.
 */
export const postingListsBytesPerSlot = 16;
export const postingListsBytesMin = 256 * 1024;
/** Words of fewer characters are not compared with others: one letter makes another word of them too often. */
export const nearWordMinCharacters = 4;
/** Words of a query for which near ones are looked for, and how many of them count for each. */
export const nearWordsOfQueryMax = 8;
export const nearWordsMax = 64;

/** How many memories of a word's list are read from the database at once: one to two milliseconds. */
export const postingsAtOnce = 8_192;
