// Owns the fixed limits of the cache files of search indexes.

/** Rows that share a check in a block file: the unit in which a file is verified, and rewritten when a row is wiped. */
export const rowsPerCheck = 64;

/** A manifest is read as a whole. One of a million memories with as many different sets of tags has about 100 MB. */
export const manifestMaxBytes = 512 * 1024 * 1024;

/** How often a block is read again that another thread may have been wiping rows of. */
export const blockReadsMax = 3;
