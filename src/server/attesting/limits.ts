// Owns the limits of asking third parties to attest checkpoints.

/** How often it is checked whether checkpoints wait. */
export const attestEveryMs = 10_000;
/** Pause after a third party could not be reached, doubled up to the second one. */
export const attestRetryMinMs = 10_000;
export const attestRetryMaxMs = 600_000;
/** How long a checkpoint that was refused is not sent again, and how often the same refusal is logged. */
export const refusedPauseMs = 3_600_000;
/** How long the end of the server waits for what is being sent. */
export const attestEndWaitMs = 5_000;
/** Of one request. */
export const attestTimeoutMs = 30_000;
/** Cosignatures with ML-DSA-44 have up to 5 KB each. */
export const answerMaxBytes = 256 * 1024;
/** Of the file of roots of a time stamp authority. The certificates of all public authorities together have 300 KB. */
export const rootsMaxBytes = 4 * 1024 * 1024;
