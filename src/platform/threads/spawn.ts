// Starts worker threads, from source and in the executable. Must never depend on what a worker does.

import { Worker } from "node:worker_threads";
import { embedded } from "../native/embedded.ts";

/** Entry files, relative to `src/`; build.ts compiles each as an entry point of its own. */
export const workerEntries = {
  writer: "engines/sqlite/threads/writer-worker.ts",
  reader: "engines/sqlite/threads/reader-worker.ts",
  searcher: "engines/sqlite/threads/search-worker.ts",
  scanner: "engines/sqlite/threads/scan-worker.ts",
  inspector: "engines/sqlite/threads/inspect-worker.ts",
  cacheWriter: "engines/sqlite/search-cache/cache-worker.ts",
  exporter: "engines/sqlite/export/export-worker.ts",
  exportRows: "engines/sqlite/export/export-rows-worker.ts",
  embedder: "models/embedding/embedder-worker.ts",
  extraEmbedder: "models/embedding/embedder-worker.ts",
  extractor: "models/extraction/extractor-worker.ts",
  bodies: "gateway/thread/body-worker.ts",
  verifier: "engines/sqlite/verify/verify-worker.ts",
  backup: "server/backup/backup-worker.ts",
  deadline: "platform/threads/process-deadline-worker.ts",
} as const;

export type WorkerName = keyof typeof workerEntries;

/**
 * Starts a worker. It receives a structured clone of `init` as `workerData` of `node:worker_threads`, and communicates through
 * `parentPort`. A failure to start is reported as its `error` event; this function does not throw.
 */
export function spawnWorker(name: WorkerName, init: unknown): Worker {
  const entry = workerEntries[name];
  // In the executable a relative name is the embedded entry point, independent of the working directory.
  const location = embedded === null ? new URL(`../../${entry}`, import.meta.url) : `./${entry}`;
  return new Worker(location, { workerData: init, name });
}
