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

/** How often it is decided whether additional threads are needed. */
export const threadsCheckEveryMs = 1_000;
/** Another thread is started when the first one has had passages for this share of the time between two checks. */
export const busyShareMin = 0.8;
/** And only if processors were idle for this share of the time of one processor. */
export const idleProcessorsMin = 0.2;
/** An additional thread ends when it takes this many times as long for a text as the first one, because others need the processors. */
export const extraThreadSlowerMax = 3;
/** An additional thread also ends after so many checks between which it has had texts for at most this share of the time. */
export const extraThreadIdleChecks = 30;
export const idleShareMax = 0.05;
/** When an additional thread is started again after one has failed. */
export const extraThreadRetryMs = 60_000;

/** Searches whose first memories a thread has at once: the next one is there when one is done. */
export const reranksAtOnce = 2;
/** A rerank has the lowest priority; this many runs for other texts later it gets one, so that it ends also while memories are imported. */
export const runsBeforeRerank = 8;
/** What a step of a rerank without a run does at most, each of them a few milliseconds: characters that are tokenised, products of components. */
export const stepMaxCharacters = 8_000;
export const stepMaxProducts = 4_000_000;
/** Characters of a text that are tokenised for each token that the reranker reads: far more than a token has. */
export const textCharactersPerToken = 8;
/** Token vectors that are kept in memory: those of 20,000 texts of two or three sentences. */
export const tokenVectorsMaxBytes = 64 * 1024 * 1024;
