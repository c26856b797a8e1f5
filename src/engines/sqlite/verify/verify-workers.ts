// Owns the threads of a verification: gives each of them one range of rows after another and collects the results. A thread that fails
// ends the verification.

import { type Failure, UnusableInput } from "../../../audit/verify/verdict.ts";
import { createLogger } from "../../../platform/log/logger.ts";
import { createSupervisor, type Supervisor } from "../../../platform/threads/supervisor.ts";
import { ThreadEnded } from "../../../platform/threads/thread-ended.ts";
import type { WorkerThread } from "../../../platform/threads/worker-thread.ts";
import type { ChainKey, RangeResult, RowRange } from "./rows.ts";
import type { VerifierInit, VerifierReady, VerifierTask } from "./verify-worker.ts";

export interface Verifiers {
  /** The newest row number that every thread sees. */
  readonly newest: number;
  /** Results in the order of the ranges, and what is wrong with the tables. @throws UnusableInput */
  verify(
    ranges: readonly RowRange[],
    chains: readonly ChainKey[],
    only: number | null,
    onDone: (range: RowRange) => void,
  ): Promise<{ readonly results: RangeResult[]; readonly damage: Failure | null }>;
  close(): Promise<void>;
}

/** A failure is an answer of the verification, so nothing is logged. @throws UnusableInput */
export async function startVerifiers(
  path: string,
  size: number,
  supervisor: Supervisor = createSupervisor({ logger: createLogger("silent") }),
): Promise<Verifiers> {
  const init: VerifierInit = { path };
  const threads = Array.from({ length: size }, () => supervisor.start<VerifierReady>("verifier", init));
  const close = async () => void (await Promise.all(threads.map((thread) => thread.close())));
  try {
    const newest = await orUnusable(Promise.all(threads.map(({ ready }) => ready)));
    return {
      newest: Math.min(...newest),
      close,
      async verify(ranges, chains, only, onDone) {
        const results: RangeResult[] = [];
        let next = 0;
        const [first] = threads;
        const damage = first === undefined ? null : ask<Failure | null>(first, "tables");
        const work = async (thread: WorkerThread<VerifierReady>): Promise<void> => {
          for (let index = next++; index < ranges.length; index = next++) {
            const range = ranges[index];
            if (range === undefined) return;
            results[index] = await ask<RangeResult>(thread, { chains, range, only });
            onDone(range);
          }
        };
        await Promise.all(
          threads.map(async (thread) => {
            if (thread === first) await damage;
            await work(thread);
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

function ask<Answer>(thread: WorkerThread<VerifierReady>, task: VerifierTask): Promise<Answer> {
  return orUnusable(thread.request<Answer>(task));
}

async function orUnusable<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof ThreadEnded) {
      throw new UnusableInput(
        "A thread of the verification ended before it answered. Run the verification again.",
        {
          cause,
        },
      );
    }
    throw new UnusableInput(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
