// Opens the SQLite engine with its threads visible, so that a test can end one of them.

import type { Worker } from "node:worker_threads";
import { spawnWorker } from "../../../src/platform/threads/spawn.ts";
import { openSeam, type Seam } from "../../calls/storage/seam.ts";

export interface ObservedEngine {
  readonly seam: Seam;
  /** The newest thread of each name. */
  readonly workers: ReadonlyMap<string, Worker>;
}

export async function openObserved(): Promise<ObservedEngine> {
  const workers = new Map<string, Worker>();
  const seam = await openSeam({
    spawn: (name, init) => {
      const worker = spawnWorker(name, init);
      workers.set(name, worker);
      return worker;
    },
  });
  return { seam, workers };
}
