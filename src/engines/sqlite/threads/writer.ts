// Owns the queue of calls for the writer. While one group is being committed, the calls of the next one wait here.

import type { Call } from "../../../calls/contract/call.ts";
import { withAnswer } from "../../../calls/outcome.ts";
import type { AnsweredCall } from "../../../calls/storage/after-commit.ts";
import type { AttestationStore } from "../../../calls/storage/attestation-store.ts";
import type { DepositStore } from "../../../calls/storage/deposit-store.ts";
import type { ExportChange } from "../../../calls/storage/export-store.ts";
import type { RetentionResult } from "../../../calls/storage/ledger-store.ts";
import type { EmbeddedContent, ModelChange } from "../../../calls/storage/model-change-store.ts";
import type { OpenExchange } from "../../../calls/storage/open-exchange.ts";
import type { QueueChange } from "../../../calls/storage/remember-store.ts";
import type { GroupStatistics } from "../../../calls/storage/statistics.ts";
import { outcomeUnknown, unavailable } from "../../../platform/errors.ts";
import {
  groupMaxCalls,
  groupMaxCharacters,
  retentionAskEveryMs,
  writerHangsAfterMs,
  writerQueueLimits,
} from "../../../platform/limits.ts";
import {
  FairQueue,
  type QueueCounts,
  type Queued,
  serverItself,
} from "../../../platform/scheduling/fair-queue.ts";
import { threadPolicies } from "../../../platform/threads/policies.ts";
import { ThreadEnded } from "../../../platform/threads/thread-ended.ts";
import type { ThreadEvents, WorkerThread } from "../../../platform/threads/worker-thread.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { RetentionOutcome } from "../retention/retention-runs.ts";
import { toCallMessage } from "./call-messages.ts";
import { createCommitBegin } from "./commit-begin.ts";
import type { ErasedTextStep } from "./erased-text.ts";
import type { WriteState } from "./write-check.ts";
import type { WriterReply, WriterRequest } from "./writer-request.ts";

interface Waiting extends Queued {
  readonly call: Call;
  resolve(answered: AnsweredCall): void;
  reject(error: unknown): void;
}

export interface Writer {
  /**
   * @returns the call with the effects that are left for the main thread.
   * @throws Refusal 1503 when the writer's thread ended or hangs; 1429 or 1503 when too many calls wait.
   */
  commit(call: Call): Promise<AnsweredCall>;
  /** As Store.expectCommit. */
  expect(project: string): Disposable;
  /** Stores the state of an export. @throws when it cannot be written now. */
  logExport(change: ExportChange): Promise<void>;
  /** Resolves when the exchanges that the last process has left have their records, or cannot get them. */
  readonly recordedLeft: Promise<void>;
  /** As Store.openExchange. Exchanges that come while others are committed are committed together. */
  openExchange(exchange: OpenExchange): Promise<void>;
  /** One step of the removal of erased text. `through`: of the step before; null for the first one. @throws as `check` does */
  removeErasedText(through: number | null): Promise<ErasedTextStep>;
  /** Changes the queue of answers to remember. @returns whether it has changed a task. @throws when it cannot be written now. */
  changeQueue(change: QueueChange): Promise<boolean>;
  /** As AttestationStore.add. @throws when it cannot be written now. */
  addAttestation: AttestationStore["add"];
  /** As DepositStore.add. @throws when it cannot be written now. */
  addDeposit: DepositStore["add"];
  /** As ModelVectors.add. */
  addVectors(change: ModelChange, vectors: readonly EmbeddedContent[]): Promise<void>;
  /** As ModelVectors.fail. */
  failModelChange(change: ModelChange, reason: string): Promise<void>;
  /** Runs retention for all chains. @throws Refusal 1503 when it failed for one of them. */
  runRetention(): Promise<readonly RetentionResult[]>;
  /** Whether it can write now. @throws Refusal 1503 when its thread restarts. */
  check(isSuspect: boolean): Promise<WriteState>;
  /** @throws Refusal 1503 when its thread restarts. */
  statistics(): Promise<GroupStatistics>;
  readonly queue: QueueCounts;
  /** How long the thread has not answered; 0 while nothing is asked of it. */
  readonly silentMs: number;
  close(): Promise<void>;
}

/** Without `groupCommit` every call has a transaction of its own; benchmarks compare the two. */
export function createWriter(
  start: (events: ThreadEvents) => WorkerThread,
  groupCommit: boolean,
  clock: Clock,
): Writer {
  const groupSize = groupCommit ? groupMaxCalls : 1;
  const queue = new FairQueue<Waiting>(writerQueueLimits);
  let running: Promise<void> | null = null;
  let turn = Promise.withResolvers<void>();
  /** The calls that waited were sent, or nobody waits. */
  const nextTurn = (): void => {
    turn.resolve();
    turn = Promise.withResolvers();
  };
  const thread = start({
    onSilence(silentMs) {
      if (silentMs >= writerHangsAfterMs) queue.drain(hangs);
    },
  });
  const ask = <Answer>(request: WriterRequest): Promise<Answer> => thread.request(request);

  const commitBegin = createCommitBegin(clock);
  let isLeft = false;
  const nextGroup = async (): Promise<readonly Waiting[]> => {
    // What did not fit into the last group has waited for it.
    if (groupCommit && queue.size > 0 && !isLeft) await commitBegin.isDue();
    const group = takeGroup(queue, groupSize);
    isLeft = queue.size > 0;
    return group;
  };
  const run = async (): Promise<void> => {
    // Calls that are prepared in the same turn of the event loop, such as the searches of a group, are one group here, too.
    await new Promise((resolve) => setImmediate(resolve));
    for (let group = await nextGroup(); group.length > 0; group = await nextGroup()) {
      try {
        const settling = ask<WriterReply>({ settle: group.map(({ call }) => toCallMessage(call)) });
        nextTurn();
        const settled = await settling;
        for (const [index, { call, resolve, reject }] of group.entries()) {
          const outcome = settled[index];
          if (outcome) resolve(withAnswer(call, outcome));
          else
            reject(
              unavailable(
                "The record of this call was not written, so nothing was done. Send the call again.",
              ),
            );
        }
      } catch (error) {
        const reason = error instanceof ThreadEnded ? endedUnanswered : error;
        for (const { reject } of group) reject(reason);
      }
    }
    running = null;
    nextTurn();
  };

  let opening: OpenExchange[] = [];
  let opened: Promise<void> = Promise.resolve();
  let nextOpened: Promise<void> | null = null;
  const commitOpening = (): Promise<void> => {
    const together = opening;
    [opening, nextOpened] = [[], null];
    const committed = ask<unknown>({ opened: together }).then(ignore);
    opened = committed.catch(ignore);
    return committed;
  };
  // The first request, so it is done before any exchange is opened.
  const recordedLeft = ask<unknown>({ recordLeft: true }).then(ignore, ignore);

  return {
    recordedLeft,
    async openExchange(exchange) {
      if (thread.silentMs >= writerHangsAfterMs) throw hangs;
      opening.push(exchange);
      nextOpened ??= opened.then(commitOpening);
      await nextOpened;
    },
    commit: (call) =>
      new Promise((resolve, reject) => {
        if (thread.silentMs >= writerHangsAfterMs) throw hangs;
        queue.add(call.project ?? serverItself.project, { call, resolve, reject, refuse: reject });
        commitBegin.add(call);
        running ??= run();
      }),
    expect: commitBegin.expect,
    async logExport(change) {
      await ask({ exported: change });
    },
    async removeErasedText(eraseThrough) {
      // Calls that have waited for the erasure, or for a step of it, go first.
      if (queue.size > 0) await turn.promise;
      return ask({ eraseThrough });
    },
    changeQueue: (queued) => ask({ queued }),
    addAttestation: (checkpoint, attestation) => ask({ attested: { checkpoint, attestation } }),
    async addDeposit(deposited) {
      await ask({ deposited });
    },
    async addVectors(change, vectors) {
      await ask({ change, vectors });
    },
    async failModelChange(change, modelChangeFailure) {
      await ask({ change, modelChangeFailure });
    },
    async runRetention() {
      // The thread answers one request after another, so this polls: one request that takes minutes would block all others.
      const retention = await ask<number>({ retention: "start" });
      for (;;) {
        const outcome = await ask<RetentionOutcome>({ retention });
        if (typeof outcome === "object") return outcome;
        if (outcome !== "running") throw outcomeUnknown(retentionFailed);
        await clock.sleep(retentionAskEveryMs);
      }
    },
    check: (isSuspect) => ask({ check: { isSuspect } }),
    statistics: () => ask({ statistics: true }),
    get queue() {
      return queue.counts;
    },
    get silentMs() {
      return thread.silentMs;
    },
    async close() {
      await clock.within(threadPolicies.writer.closeMaxMs, running ?? Promise.resolve());
      await thread.close();
    },
  };
}

const ignore = (): void => {};

/** For calls that the thread has not been given. */
const hangs = unavailable(
  "The writer thread does not answer, so nothing was done. Send the call again later. The operator of the server must check the disk and the log.",
);

/** For calls that the thread was given: it may have committed them before it ended. */
const endedUnanswered = outcomeUnknown(
  "The writer thread ended before it answered. It is unknown whether this call took effect. Check that before you send a call again that changes data.",
);

const retentionFailed =
  "Retention could not remove everything that is too old. The reason is in the server's log. Send the call again.";

/**
 * Projects take turns within a group. A call that is too large for the rest of it waits for a later group, in which its project keeps its
 * place, so that nobody waits for several large calls of others.
 */
function takeGroup(queue: FairQueue<Waiting>, size: number): readonly Waiting[] {
  const group: Waiting[] = [];
  let characters = 0;
  while (group.length < size) {
    const next = queue.take(
      (_, { call }) => group.length === 0 || characters + charactersOf(call) <= groupMaxCharacters,
    );
    if (next === undefined) break;
    characters += charactersOf(next.call);
    group.push(next);
  }
  return group;
}

function charactersOf({ bodyText }: Call): number {
  return bodyText?.length ?? 0;
}
