// The thread of the answer cache. It has its own file, so a failure here is no failure of the database. After one, the file is removed and
// another one is begun.

import { workerData } from "node:worker_threads";
import type { AnswerKey, AnswerOwner, CachedAnswer } from "../../../calls/storage/answer-cache.ts";
import { answerRequests } from "../../../platform/threads/answer-requests.ts";
import { yieldToOthers } from "../../../platform/threads/priority.ts";
import { type AnswerFile, type AnswerFileOptions, openAnswerFile, removeAnswerFile } from "./answer-file.ts";

export type AnswerCacheInit = AnswerFileOptions;

export type AnswerCacheRequest =
  /** Answered with a CachedAnswer or null. */
  | { readonly find: AnswerKey; readonly now: number }
  | {
      readonly put: AnswerKey;
      readonly answer: CachedAnswer;
      readonly now: number;
      readonly maxAgeMs: number | null;
    }
  | { readonly remove: AnswerOwner }
  | { readonly sweep: number };

/** `failure`: what could not be done; the file may be missing, and what it contained is lost. */
export type AnswerCacheReply = { readonly found: CachedAnswer | null } | { readonly failure: string };

const init: AnswerCacheInit = workerData;
yieldToOthers();
let file: AnswerFile | null = null;

function perform(request: AnswerCacheRequest): CachedAnswer | null {
  file ??= openAnswerFile(init);
  if ("find" in request) return file.find(request.find, request.now);
  if ("put" in request) file.put(request.put, request.answer, request);
  else if ("remove" in request) file.remove(request.remove);
  else file.sweep(request.sweep);
  return null;
}

/** @throws Error when it cannot be removed */
function abandonFile(): void {
  const abandoned = file;
  file = null;
  try {
    abandoned?.close();
  } finally {
    removeAnswerFile(init.path);
  }
}

answerRequests<AnswerCacheReply>(
  (message) => {
    // Only answer-cache.ts sends requests here.
    const request = message as AnswerCacheRequest;
    try {
      return { found: perform(request) };
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      try {
        abandonFile();
        // Without the file, there is nothing that the removal has missed.
        if ("remove" in request) return { found: null };
      } catch {
        // The first failure says more.
      }
      return { failure };
    }
  },
  { close: () => file?.close() },
);
