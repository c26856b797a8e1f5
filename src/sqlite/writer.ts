// Owns the queue in front of the writer. While one group is being committed the next one gathers here.

import type { Answer, Call } from "../call.ts";
import { unavailable } from "../errors.ts";
import type { ExportChange } from "../export/store.ts";
import { groupMaxCalls, writerQueueMaxCalls } from "../limits.ts";
import type { WorkerClient } from "../native/worker-client.ts";
import type { WriteState } from "./write-check.ts";
import type { WriterReply, WriterRequest } from "./writer-worker.ts";

interface Waiting {
  readonly call: Call;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export interface Writer {
  /** @throws Refusal 1503 when the queue is full or the transaction was lost. */
  commit(call: Call): Promise<Answer>;
  /** Writes down what became of an export. @throws when it cannot be written now. */
  logExport(change: ExportChange): Promise<void>;
  /** Whether it can write now. @throws Refusal 1503 when its thread restarts. */
  check(isSuspect: boolean): Promise<WriteState>;
  close(): Promise<void>;
}

/** Without `groupCommit` every call has a transaction of its own; benchmarks compare the two. */
export function createWriter(worker: WorkerClient, groupCommit: boolean): Writer {
  const ask = (request: WriterRequest) => worker.request(request) as Promise<WriterReply>;
  const groupSize = groupCommit ? groupMaxCalls : 1;
  let waiting: Waiting[] = [];
  let running: Promise<void> | null = null;

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const group = waiting.slice(0, groupSize);
      waiting = waiting.slice(groupSize);
      try {
        const answers = await ask({ settle: group.map(({ call }) => call) });
        for (const [index, { resolve, reject }] of group.entries()) {
          const answer = answers[index];
          if (answer) resolve(answer);
          else
            reject(
              unavailable(
                "The record of this call could not be written, so nothing was done. Send it again.",
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
        if (waiting.length >= writerQueueMaxCalls) {
          reject(unavailable("Too many calls are waiting to be written. Send the call again in a moment."));
          return;
        }
        waiting.push({ call, resolve, reject });
        running ??= run();
      }),
    async logExport(change) {
      await ask({ exported: change });
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
