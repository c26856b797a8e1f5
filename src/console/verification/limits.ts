// Owns the fixed limits of a verification in the browser.

/** Of keys, checkpoints, statements and manifests, as `memledger audit verify` reads them. */
export const evidenceMaxBytes = 256 * 1024 * 1024;
/** Progress is reported no more often. */
export const progressEveryMs = 100;
/** Bytes that the worker may have sent to the worker that hashes the file before it waits. */
export const unhashedMaxBytes = 16 * 1024 * 1024;
/** Enough to recognise a file. */
export const beginningBytes = 4 * 1024;
