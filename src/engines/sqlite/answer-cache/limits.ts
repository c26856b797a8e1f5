// Owns the fixed limits of the answer cache.

/** A longer answer is not kept. */
export const answerMaxBytes = 4 * 1024 * 1024;
/** Answers that are collected while they are forwarded, all together. */
export const collectedMaxBytes = 64 * 1024 * 1024;
/** A request is forwarded if the disk has not found its answer in this time. */
export const findMaxMs = 2_000;
/** How often answers that are too old are removed. */
export const sweepEveryMs = 60_000;
/** Free pages are given back to the disk when there are more of them than this part of the file. */
export const freePagesMaxShare = 0.5;
/** Page cache of its connection. */
export const pageCacheKiB = 2 * 1024;
