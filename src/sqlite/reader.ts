// Owns the way to the reader's thread.

import type { AuditReader, RecordPlace } from "../audit/store.ts";
import type { Clock } from "../clock.ts";
import type { MemoryReader } from "../memory/store.ts";
import type { WorkerClient } from "../native/worker-client.ts";
import { createProofs } from "./proofs.ts";
import type { Questions, ReaderRequest } from "./reader-worker.ts";

export interface Reader {
  readonly memories: MemoryReader;
  readonly audit: AuditReader;
  close(): Promise<void>;
}

/** The thread starts with the first question. */
export function createReader(start: () => WorkerClient, clock: Clock): Reader {
  let worker: WorkerClient | null = null;
  const ask = <Name extends keyof Questions>(question: Name, ...values: Parameters<Questions[Name]>) => {
    worker ??= start();
    const request: ReaderRequest = { question, values };
    return worker.request(request) as Promise<ReturnType<Questions[Name]>>;
  };
  const verify = createProofs(
    {
      planProof: (project, mark, isRoundDue) => ask("planProof", project, mark, isRoundDue),
      proveStep: (key, above, through) => ask("proveStep", key, above, through),
    },
    clock,
  );

  return {
    memories: {
      list: (project, query) => ask("listMemories", project, query),
      search: (project, query) => ask("searchMemories", project, query),
      gather: (project, query) => ask("gatherMemories", project, query),
      neighbours: (project, query) => ask("neighbours", project, query),
    },
    audit: {
      list: (project, query) => ask("listRecords", project, query),
      find: (project, id) => ask("findRecord", project, id),
      place: (id) => ask("placeRecord", id),
      async mentions(text) {
        const places: RecordPlace[] = [];
        for (let after: number | null = 0; after !== null; ) {
          const batch: Awaited<ReturnType<Questions["mentions"]>> = await ask("mentions", text, after);
          places.push(...batch.places);
          after = batch.next;
        }
        return places;
      },
      verify,
    },
    async close() {
      await worker?.close();
    },
  };
}
