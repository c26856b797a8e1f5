// Owns the way to the reader's thread.

import type { MemoryPage, MemoryReader, SearchHit } from "../memory/store.ts";
import type { ReaderRequest } from "./reader-worker.ts";
import type { WorkerClient } from "./worker-client.ts";

export interface Reader {
  readonly memories: MemoryReader;
  close(): Promise<void>;
}

export function createReader(worker: WorkerClient): Reader {
  const ask = (request: ReaderRequest) => worker.request(request);
  return {
    memories: {
      list: (project, query) => ask({ list: { project, query } }) as Promise<MemoryPage>,
      search: (project, query) => ask({ search: { project, query } }) as Promise<readonly SearchHit[]>,
    },
    close: () => worker.close(),
  };
}
