// Owns the fixed limits of backups.

/** Of the manifest in an archive; one with a hundred thousand projects has a fifth of it. */
export const manifestMaxBytes = 128 * 1024 * 1024;
/** What is compressed at once, as a frame of its own. */
export const frameBytes = 4 * 1024 * 1024;
/** The level of zstd: higher ones take many times as long for a few per cent. */
export const compressionLevel = 3;
/** A backup is refused when less disk space than this would remain beside the copy of the database. */
export const backupReserveBytes = 64 * 1024 * 1024;
/** Unfinished files that have not changed for this time were left by a program that was killed. */
export const unfinishedMaxMs = 3_600_000;
/** A running backup marks its unfinished files as recent this often. */
export const unfinishedTouchMs = 60_000;
/** A scheduled backup that failed is repeated after the first time, doubled after each further failure up to the second time. */
export const backupRetryMinMs = 60_000;
export const backupRetryMaxMs = 3_600_000;
/** The longest time for which a timer is set; the schedule checks the clock again then. */
export const backupCheckMs = 60_000;
