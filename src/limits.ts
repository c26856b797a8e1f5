// Owns every fixed limit of the service, so that none hides inside a function. Limits that depend on a plan are in access/plan.ts.

export const contentMaxCharacters = 10_000;
export const queryMaxCharacters = 10_000;
export const topKMax = 50;
export const topKDefault = 10;
export const pageSizeMax = 100;
export const pageSizeDefault = 20;
export const auditPageSizeDefault = 50;
/** How long the pages of the list of audit records show what page 1 found, and how many such lists are remembered. */
export const pagePinMs = 3_600_000;
export const pagePinsMax = 10_000;
export const importanceDefault = 0.5;
/**
 * Facts and contexts below this similarity are not injected. Measured with the embedded model on conversations: 1 % of the
 * evidence is below it, and four of five unrelated questions find nothing above it.
 */
export const injectionFloorDefault = 0.2;
/** Largest budget of an injection. */
export const promptMaxCharacters = 1_000_000;

/** A longer word counts by its beginning. */
export const wordMaxCharacters = 64;
/** Distinct words of a query that are looked up, and how many of these count: the rarest. */
export const queryWordsMax = 512;
export const queryTermsMax = 64;
/** Words of a project whose memories are kept at hand for the next query, and memories in all of them together. */
export const cachedWordsMax = 4_096;
export const cachedPostingsMax = 4_000_000;

export const bodyMaxBytes = 1024 * 1024;
/** Bodies of running calls, held in memory from their first byte to the answer: of one project, and of all together. */
export const bodiesMaxBytesPerProject = 16 * bodyMaxBytes;
export const bodiesMaxBytes = 64 * bodyMaxBytes;
/** Reading a body of this size or more takes milliseconds: each has a turn of its own. */
export const largeBodyMinBytes = 64 * 1024;
/** How long a body may take to arrive: its bytes count against the two limits above. */
export const bodyArrivalMaxMs = 60_000;
/** A chunked body may have so many chunks of any size; with more of them, they must have so many bytes on average. */
export const bodySmallChunksMax = 4_096;
export const bodyChunkMinBytes = 64;
/** Of the body of a call whose input is invalid, larger ones are recorded by length and digest. */
export const invalidBodyMaxBytes = 4 * 1024;
/** Of any JSON that is received, and of the values in it: objects, arrays, strings, numbers and literals. */
export const jsonMaxDepth = 64;
export const jsonMaxValues = 50_000;
export const metadataMaxBytes = 4 * 1024;
export const userAgentMaxCharacters = 1_024;
/** Of a parameter of path or query, as the record of a call keeps it. */
export const parameterMaxCharacters = 1_024;
export const nameMaxCharacters = 100;
/** Of an appended record: entries of rag_query and memory_query, and of rag_results and memory_results. */
export const appendedTextsMax = 100;
export const appendedItemsMax = 1_000;

export const extractionTextMaxCharacters = 50_000;
/** Texts of one extraction that wait for the embedder together: other calls need it too. */
export const embeddingsAtOnce = 16;
/** Items of one extraction that are compared with the memories of the project together: other searches wait meanwhile. */
export const comparedAtOnce = 16;
/** Similar memories that an extracted item is compared with. */
export const similarMemoriesMax = 50;

/** A connection on which nothing moves for this long is closed; longer than the slowest call. */
export const idleTimeoutSeconds = 120;

/** A server that ends waits this long for the calls of its clients and for commands of the same machine, then cuts them off. */
export const httpGraceMs = 5_000;
export const commandGraceMs = 1_000;
/** A server that has not ended this long after the signal is killed; Docker would do so after 10 s. */
export const endDeadlineMs = 9_000;

/** A group commit closes after this many calls or milliseconds, whichever comes first. */
export const groupMaxCalls = 256;
export const groupMaxMs = 5;
/** How often a transaction is performed that met another connection's lock, before its calls are answered with 1503. */
export const transactionAttemptsMax = 4;

/** Below this much free disk space the server is not ready: the largest group of calls may not fit. */
export const freeSpaceReserveBytes = 16 * 1024 * 1024;
/** How often the writer tries a write of its own after one failed, when readiness is asked for. */
export const writeProbeEveryMs = 500;
/** How long a database that was found damaged is not looked at again. */
export const damageCheckPauseMs = 2_000;
/** Newest records of a chain that `doctor` verifies, and of all chains together. */
export const recentRecordsPerChain = 10_000;
export const recentRecordsInAll = 200_000;
/** How often the log tells a failure that every call meets. */
export const failureLogEveryMs = 60_000;
/** How often the log tells how many calls were refused since the last such line. */
export const refusalSummaryEveryMs = 60_000;
/** Callers that are told apart in one such line, and those that it names: the most frequent. */
export const refusalSourcesMax = 1_000;
export const refusalSourcesShown = 5;
/** How long an answer about readiness waits for the threads that it asks: a busy one is ready. */
export const readinessWaitMs = 250;
/** A writer that has not answered for this long is not ready; longer than the longest erasure. */
export const writerSilenceMaxMs = 60_000;

/** `last_accessed_at` is written within this time, and at most once per memory in the second one. */
export const accessFlushMs = 1_000;
export const accessResolutionMs = 60_000;

/** Dead memories removed per transaction after a bulk delete: small, so that nobody waits behind it. */
export const purgeBatchRows = 50;
/** Dead memories after which their words are taken out of the file, before more are purged: it bounds the longest step of that. */
export const purgeErasureRows = 5_000;
/** Access times written per transaction, for the same reason. */
export const flushBatchRows = 1_000;

/** Pages of the words' index that one step of merging writes. */
export const wordMergePages = 16;
/** Words of memories that are gone leave the file at most this often, and take at most this share of the writer's time. */
export const wordErasureEveryMs = 60_000;
export const wordErasureShare = 0.05;
/** How long an erasure waits for them to leave the file before it answers 1503. */
export const wordErasureMaxMs = 30_000;
/** How long the end of the writer waits for them to leave the file. */
export const wordErasureAtEndMs = 2_000;

/** Records that calls without a valid key can cause, from one network and from all together; beyond, they are only counted. */
export const strangerRate = { perSecond: 1, burst: 10 };
export const strangersRate = { perSecond: 5, burst: 100 };
/** Networks that are counted one by one. */
export const strangerNetworksMax = 10_000;
/** Of a User-Agent in such a record. */
export const strangerUserAgentMaxCharacters = 200;
/** How often a record tells how many calls were only counted. */
export const strangerCountEveryMs = 60_000;

/** A checkpoint is signed after this many records of a chain, or after this time when any came, and once a day anyway. */
export const checkpointEveryRecords = 1_000;
export const checkpointEveryMs = 600_000;
export const checkpointIdleMs = 86_400_000;
/** The log warns when the clock is behind the newest record, or ahead of the time that passed, by more than this. */
export const clockBehindMs = 60_000;
/** Retention follows a clock that jumped forward after this time. */
export const clockTrustMs = 86_400_000;
/** How often retention looks for records that are too old; rows that it checks or deletes per step. */
export const retentionEveryMs = 3_600_000;
export const retentionBatchRows = 1_000;
/** How often a call that waits for retention asks whether it is done. */
export const sweepAskEveryMs = 50;
/** Payloads that an erasure looks through before it lets other questions in between. */
export const mentionBatchRows = 200;

/** Records that one step of a verification through the API checks, or bytes of stored payloads if they come first. */
export const proofStepRows = 500;
export const proofStepMaxBytes = 4 * 1024 * 1024;
/** How long a call waits for a verification before it is answered with what was checked up to then. */
export const proofWaitMs = 10_000;
/** A verification that is older than this begins again at the first record. */
export const proofRoundMs = 86_400_000;

/** An export fails before it takes the last of the disk from the database. */
export const exportReserveBytes = 64 * 1024 * 1024;
/** How long the file of an export stays. */
export const exportLifeMs = 7 * 86_400_000;
export const exportListMax = 100;
/** Exports that are worked on in turn; others wait. */
export const exportsAtOnce = 4;
/** A step of an export lasts about this long; pieces of it hold so many records, or bytes if they come first. */
export const exportStepMs = 200;
export const exportPieceRows = 128;
export const exportPieceMaxBytes = 1024 * 1024;
/** Threads that make rows while an export runs. */
export const exportRowThreadsMax = 2;
export const exportProgressMs = 1_000;
export const exportSweepMs = 60_000;
/** An export that took its thread down this many times has failed. */
export const exportAttemptsMax = 3;

/**
 * Text per question to a language model, in UTF-8 bytes, which follow its tokens better than characters do: some 2,500 tokens
 * at most, so that the rules and a long answer fit beside it into a context of 8,192.
 */
export const llmChunkMaxBytes = 6_000;
/** What a piece repeats of the one before it, so that a sentence keeps what it refers to. */
export const llmOverlapMaxBytes = 600;
/** Questions to the language model at once, of one call and of all together: local models serve few. */
export const llmQuestionsPerCall = 2;
export const llmQuestionsAtOnce = 4;
/** Reached only by callers that do not let a project's extractions wait before they ask (extractionsPerProject). */
export const llmQuestionLimits = {
  ...{ items: "questions to the language model", retryAfterSeconds: 10 },
  ...{ perProject: 200, inAll: 4_000 },
} as const;
/** An answer of the language model's server, decompressed; above, it is cut off. */
export const llmAnswerMaxBytes = 1024 * 1024;
/** Items of one answer: more than this from a piece is a model that runs in circles. */
export const llmItemsMax = 200;
/** How long to wait before the first and the second retry. */
export const llmRetryDelaysMs: readonly number[] = [1_000, 4_000];
/** A server that asks for more patience than this is not asked again. */
export const llmRetryAfterMaxMs = 30_000;
/** Clients are told what it asks for, up to this. */
export const llmRetryAfterMaxSeconds = 3_600;
export const llmNameMaxCharacters = 200;
/** Of what a language model's server says about a failure, in the log. */
export const llmDetailsMaxCharacters = 300;
/** Less than this is found in any text and proves nothing. Letters and digits; ideographs count twice. */
export const evidenceMinLetters = 6;
export const evidenceMinWords = 2;

/** Of a sentence that the built-in extractor keeps; longer ones are tables, minified code, or text without full stops. */
export const sentenceMinCharacters = 8;
export const sentenceMaxCharacters = 400;

/**
 * Queues that projects share (fair-queue.ts). A project at its own bound is answered with 1429; one that finds the queue full, and
 * has no fewer items in it than any other, with 1503.
 */
export const embeddingQueueLimits = {
  ...{ items: "texts to embed", retryAfterSeconds: 1 },
  ...{ perProject: 1_024, inAll: 8_192 },
} as const;
export const extractionQueueLimits = {
  ...{ items: "extractions", retryAfterSeconds: 10 },
  ...{ perProject: 100, inAll: 400 },
} as const;
/** Extractions of one project at work; its others wait. It bounds what they give to the embedder and to the writer. */
export const extractionsPerProject = 2;
export const writerQueueLimits = {
  ...{ items: "calls to record", retryAfterSeconds: 1 },
  ...{ perProject: 5_000, inAll: 20_000 },
} as const;
export const searchQueueLimits = {
  ...{ items: "searches", retryAfterSeconds: 1 },
  ...{ perProject: 1_000, inAll: 8_000 },
} as const;
export const readQueueLimits = {
  ...{ items: "reads", retryAfterSeconds: 1 },
  ...{ perProject: 1_000, inAll: 8_000 },
} as const;
/**
 * Questions that a reading thread has been given and has not answered: one of a project, since they cannot be withdrawn, and one of
 * another project, so that the thread need not wait for the main thread between the two.
 */
export const questionsAtOnce = 2;
export const questionsOfProjectAtOnce = 1;

/** Files of keys, checkpoints, rotation statements and manifests; a larger one is refused unread. */
export const evidenceFileMaxBytes = 256 * 1024 * 1024;
