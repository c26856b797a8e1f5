// Owns the extraction of memories from the transcript of a conversation: what was said since the last time, in order, one call after the
// other. Must never lose its position when it is killed: a part is read again until the server has answered.

import type { Logger } from "../../platform/log/logger.ts";
import { CallRefused } from "../../platform/received-answer.ts";
import { extractionAttempts, extractionDelayMaxMs, extractionsPerRun } from "./limits.ts";
import type { MemoryCalls } from "./memory-calls.ts";
import { toChunks } from "./message-chunks.ts";
import type { SessionFiles } from "./session-files.ts";
import { readRecords } from "./transcripts/read-records.ts";
import type { TranscriptFormat } from "./transcripts/transcript.ts";

export interface TranscriptExtraction {
  readonly transcript: string;
  readonly format: TranscriptFormat;
  readonly calls: MemoryCalls;
  readonly detail: string;
  readonly files: SessionFiles;
  readonly logger: Logger;
  /** A new signal for each call, which limits its duration. */
  readonly limit: () => AbortSignal;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** @throws what readRecords throws; failures of calls are logged, and the rest is left to the next run */
export async function extractTranscript(extraction: TranscriptExtraction): Promise<void> {
  const { transcript, format, files, logger } = extraction;
  let left = extractionsPerRun;
  for (;;) {
    const from = files.readPosition(transcript);
    const { records, end } = readRecords(transcript, from);
    if (end === from) return;
    for (const chunk of toChunks(format(records))) {
      if (left === 0) {
        logger.warn("a transcript is too long for one extraction", { extractions: extractionsPerRun });
        return;
      }
      left -= 1;
      if (!(await extractChunk(chunk.messages, extraction))) return;
      // The first part of a long message ends before it, possibly before the position.
      if (chunk.end > from) files.savePosition(transcript, chunk.end);
    }
    files.savePosition(transcript, end);
  }
}

/** @returns whether the messages were extracted */
async function extractChunk(
  messages: Parameters<MemoryCalls["extract"]>[0],
  { calls, detail, logger, limit, sleep }: TranscriptExtraction,
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await calls.extract(messages, detail, limit());
      return true;
    } catch (error) {
      const isFinal = attempt === extractionAttempts || (error instanceof CallRefused && !isTemporary(error));
      if (isFinal) {
        logger.error("messages of a transcript were not extracted", {
          code: codeOf(error),
          cause: messageOf(error),
        });
        return false;
      }
      const wanted = (error instanceof CallRefused ? error.retryAfterMs : null) ?? 1_000 * 4 ** (attempt - 1);
      await sleep(Math.min(wanted, extractionDelayMaxMs));
    }
  }
}

function isTemporary({ status }: CallRefused): boolean {
  return status === 429 || status >= 500;
}

function codeOf(error: unknown): number | null {
  return error instanceof CallRefused ? error.code : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
