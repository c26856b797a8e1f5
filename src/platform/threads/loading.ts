// Owns whether a worker is still starting. Bun aborts the whole process when a thread is terminated while it loads an addon, so no worker
// may be ended before its first message.

import type { Worker } from "node:worker_threads";
import type { Clock } from "../time/clock.ts";
import { closeStartMaxMs } from "./policies.ts";

interface Loading {
  /** A worker was started, and is the current one from now on. */
  begin(worker: Worker): void;
  /** Waits for the first message of the current worker or its exit, but not for ever. */
  end(clock: Clock): Promise<void>;
}

export function createLoading(): Loading {
  let loading: Promise<void> | null = null;
  return {
    begin(worker) {
      const { promise, resolve } = Promise.withResolvers<void>();
      loading = promise;
      const hasLoaded = (): void => {
        if (loading === promise) loading = null;
        resolve();
      };
      worker.once("message", hasLoaded);
      worker.once("exit", hasLoaded);
    },
    async end(clock) {
      if (loading !== null) await clock.within(closeStartMaxMs, loading);
    },
  };
}
