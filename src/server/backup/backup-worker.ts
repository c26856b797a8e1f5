// Makes one scheduled backup, in a thread of its own with a low priority. It is told to stop by a shared flag, because it answers no
// message while it copies.

import { chooseEngine } from "../../engines/engines.ts";
import { returnFreeMemory } from "../../platform/native/free-memory.ts";
import { answerRequests } from "../../platform/threads/answer-requests.ts";
import { yieldToOthers } from "../../platform/threads/priority.ts";
import { locate } from "../data-directory/data-directory.ts";
import { type BackupOptions, makeBackup } from "./make-backup.ts";

export interface BackupRequest {
  readonly dataDir: string;
  readonly options: Omit<BackupOptions, "onProgress" | "signal">;
  /** Not 0: stop. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

yieldToOthers();

/** Answers with the size of the file. */
answerRequests(async (request) => {
  const { dataDir, options, stop } = request as BackupRequest;
  const directory = locate(dataDir);
  const requireRunning = (): void => {
    if (Atomics.load(stop, 0) !== 0) throw new Error("The server is shutting down.");
  };
  const place = { directory, engine: chooseEngine(directory) };
  try {
    return (await makeBackup(place, { ...options, onProgress: requireRunning })).bytes;
  } finally {
    // Each backup has a new thread, which may get another heap.
    returnFreeMemory();
  }
});
