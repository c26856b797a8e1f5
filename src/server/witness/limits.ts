// Owns the limits of a witness.

/** 63 hashes, and a note with 16 signatures of the largest kind. */
export const witnessBodyMaxBytes = 128 * 1024;
/** How long a stop waits for running requests. */
export const witnessGraceMs = 2_000;
