// Owns the threads of a verification: hands out stretches, collects what they found. A thread that dies ends the verification.

import type { Worker } from "node:worker_threads";
import { Unusable } from "../audit/verdict.ts";
import { spawnWorker } from "../native/worker.ts";
import type { ChainKey, Stretch, StretchResult } from "./verify-rows.ts";
import type { VerifierInit, VerifierTask } from "./verify-worker.ts";

export interface Verifiers {
  /** The newest row number that every thread sees. */
  readonly newest: number;
  /** Results in the order of the stretches. @throws Unusable */
  verify(
    stretches: readonly Stretch[],
    chains: readonly ChainKey[],
    only: number | null,
    onDone: (stretch: Stretch) => void,
  ): Promise<StretchResult[]>;
  close(): Promise<void>;
}

/** @throws Unusable */
export async function startVerifiers(path: string, threads: number): Promise<Verifiers> {
  const init: VerifierInit = { path };
  const workers = Array.from({ length: threads }, () => spawnWorker("verifier", init));
  const close = async () => void (await Promise.all(workers.map((worker) => worker.terminate())));
  try {
    const newest = await Promise.all(workers.map((worker) => reply<number>(worker)));
    return {
      newest: Math.min(...newest),
      close,
      async verify(stretches, chains, only, onDone) {
        const results: StretchResult[] = [];
        let next = 0;
        const work = async (worker: Worker): Promise<void> => {
          for (let index = next++; index < stretches.length; index = next++) {
            const stretch = stretches[index];
            if (stretch === undefined) return;
            const answer = reply<StretchResult>(worker);
            worker.postMessage({ chains, stretch, only } satisfies VerifierTask);
            results[index] = await answer;
            onDone(stretch);
          }
        };
        await Promise.all(workers.map(work));
        return results;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The next message of a worker; what it throws arrives as a plain error. */
function reply<Message>(worker: Worker): Promise<Message> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      worker.off("message", onMessage);
      worker.off("error", onError);
      worker.off("exit", onExit);
      act();
    };
    const onMessage = (message: Message) => settle(() => resolve(message));
    const onError = (cause: Error) => settle(() => reject(new Unusable(cause.message, { cause })));
    const onExit = () => onError(new Error("A thread of the verification ended by itself. Run it again."));
    worker.on("message", onMessage);
    worker.on("error", onError);
    worker.on("exit", onExit);
  });
}
