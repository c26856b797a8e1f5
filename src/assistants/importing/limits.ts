// Owns the limits of imports. They keep the memory of the importer constant, whatever it reads.

/** A longer line, or element of a JSON array, is refused and not kept. A memory needs less: its content has 10,000 characters. */
export const recordMaxBytes = 1024 * 1024;
/** Brackets that are open at once in a JSON document; a deeper one is refused. */
export const jsonDepthMax = 1_000;
/** Bytes by which the format of a source is detected. */
export const headMaxBytes = 64 * 1024;
/** How long the detection waits for more of them, when a pipe has sent a line. */
export const headWaitMs = 300;
/** Items of one call. More are not faster, and all other calls wait for the writer while it stores them: about 4 ms. */
export const batchItems = 32;
/** Characters of the items of one call, so that its body is smaller than the server accepts. */
export const batchMaxCharacters = 200_000;
/** Calls that are not answered. Two of a project run at once; the others are received and checked meanwhile. */
export const batchesInFlight = 4;
/** A batch that is not full is sent when its source has been silent for this long. */
export const flushAfterMs = 500;
/** Memories that a dry run with a map shows. */
export const shownMemoriesMax = 5;
/** Messages about lines that are printed; all are counted. */
export const messagesMax = 50;
