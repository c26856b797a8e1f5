// Owns the fixed limits of the extractors: what they send to a language model and accept from it, and what they keep of a text.

/**
 * Text in one request to a language model, in UTF-8 bytes, which correspond to tokens better than characters do: at most about 2,500
 * tokens, so that instructions, text and a long answer fit into a context of 8,192 tokens.
 */
export const llmChunkMaxBytes = 6_000;
/** How much of the previous chunk a chunk repeats, so that references between sentences are kept. */
export const llmOverlapMaxBytes = 600;
/** Concurrent requests to the language model: of one call, and of all calls. Local servers handle only a few. */
export const llmRequestsPerCall = 2;
export const llmRequestsAtOnce = 4;
/** Reached only by callers that do not limit the extractions of a project (extractionsPerProject). */
export const llmRequestLimits = {
  items: "requests to the language model",
  perProject: 200,
  total: 4_000,
  retryAfterSeconds: 10,
} as const;
/** Maximum size of a decompressed answer of the language model's server. A larger answer is refused. */
export const llmAnswerMaxBytes = 1024 * 1024;
/** Items of one answer that are read. A model that returns more is repeating itself. */
export const llmItemsMax = 200;
/** Length of the parts of a chunk for which the nearest memories are searched: of as many sentences as one embedding represents well. */
export const llmNearTextMinCharacters = 160;
/** Delays before the first and the second retry. */
export const llmRetryDelaysMs: readonly number[] = [1_000, 4_000];
/** A request is not retried when the server asks for a longer delay than this. */
export const llmRetryAfterMaxMs = 30_000;
/** Maximum delay in the Retry-After header of the answer to the client. */
export const llmRetryAfterMaxSeconds = 3_600;
export const llmNameMaxCharacters = 200;
/** How much of an error message of the language model's server is logged. */
export const llmDetailsMaxCharacters = 300;
/** Shorter evidence could be found in any text. Counts letters and digits; ideographs count twice. */
export const evidenceMinLetters = 6;
export const evidenceMinWords = 2;

/** Length of a sentence that the built-in extractor keeps. Longer ones are tables, minified code, or text without full stops. */
export const sentenceMinCharacters = 8;
export const sentenceMaxCharacters = 400;

/** Length of a passage of a conversation. Longer ones say more than one thing, which one embedding cannot. */
export const passageMaxCharacters = 600;
/** How much of what was said before a passage is embedded with it. */
export const passageLeadCharacters = 200;
