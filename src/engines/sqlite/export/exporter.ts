// Owns the requests to the exporter's thread; the state of exports is saved by the writer. The thread starts with the first request.

import type { ExportEngine } from "../../../calls/storage/export-store.ts";
import type { WorkerThread } from "../../../platform/threads/worker-thread.ts";
import type { ExporterRequest } from "./export-worker.ts";

export function createExporter(start: () => WorkerThread, save: ExportEngine["save"]): ExportEngine {
  let thread: WorkerThread | null = null;
  const ask = <Answer>(request: ExporterRequest): Promise<Answer> => {
    thread ??= start();
    return thread.request<Answer>(request);
  };
  return {
    save,
    pending: () => ask({ pending: true }),
    step: (id) => ask({ step: id }),
    sweep: (now) => ask({ sweep: now }),
    async close() {
      await thread?.close();
    },
  };
}
