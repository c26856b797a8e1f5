// Owns the fixed limits of the embedder.

/** Texts that share a run of the model. More are not faster, and a query waits for the run. */
export const runMaxTexts = 8;
/** Tokens of a run of several texts, padding included: with longer texts, a run of several is not faster than a run for each. */
export const runMaxTokens = 192;
/** What a run costs besides its tokens, expressed in tokens. Measured with the built-in model: 4 to 10. */
export const runCostTokens = 8;

/**
 * Texts of one role that a thread has at most, and their characters. With more texts, those of similar length are found more often:
 * 8, 16 and 32 texts need 640, 570 and 555 µs of processor time each (a run with texts of equal length: 540). But a project waits for
 * the texts of others that were sent before.
 */
export const sentMaxTexts = 16;
export const sentMaxCharacters = 2_000;
