// Owns the threads of a verification: hands out stretches, collects what they found. A thread that dies ends the verification.

import type { Worker } from "node:worker_threads";
import { type Failure, UnusableInput } from "../../../audit/verify/verdict.ts";
import { spawnWorker } from "../../../native/worker.ts";
import type { ChainKey, Stretch, StretchResult } from "./rows.ts";
import type { VerifierInit, VerifierTask } from "./verify-worker.ts";

export interface Verifiers {
  /** The newest row number that every thread sees. */
  readonly newest: number;
  /** Results in the order of the stretches, and what is wrong with the tables. @throws UnusableInput */
  verify(
    stretches: readonly Stretch[],
    chains: readonly ChainKey[],
    only: number | null,
    onDone: (stretch: Stretch) => void,
  ): Promise<{ readonly results: StretchResult[]; readonly damage: Failure | null }>;
  close(): Promise<void>;
}

/** @throws UnusableInput */
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
        const [first] = workers;
        const damage = first === undefined ? null : ask<Failure | null>(first, "tables");
        const work = async (worker: Worker): Promise<void> => {
          for (let index = next++; index < stretches.length; index = next++) {
            const stretch = stretches[index];
            if (stretch === undefined) return;
            results[index] = await ask<StretchResult>(worker, { chains, stretch, only });
            onDone(stretch);
          }
        };
        await Promise.all(
          workers.map(async (worker) => {
            if (worker === first) await damage;
            await work(worker);
          }),
        );
        return { results, damage: await damage };
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function ask<Answer>(worker: Worker, task: VerifierTask): Promise<Answer> {
  const answer = reply<Answer>(worker);
  worker.postMessage(task);
  return answer;
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
    const onError = (cause: Error) => settle(() => reject(new UnusableInput(cause.message, { cause })));
    const onExit = () => onError(new Error("A thread of the verification ended by itself. Run it again."));
    worker.on("message", onMessage);
    worker.on("error", onError);
    worker.on("exit", onExit);
  });
}
