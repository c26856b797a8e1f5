// Owns the limits of the hooks. They follow from the limits of the clients, which each constant names.

/**
 * A hook ends itself after this time, counted from the start of the process, so that it needs less than one second with the start and
 * the end of the process. Claude Code gives all hooks at the end of a session 1.5 s together, Codex 3 s.
 */
export const hookDeadlineMs = 700;
/** A longer event is read to its end, because the client would notice a closed pipe, but not used. */
export const eventMaxBytes = 4 * 1024 * 1024;
/**
 * Size of the context that a hook prints, in UTF-8 bytes, which correspond to tokens better than characters do. Claude Code and Cursor
 * accept 10,000 characters, Codex about 2,500 tokens; all of them replace or drop a longer text.
 */
export const contextMaxBytes = 7_500;
/** Of these, facts and contexts at the start of a session and with a prompt. The rest is for the rules. */
export const startMaxCharacters = 4_000;
export const promptMaxCharacters = 2_000;
/** Memories of one session that are remembered as printed. */
export const printedMax = 2_000;

/** How much of a transcript is in memory at once. A longer line, such as one with an image, is skipped. */
export const transcriptWindowBytes = 8 * 1024 * 1024;
/** Length of the messages of one extraction, below the limit of the operation. */
export const extractionMaxCharacters = 40_000;
/** Messages of one extraction: each has several values, and a body may have 50,000. */
export const extractionMaxMessages = 2_000;
/** Extractions of one run; the next run continues behind them. */
export const extractionsPerRun = 40;
/** Attempts of one extraction, and the longest delay between two of them. */
export const extractionAttempts = 5;
export const extractionDelayMaxMs = 60_000;

/** Files of a session are removed this long after their last change. */
export const sessionLifeMs = 30 * 86_400_000;
/** A file of a session that is larger was not written by a hook. */
export const sessionFileMaxBytes = 1024 * 1024;
/** Duration of one extraction call. A language model may need minutes for a long text. */
export const extractionMaxMs = 15 * 60_000;
