// Owns the fixed limits of the service. Those of extractors are in extraction/limits.ts, those that depend on a plan in access/plan.ts.

export const contentMaxCharacters = 10_000;
/** Tags of a memory, or of a filter; SQL checks both numbers, too. */
export const subjectMaxCharacters = 200;
/** Of a conversation, or of a message in it. */
export const conversationIdMaxCharacters = 200;
/** Places at which a memory was said. */
export const originsMax = 100;
export const tagsMax = 16;
export const tagMaxCharacters = 64;
/** Metadata of a memory: bytes of its JSON text, which SQL checks, too, members, and characters of a name. */
export const memoryMetadataMaxBytes = 4 * 1024;
export const memoryMetadataMembersMax = 64;
export const memoryMetadataNameMaxCharacters = 64;
/** Conditions of a filter by metadata, and values of its `in`. */
export const metadataConditionsMax = 16;
export const metadataChoicesMax = 100;
export const queryMaxCharacters = 10_000;
export const topKMax = 50;
export const topKDefault = 10;
export const pageMax = 2 ** 31;
export const pageSizeMax = 100;
export const pageSizeDefault = 20;
export const tagPageSizeDefault = 100;
export const auditPageSizeDefault = 50;
/** How long the later pages of a list of audit records show the state of page 1, and how many such lists are kept. */
export const pagePinMs = 3_600_000;
export const pagePinsMax = 10_000;
export const importanceDefault = 0.5;
/** Maximum length of an injected prompt section. */
export const promptMaxCharacters = 1_000_000;

/** Longer words are cut off. */
export const wordMaxCharacters = 64;
/** Distinct words of a query that are looked up, and how many of them are ranked: the rarest ones. */
export const queryWordsMax = 512;
export const queryTermsMax = 64;

export const bodyMaxBytes = 1024 * 1024;
/** Bodies of running calls in memory, from their first byte to the answer: of one project, and of all projects. */
export const bodiesMaxBytesPerProject = 16 * bodyMaxBytes;
export const bodiesMaxBytes = 64 * bodyMaxBytes;
/** Parsing a body of this size or more takes milliseconds, so each one is parsed in a separate turn of the event loop. */
export const largeBodyMinBytes = 64 * 1024;
/** Timeout for receiving a body, because its bytes count against the two limits above. */
export const bodyArrivalMaxMs = 60_000;
/** A chunked body may have this many chunks of any size. With more chunks, their average size must have this many bytes. */
export const bodySmallChunksMax = 4_096;
export const bodyChunkMinBytes = 64;
/** Depth of received JSON, and number of its values: objects, arrays, strings, numbers and literals. */
export const jsonMaxDepth = 64;
export const jsonMaxValues = 50_000;
export const metadataMaxBytes = 4 * 1024;
export const userAgentMaxCharacters = 1_024;
/** Length of a path or query parameter in an audit record. */
export const parameterMaxCharacters = 1_024;
export const nameMaxCharacters = 100;
/** Entries of an appended record: of rag_query and memory_query, and of rag_results and memory_results. */
export const appendedTextsMax = 100;
export const appendedItemsMax = 1_000;

/**
 * The query that is made from messages: length of the last message of the user, the length below which what the user said before is put
 * in front of it, and how much of that. Measured on twenty short questions that continue a topic, and twenty that begin another one: the
 * memory in question is among the first three results for 18 and 19 of them. With 40 instead of 25 it is 19 and 18, but for the second
 * kind it is the first result only 10 times instead of 15; with the words of the assistant too, it is worse.
 */
export const messageQueryMaxCharacters = 2_000;
export const messageQueryShortCharacters = 25;
export const messageQueryContextMaxCharacters = 240;

export const extractionTextMaxCharacters = 50_000;
/** Texts of one extraction or batch that wait for the embedder at once, so that other calls can use it. */
export const embeddingsAtOnce = 32;
/** Items of one extraction that are compared with memories at once, because other searches wait for it. */
export const comparedAtOnce = 16;
/** Similar memories with which an extracted item is compared. */
export const similarMemoriesMax = 50;

/** A connection without traffic is closed after this time, which is longer than the slowest call. */
export const idleTimeoutSeconds = 120;

/** How long a shutdown waits for running calls, over HTTP and on the local socket, before it closes their connections. */
export const httpGraceMs = 5_000;
/** How often a background server checks whether it is idle, and its log whether it is too long. */
export const backgroundCheckMs = 30_000;
/** Size at which the log of a background server begins again; one previous log is kept. */
export const backgroundLogMaxBytes = 1024 * 1024;
/** How long a program waits for a background server that it starts, or that another program starts. */
export const backgroundStartMaxMs = 30_000;
/** How long a program waits for a background server to end: longer than endDeadlineMs. */
export const backgroundStopMaxMs = 12_000;
/** Longest message that a client can send to `memledger mcp`; the server refuses shorter ones with a better message. */
export const mcpLineMaxBytes = 8 * 1024 * 1024;
/** How long `memledger mcp` waits for running requests after its client has closed stdin. */
export const mcpEndMaxMs = 30_000;
/** How often it sends a request in all, if the connection ends before the answer. */
export const mcpAttemptsMax = 3;
/** A server that has not stopped this long after the signal is killed. Docker kills it after 10 s. */
export const endDeadlineMs = 9_000;

/** A group commit closes after this many calls or milliseconds, whichever comes first. */
export const groupMaxCalls = 256;
export const groupMaxMs = 5;
/**
 * Characters of the bodies of the calls that the writer gets together; a call with more has a group of its own. A batch of a thousand
 * memories takes 100 ms, and the calls of a group are answered when all are settled.
 */
export const groupMaxCharacters = 16 * 1024;
/** Attempts before a 1503: of a transaction that meets another connection's lock, and to prepare a call while records are erased. */
export const transactionAttemptsMax = 4;
export const preparationAttemptsMax = 4;

/** Below this much free disk space the server is not ready: the largest group of calls may not fit. */
export const freeSpaceReserveBytes = 16 * 1024 * 1024;
/** How often a readiness check makes the writer test the disk after a failed write. */
export const writeProbeEveryMs = 500;
/** How long the result of a check of a damaged database is reused. */
export const damageCheckPauseMs = 2_000;
/** Newest records that `doctor` verifies: of one chain, and of all chains. */
export const recentRecordsPerChain = 10_000;
export const recentRecordsInAll = 200_000;
/** How often a failure that affects every call is logged. */
export const failureLogEveryMs = 60_000;
/** How long a readiness check waits for the threads; a thread that is only busy counts as ready. */
export const readinessWaitMs = 250;
/**
 * A writer that has not answered for this long hangs: the server is not ready, and calls that wait for the writer are answered with
 * 1503. Longer than an erasure usually takes (wordErasureMaxMs).
 */
export const writerHangsAfterMs = 60_000;

/** `last_accessed_at` is written within the first time, and at most once per memory within the second one. */
export const accessFlushMs = 1_000;
export const accessResolutionMs = 60_000;

/** Deleted memories that are purged in one transaction: few, so that other calls do not wait long. */
export const purgeBatchRows = 50;
/** Deleted memories after which their words are erased from the file before more are purged; it limits the longest merge step. */
export const purgeErasureRows = 5_000;
/** Access times that are written in one transaction, for the same reason. */
export const flushBatchRows = 1_000;

/** Pages of the keyword index that one merge step writes. */
export const wordMergePages = 16;
/** How often the words of deleted memories are erased from the file, and the maximum share of the writer's time for it. */
export const wordErasureEveryMs = 60_000;
export const wordErasureShare = 0.05;
/** How long an erasure waits until the words are erased from the file before it answers 1503. */
export const wordErasureMaxMs = 30_000;
/** How long the shutdown of the writer waits for it. */
export const wordErasureAtEndMs = 2_000;

/** Rate of records about calls without a valid key: of one network, and of all networks. Further calls are only counted. */
export const unauthenticatedNetworkRate = { perSecond: 1, burst: 10 };
export const unauthenticatedRate = { perSecond: 5, burst: 100 };
/** Networks that are counted separately. */
export const unauthenticatedNetworksMax = 10_000;
/** Length of a text of the client, such as User-Agent, in such a record. */
export const unauthenticatedTextMaxCharacters = 200;
/** How often the number of calls that were only counted is recorded. */
export const unauthenticatedCountEveryMs = 60_000;

/** A checkpoint of a chain is signed after this many records, after this time if there are new records, and in any case once a day. */
export const checkpointEveryRecords = 1_000;
export const checkpointEveryMs = 600_000;
export const checkpointIdleMs = 86_400_000;
/** A warning is logged when the clock is behind the newest record, or ahead of the elapsed time, by more than this. */
export const clockBehindMs = 60_000;
/** How long retention waits after the clock has jumped forward. */
export const clockTrustMs = 86_400_000;
/** How often retention searches for old records, and how many rows it checks or deletes in one step. */
export const retentionEveryMs = 3_600_000;
export const retentionBatchRows = 1_000;
/** How often a call that waits for a retention run checks whether it is done. */
export const retentionAskEveryMs = 50;
/** Payloads that an erasure searches in one step; other requests run between the steps. */
export const erasureBatchRows = 200;

/** Records that one step of a verification through the API checks. A step also ends after this many bytes of stored payloads. */
export const verificationStepRows = 500;
export const verificationStepMaxBytes = 4 * 1024 * 1024;
/** Checkpoints whose signatures need not be checked again by the next verification, of all projects together: about 1 KB each. */
export const openedNotesMax = 10_000;
/** How long a call waits for a verification before it is answered with the result so far. */
export const verificationWaitMs = 10_000;
/** A verification older than this starts again at the first record. */
export const verificationRoundMs = 86_400_000;

/** An export fails when less disk space than this would remain for the database. */
export const exportReserveBytes = 64 * 1024 * 1024;
/** How long the file of an export is kept. */
export const exportLifeMs = 7 * 86_400_000;
export const exportListMax = 100;
/** Exports that are written in turns; others wait. */
export const exportsAtOnce = 4;
/** Duration of one step of an export, and the size of its batches: this many records, or fewer when they reach this many bytes. */
export const exportStepMs = 200;
export const exportBatchRows = 128;
export const exportBatchMaxBytes = 1024 * 1024;
/** Threads that format rows while an export runs. */
export const exportRowThreadsMax = 2;
export const exportProgressMs = 1_000;
export const expiredExportsEveryMs = 60_000;
/** An export fails after its thread has stopped unexpectedly this many times. */
export const exportAttemptsMax = 3;

/**
 * Queues that projects share (fair-queue.ts). A project that reaches its own limit is answered with 1429. When the queue is full, the
 * newest item of the project with the most items is answered with 1503.
 */
export const embeddingQueueLimits = {
  items: "texts to embed",
  perProject: 1_024,
  total: 8_192,
  retryAfterSeconds: 1,
} as const;
/** Searches beyond these limits are not refused: they return the hybrid order. */
export const rerankQueueLimits = {
  items: "searches to rerank",
  perProject: 16,
  total: 64,
  retryAfterSeconds: 1,
} as const;
export const extractionQueueLimits = {
  items: "extractions and batches",
  perProject: 100,
  total: 400,
  retryAfterSeconds: 10,
} as const;
/** Concurrent extractions and batches of one project; others wait. It limits the work of one project for the embedder and the writer. */
export const extractionsPerProject = 2;
export const writerQueueLimits = {
  items: "calls",
  perProject: 5_000,
  total: 20_000,
  retryAfterSeconds: 1,
} as const;
export const searchQueueLimits = {
  items: "searches",
  perProject: 1_000,
  total: 8_000,
  retryAfterSeconds: 1,
} as const;
export const readQueueLimits = {
  items: "reads",
  perProject: 1_000,
  total: 8_000,
  retryAfterSeconds: 1,
} as const;
/**
 * Requests that were sent to a reading thread and are not answered: one of each project, because a request cannot be withdrawn, and two
 * in all, so that the thread does not wait for the main thread between them.
 */
export const readRequestsAtOnce = 2;
export const readRequestsOfProjectAtOnce = 1;

/** Maximum size of files with keys, checkpoints, rotation statements or manifests. A larger file is not read. */
export const evidenceFileMaxBytes = 256 * 1024 * 1024;
