// Owns the fixed limits of the gateway. Those of the whole service are in src/platform/limits.ts.

/** Depth of the body of a request, and number of its values. Schemas of tools are nested, and conversations of agents are long. */
export const requestMaxDepth = 128;
export const requestMaxValues = 200_000;
export const modelMaxCharacters = 256;

/** Parts of a form, such as that of a file. */
export const formMaxParts = 1_000;

/** The last words of the user and messages before them, from which the query and what they answer are taken. */
export const wordsMaxMessages = 8;

/** The last messages with words of the user that can have a section of their own. */
export const userTurnsMax = 100;
/** Sections that are kept of one key, and the characters of those of all keys. */
export const injectedSectionsMaxPerKey = 1_000;
export const injectedSectionsMaxCharacters = 32 * 1024 * 1024;

/** Base64 of at least this length is recorded as media type, length and digest. */
export const recordedBase64MinCharacters = 1_024;

/** The data of an event of a stream. A longer event is forwarded, but not read. */
export const eventMaxBytes = 4 * 1024 * 1024;
/** Its JSON values. An event with more is forwarded, but not read. */
export const eventMaxValues = 200_000;
/** Bytes of an incomplete event that are held back until it is known whether it is the final one. */
export const heldEventMaxBytes = 256 * 1024;
/** Text that is kept of one answer. */
export const answerMaxCharacters = 4 * 1024 * 1024;
/** A complete answer in JSON. A longer one is forwarded, but not read. */
export const answerMaxBytes = 16 * 1024 * 1024;
/** Its JSON values: 4,000 tokens with 20 alternatives each have 400,000. An answer with more is forwarded, but not read. */
export const answerMaxValues = 1_000_000;
/** Values that are kept of what is recorded as it is, such as parts of an unknown kind. */
export const answerMaxKeptValues = 50_000;
/** Choices of an answer, and parts of one choice, such as tool calls. */
export const answerMaxChoices = 128;
export const answerMaxParts = 4_096;

export const upstreamsMax = 100;
export const upstreamNameMaxCharacters = 100;
/** Names or patterns of models of one upstream, and the length of one. */
export const patternsMax = 1_000;
export const patternMaxCharacters = 256;

/** Time in which the connection to an upstream must be open, TLS included. */
export const connectMaxMs = 10_000;
/** The longest time from a request to the end of its answer. */
export const answerMaxMs = 6 * 3_600_000;
/** Chunks of an answer that are passed on before other calls have a turn. */
export const chunksInTurn = 64;
/** Informational answers (1xx) in front of one answer. */
export const informationalMax = 32;
/** Connections to one upstream that are kept for further requests, and for how long: many servers close theirs after five seconds. */
export const idleConnectionsMax = 64;
export const idleConnectionMaxMs = 4_000;
/** How long more is waited for: after the final event, which reports about the answer may follow, and after the end of the stream. */
export const finalMaxMs = 2_000;
export const endMaxMs = 100;

/** Credentials of at least this length are masked in all that an upstream answers, shorter ones in its errors only. */
export const maskedEverywhereMinCharacters = 12;

/** Smaller bodies are read at once: that takes a few milliseconds at most. Larger ones are read in a thread. */
export const smallBodyMaxBytes = 16 * 1024;
/** Large bodies that wait for the thread. Requests that run at once have a limit besides (gateway-exchanges). */
export const bodyQueueLimits = {
  items: "large requests",
  perProject: 256,
  total: 1_024,
  retryAfterSeconds: 1,
} as const;
/** Of a message about an error in a record. */
export const errorMaxCharacters = 2_000;

/** How often the number of requests without their memory is logged, and for how long the overview shows it. */
export const memoryMissesLoggedEveryMs = 60_000;
export const memoryMissesKeptMs = 15 * 60_000;

/** The list of models of one upstream: its time, its size, and the models that are taken of it. */
export const modelsMaxMs = 5_000;
export const modelsMaxBytes = 4 * 1024 * 1024;
export const modelsMax = 2_000;
/** Texts in one request for embeddings by the own model. */
export const embeddedTextsMax = 2_048;
