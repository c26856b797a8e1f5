// Owns the fixed limits of the cache files of search indexes.

/** Rows that share a check in a block file: the unit in which a file is verified, and rewritten when a row is wiped. */
export const rowsPerCheck = 64;

/** A manifest is read as a whole. One of a million memories with as many different sets of tags has about 100 MB. */
export const manifestMaxBytes = 512 * 1024 * 1024;

/** How often a block is read again that another thread may have been wiping rows of. */
export const blockReadsMax = 3;

/** Rows that are wiped one by one, at most. After a larger bulk delete the files of the project are removed, and written again later. */
export const wipedRowsMax = 2_000;

/** Free space that cache files leave on the disk: it belongs to the database. */
export const spareDiskBytes = 512 * 1024 * 1024;

/** Bytes of all cache files, at most, in relation to the memory for search indexes. */
export const folderShare = 4;

/** Blocks that a scanner reads, before anybody searches, until searches of other projects may come in between. */
export const preloadedPerScanner = 4;

/** How often indexes that have changed are looked for. */
export const writeTestMs = 10_000;

/** An index that changes all the time is written once in this time at most, and so that the mean rate is not exceeded. */
export const writeEveryMs = 60_000;
export const writtenBytesPerMs = 2_000;

/** How often, and how long apart, a copy is begun of an index that a group is using: between two groups it succeeds. */
export const copyBeginsMax = 40;
export const copyBeginMs = 50;

/** How long the end of the server writes indexes. What is missing then is read from the database by the next start. */
export const copyEndMs = 3_000;
