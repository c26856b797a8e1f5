// Starts worker threads, the same way from source and inside the executable. Must never know what a worker does.

import { Worker } from "node:worker_threads";
import { embedded } from "../native/embedded.ts";

/** Entry files, relative to `src/`; build.ts compiles each as an entry point of its own. */
export const workerEntries = {
  writer: "storage/sqlite/threads/writer-worker.ts",
  reader: "storage/sqlite/threads/reader-worker.ts",
  searcher: "storage/sqlite/threads/search-worker.ts",
  inspector: "storage/sqlite/threads/inspect-worker.ts",
  exporter: "storage/sqlite/export/export-worker.ts",
  exportRows: "storage/sqlite/export/export-rows-worker.ts",
  embedder: "embedding/embedder-worker.ts",
  extractor: "extraction/extractor-worker.ts",
  verifier: "storage/sqlite/verify/verify-worker.ts",
  deadline: "threads/process-deadline-worker.ts",
} as const;

export type WorkerName = keyof typeof workerEntries;

/**
 * Starts a worker. It finds `init` (structured-cloneable, cloned) as `workerData` of `node:worker_threads` and talks through
 * `parentPort`. A failure to start arrives as its `error` event, never here.
 */
export function spawnWorker(name: WorkerName, init: unknown): Worker {
  const entry = workerEntries[name];
  // Inside the executable a relative name means the embedded entry point, whatever the working directory holds.
  const location = embedded === null ? new URL(`../${entry}`, import.meta.url) : `./${entry}`;
  return new Worker(location, { workerData: init, name });
}
