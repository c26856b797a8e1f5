// Ends a thread of the embedder from outside, as a crash would, but between two runs: to terminate it during a run aborts the process
// (see ThreadPolicy.mayTerminate).

import type { Worker } from "node:worker_threads";
import type { ToThread } from "../../../src/platform/threads/protocol.ts";

export async function endThread(worker: Worker | undefined): Promise<void> {
  if (worker === undefined) throw new Error("the thread does not run");
  const { promise, resolve } = Promise.withResolvers<void>();
  worker.once("exit", () => resolve());
  worker.postMessage({ close: true } satisfies ToThread);
  await promise;
}
