// Owns the way to the exporter's thread; what became of exports goes to the writer. The thread starts with the first question.

import type { ExportEngine } from "../../../export/store.ts";
import type { WorkerClient } from "../../../native/worker-client.ts";
import type { ExporterRequest } from "./export-worker.ts";

export function createExporter(start: () => WorkerClient, save: ExportEngine["save"]): ExportEngine {
  let worker: WorkerClient | null = null;
  const ask = <Answer>(request: ExporterRequest): Promise<Answer> => {
    worker ??= start();
    return worker.request(request) as Promise<Answer>;
  };
  return {
    save,
    pending: () => ask({ pending: true }),
    step: (id) => ask({ step: id }),
    sweep: (now) => ask({ sweep: now }),
    async close() {
      // It ends its own threads, which nobody else knows.
      await worker?.request({ close: true } satisfies ExporterRequest).catch(() => undefined);
      await worker?.close();
    },
  };
}
