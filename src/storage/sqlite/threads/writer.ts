// Owns the queue in front of the writer. While one group is being committed the next one gathers here.

import type { RetentionResult } from "../../../audit/store.ts";
import type { Call } from "../../../calls/call.ts";
import { unavailable } from "../../../errors.ts";
import type { ExportChange } from "../../../export/store.ts";
import { groupMaxCalls, sweepAskEveryMs, writerQueueLimits } from "../../../limits.ts";
import type { WorkerClient } from "../../../native/worker-client.ts";
import { FairQueue, type Queued, serverItself } from "../../../scheduling/fair-queue.ts";
import type { SettledCall } from "../../after-commit.ts";
import type { SweepOutcome } from "../retention/retention-sweeps.ts";
import type { WriteState } from "./write-check.ts";
import type { WriterReply, WriterRequest } from "./writer-worker.ts";

interface Waiting extends Queued {
  readonly call: Call;
  resolve(settled: SettledCall): void;
  reject(error: unknown): void;
}

export interface Writer {
  /**
   * @returns the call with the effects that are left for the main thread.
   * @throws Refusal 1503 when the writer's thread failed; 1429 or 1503 when too many calls wait.
   */
  commit(call: Call): Promise<SettledCall>;
  /** Writes down what became of an export. @throws when it cannot be written now. */
  logExport(change: ExportChange): Promise<void>;
  /** @throws Refusal 1503 when retention could not sweep over all chains. */
  sweep(): Promise<readonly RetentionResult[]>;
  /** Whether it can write now. @throws Refusal 1503 when its thread restarts. */
  check(isSuspect: boolean): Promise<WriteState>;
  close(): Promise<void>;
}

/** Without `groupCommit` every call has a transaction of its own; benchmarks compare the two. */
export function createWriter(worker: WorkerClient, groupCommit: boolean): Writer {
  const ask = (request: WriterRequest) => worker.request(request) as Promise<WriterReply>;
  const groupSize = groupCommit ? groupMaxCalls : 1;
  const queue = new FairQueue<Waiting>(writerQueueLimits);
  let running: Promise<void> | null = null;

  const run = async (): Promise<void> => {
    for (let group = takeGroup(queue, groupSize); group.length > 0; group = takeGroup(queue, groupSize)) {
      try {
        const settled = await ask({ settle: group.map(({ call }) => call) });
        for (const [index, { resolve, reject }] of group.entries()) {
          const call = settled[index];
          if (call) resolve(call);
          else
            reject(
              unavailable(
                "The record of this call was not written, so nothing was done. Send the call again.",
              ),
            );
        }
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    running = null;
  };

  return {
    commit: (call) =>
      new Promise((resolve, reject) => {
        queue.add(call.project ?? serverItself.project, { call, resolve, reject, refuse: reject });
        running ??= run();
      }),
    async logExport(change) {
      await ask({ exported: change });
    },
    async sweep() {
      // The thread answers one request after the other, so it is asked again and again instead of once for minutes.
      const sweep = (await worker.request({ sweep: "start" } satisfies WriterRequest)) as number;
      for (;;) {
        const outcome = (await worker.request({ sweep } satisfies WriterRequest)) as SweepOutcome;
        if (typeof outcome === "object") return outcome;
        if (outcome !== "running") throw unavailable(sweepFailed);
        await Bun.sleep(sweepAskEveryMs);
      }
    },
    check: (isSuspect) =>
      worker.request({ check: { isSuspect } } satisfies WriterRequest) as Promise<WriteState>,
    async close() {
      await running;
      await ask({ close: true }).catch(() => undefined);
      await worker.close();
    },
  };
}

const sweepFailed =
  "Retention could not remove everything that is too old. The reason is in the server's log. Send the call again.";

/** Projects take turns within a group. */
function takeGroup(queue: FairQueue<Waiting>, size: number): readonly Waiting[] {
  const group: Waiting[] = [];
  while (group.length < size) {
    const next = queue.take();
    if (next === undefined) break;
    group.push(next);
  }
  return group;
}
