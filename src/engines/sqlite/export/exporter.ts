// Owns the requests to the exporter's thread; the state of exports is saved by the writer. The thread starts when there is an export or a file.

import type { ExportEngine } from "../../../calls/storage/export-store.ts";
import type { WorkerThread } from "../../../platform/threads/worker-thread.ts";
import type { ExporterRequest } from "./export-worker.ts";

/** `hasWork`: whether there is an export, or a file in the folder of exports. */
export function createExporter(
  start: () => WorkerThread,
  hasWork: () => boolean,
  save: ExportEngine["save"],
): ExportEngine {
  let thread: WorkerThread | null = null;
  const ask = <Answer>(request: ExporterRequest): Promise<Answer> => {
    thread ??= start();
    return thread.request<Answer>(request);
  };
  const askForSome = async (request: ExporterRequest): Promise<readonly string[]> =>
    thread === null && !hasWork() ? [] : ask(request);
  return {
    save,
    pending: () => askForSome({ pending: true }),
    step: (id) => ask({ step: id }),
    removeExpired: (now) => askForSome({ removeExpired: now }),
    async close() {
      await thread?.close();
    },
  };
}
