// Owns the limits of deposits.

/** Of one file. It is a little larger, because it ends with what was read last. */
export const depositMaxRecords = 50_000;
export const depositMaxBytes = 32 * 1024 * 1024;
/** Pause after a checkpoint was signed, so that its file has what third parties state about it. */
export const attestationsWaitMs = 30_000;
/** Of sending one file. */
export const depositTimeoutMs = 600_000;
/** Of what a command says about its failure. */
export const saidMaxCharacters = 500;
/** How long its last words are waited for after its end. */
export const saidWaitMs = 1_000;
