// Owns the fixed limits of ranking.

/** Rows of a full block: the unit in which a search index grows, is scanned and is written to files. A multiple of 64. */
export const rowsPerBlock = 8_192;

/** Rows of the smallest block; also the step between the capacities of small blocks. */
export const rowsPerBlockMin = 64;
