// Owns the limits of suggestions. Each bounds memory, disk or time.

/** Of an owner: those that keys have proposed, of which one key has at most half, and apart from them those that were found. */
export const proposedMax = 500;
export const foundMax = 500;
export const reasonMaxCharacters = 1_000;
export const quotesMax = 10;
export const quoteMaxCharacters = 2_000;
/** Suggestions of one call. */
export const decisionsMax = 100;
