// Owns the fixed limits of a change of the embedding model.

/** Texts of one step. A step is one transaction of the writer. */
export const stepTexts = 32;
/** Texts that are embedded at the same time. Small, because other calls need the same processors. */
export const textsAtOnce = 8;
/**
 * After each group of texts, the change waits until no call waits for the embedder, but at most this many times as long as the group
 * took: under permanent load it still gets a fifth of the time.
 */
export const idleWaitFactor = 4;
/**
 * Creates and updates wait for the switch when so few contents are missing. If new contents arrive faster than the change embeds them,
 * the number is doubled up to the maximum, and then they wait in any case.
 */
export const pauseAtTexts = 16;
export const pauseAtMaxTexts = 512;
/** How many contents are embedded before the number is doubled. */
export const doubledAfterTexts = 2_000;
/** How often the switch is tried before calls continue for a while. */
export const switchesMax = 10;
/** After a failure of the database or of a thread, the change is tried again. */
export const retryAfterMs = 5_000;
/** Free disk space that must be left beside the new vectors. */
export const spareDiskBytes = 64 * 1024 * 1024;
/** Of one vector beside its numbers: the key, the header of its row, and the free part of its pages, measured. */
export const bytesPerVector = 600;
