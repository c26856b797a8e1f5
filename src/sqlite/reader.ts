// Owns the way to the reader's thread.

import type { Logger } from "../logger.ts";
import type { MemoryPage, MemoryReader, SearchHit } from "../memory/store.ts";
import type { ReaderInit, ReaderRequest } from "./reader-worker.ts";
import { WorkerClient } from "./worker-client.ts";

export interface Reader {
  readonly memories: MemoryReader;
  close(): Promise<void>;
}

export function createReader(init: ReaderInit, logger: Logger): Reader {
  const worker = new WorkerClient("reader", init, logger);
  const ask = (request: ReaderRequest) => worker.request(request);
  return {
    memories: {
      list: (project, query) => ask({ list: { project, query } }) as Promise<MemoryPage>,
      search: (project, query) => ask({ search: { project, query } }) as Promise<readonly SearchHit[]>,
    },
    close: () => worker.close(),
  };
}
