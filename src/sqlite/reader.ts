// Owns the way to the reader's thread.

import type { AuditReader } from "../audit/store.ts";
import type { MemoryReader } from "../memory/store.ts";
import type { Questions, ReaderRequest } from "./reader-worker.ts";
import type { WorkerClient } from "./worker-client.ts";

export interface Reader {
  readonly memories: MemoryReader;
  readonly audit: AuditReader;
  close(): Promise<void>;
}

export function createReader(worker: WorkerClient): Reader {
  const ask = <Name extends keyof Questions>(question: Name, ...values: Parameters<Questions[Name]>) =>
    worker.request({ question, values } satisfies ReaderRequest) as Promise<ReturnType<Questions[Name]>>;
  return {
    memories: {
      list: (project, query) => ask("listMemories", project, query),
      search: (project, query) => ask("searchMemories", project, query),
    },
    audit: {
      list: (project, query) => ask("listRecords", project, query),
      find: (project, id) => ask("findRecord", project, id),
    },
    close: () => worker.close(),
  };
}
