// Owns the way to the reader's thread.

import type { Project } from "../access/project.ts";
import type { AuditReader, RecordPlace, Verification } from "../audit/store.ts";
import type { MemoryReader } from "../memory/store.ts";
import type { WorkerClient } from "../native/worker-client.ts";
import { concludeProof } from "./prove.ts";
import type { Questions, ReaderRequest } from "./reader-worker.ts";

export interface Reader {
  readonly memories: MemoryReader;
  readonly audit: AuditReader;
  close(): Promise<void>;
}

/** The thread starts with the first question. */
export function createReader(start: () => WorkerClient): Reader {
  let worker: WorkerClient | null = null;
  const ask = <Name extends keyof Questions>(question: Name, ...values: Parameters<Questions[Name]>) => {
    worker ??= start();
    const request: ReaderRequest = { question, values };
    return worker.request(request) as Promise<ReturnType<Questions[Name]>>;
  };
  const prove = async (project: Project): Promise<Verification> => {
    const plan = await ask("planProof", project);
    if (plan === null) return { report: null, verified: null };
    const results = [];
    for (const stretch of plan.stretches) results.push(await ask("proveStretch", plan.key, stretch));
    const report = concludeProof(plan, results);
    const last = results.findLast(({ segments }) => segments.length > 0)?.segments[0]?.[1].last;
    const isGood = report.failure === null && report.contradiction === null;
    return { report, verified: isGood && last?.hash ? { seq: last.seq, hash: last.hash } : null };
  };
  const proofs = new Map<number, Promise<Verification>>();

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
      verify(project) {
        const running = proofs.get(project.serial);
        if (running !== undefined) return running;
        const proof = prove(project).finally(() => proofs.delete(project.serial));
        proofs.set(project.serial, proof);
        return proof;
      },
    },
    async close() {
      await worker?.close();
    },
  };
}
