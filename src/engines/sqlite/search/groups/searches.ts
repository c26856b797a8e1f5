// Owns the searches that wait, in the main thread, and the groups in which they are answered: the searches of a project that arrive while
// one of its groups is open form the next one, as calls do in group commit. Projects take turns. Must never understand a search.

import type { SearchStatistics } from "../../../../calls/storage/statistics.ts";
import { Refusal } from "../../../../platform/errors.ts";
import { searchQueueLimits } from "../../../../platform/limits.ts";
import { cancelled } from "../../../../platform/scheduling/cancellation.ts";
import { FairQueue, type QueueCounts, type Waiter } from "../../../../platform/scheduling/fair-queue.ts";
import { groupSearches, stageSeconds } from "../../../../platform/statistics/bounds.ts";
import {
  createDistribution,
  type DistributionState,
  secondsBetween,
} from "../../../../platform/statistics/distribution.ts";
import type { ThreadEvents, WorkerThread } from "../../../../platform/threads/worker-thread.ts";
import type { Clock } from "../../../../platform/time/clock.ts";
import type { PreloadOutcome } from "../../search-cache/copy-steps.ts";
import type { ScannerStatistics, Scanners } from "../../threads/scanners.ts";
import { groupVectorsMax, openGroupsMax, preloadPausesMs } from "../limits.ts";
import type { GroupOutcome, GroupRequest } from "../steps/group-steps.ts";
import { createGroupBegin, type GroupBegin } from "./group-begin.ts";
import { createGroupPerformer, type GroupPerformer } from "./group-performer.ts";

export interface Searches {
  /** Starts the threads, so that the first search does not wait for them. */
  start(): void;
  /** `vectors`: how many vectors the search compares with the memories. @throws Refusal */
  ask<Answer>(waiter: Waiter, project: string, request: GroupRequest, vectors: number): Promise<Answer>;
  /** As GroupBegin.expect. */
  expect: GroupBegin["expect"];
  /**
   * Reads the cache files of a project (an id) into memory, in steps: it pauses while other projects are searched. Searches of the project
   * wait for it. @param bytes of the files
   * @throws Refusal 1503 when a thread ended, or the searches are closed
   */
  preload(project: string, bytes: number): Promise<PreloadOutcome>;
  /** For the cache files of an index; null: the searcher was not started. @throws Refusal 1503 while it restarts */
  copy: GroupPerformer["copy"];
  /** What the searcher counts; null: it was not started. @throws Refusal 1503 while it restarts */
  statistics(): Promise<SearchStatistics | null>;
  counts(): SearchCounts;
  close(): Promise<void>;
}

export interface SearchCounts {
  readonly queue: QueueCounts;
  /** Seconds that searches waited until the searcher got them. */
  readonly waits: DistributionState;
  /** Searches of a group. */
  readonly groups: DistributionState;
  readonly tasks: ScannerStatistics;
}

interface Search {
  /** Its id. */
  readonly project: string;
  readonly request: GroupRequest;
  readonly vectors: number;
  readonly askedAt: number;
  /** Null while it waits. */
  group: OpenGroup | null;
  answer(value: unknown): void;
  refuse(reason: unknown): void;
}

interface OpenGroup {
  readonly awaited: Set<Search>;
  /** Aborted when nobody awaits the group. */
  readonly controller: AbortController;
}

export function createSearches(
  start: (events: ThreadEvents) => WorkerThread,
  scanners: Scanners,
  clock: Clock,
): Searches {
  const queue = new FairQueue<Search>(searchQueueLimits);
  /** By project. */
  const open = new Map<string, OpenGroup>();
  /** Ends what nobody waits for. */
  const closing = new AbortController();
  /** Told when a search has come or gone, or a group has ended. */
  const { wake, untilChange } = createChanges();
  const observed = createObservation();

  const isDue = (project: string, { askedAt }: Search): boolean =>
    !open.has(project) && groupBegin.isDue(project, queue.sizeOf(project), askedAt);
  const perform = async (searches: readonly Search[], { project }: Search): Promise<void> => {
    const group: OpenGroup = { awaited: new Set(searches), controller: new AbortController() };
    open.set(project, group);
    const startedAt = clock.elapsed();
    for (const search of searches) search.group = group;
    observed.began(searches, startedAt);
    try {
      const requests = searches.map(({ request }) => request);
      const outcomes = await performer.perform(project, requests, group.controller.signal);
      for (const [at, search] of searches.entries()) settle(search, outcomes[at]);
    } catch (error) {
      for (const search of searches) search.refuse(error);
    } finally {
      groupBegin.took(project, clock.elapsed() - startedAt);
      end(project);
    }
  };
  const end = (project: string): void => {
    open.delete(project);
    performer.pump();
    wake();
  };
  /** While others search, nothing is read that nobody waits for. @param isLate called after each change */
  const untilTurnOf = async (project: string, isLate: () => boolean): Promise<void> => {
    const othersSearch = () => queue.size > 0 || open.size > (open.has(project) ? 1 : 0);
    while (othersSearch() && queue.sizeOf(project) === 0 && !closing.signal.aborted && !isLate())
      await untilChange();
  };
  const performer = createGroupPerformer(start, scanners, {
    beginNext() {
      const searches = open.size < openGroupsMax ? takeGroup(queue, isDue) : [];
      const [first] = searches;
      if (first === undefined) return false;
      void perform(searches, first);
      return true;
    },
    onDown(reason) {
      queue.drain(reason);
      wake();
    },
  });

  const groupBegin = createGroupBegin(clock, performer.pump);

  return {
    expect: groupBegin.expect,
    async ask<Answer>(
      { project: turn, signal }: Waiter,
      project: string,
      request: GroupRequest,
      vectors: number,
    ): Promise<Answer> {
      if (signal.aborted) throw cancelled();
      performer.requireUp();
      const { promise, resolve, reject: refuse } = Promise.withResolvers<Answer>();
      // The type is that of the request's name (group-requests.ts); it is not checked.
      const answer = resolve as (value: unknown) => void;
      const askedAt = clock.elapsed();
      const search: Search = { project, request, vectors, askedAt, answer, refuse, group: null };
      const leave = () => {
        refuse(cancelled());
        if (queue.remove(turn, search)) return wake();
        search.group?.awaited.delete(search);
        if (search.group?.awaited.size === 0) search.group.controller.abort(cancelled());
      };
      queue.add(turn, search);
      signal.addEventListener("abort", leave);
      groupBegin.soon();
      wake();
      return promise.finally(() => signal.removeEventListener("abort", leave));
    },
    start() {
      performer.start();
      scanners.start();
    },
    async preload(project, bytes) {
      const { signal } = closing;
      await untilTurnOf(project, () => false);
      signal.throwIfAborted();
      // Otherwise a search reads the files.
      if (open.has(project)) return "loaded";
      open.set(project, { awaited: new Set(), controller: closing });
      // The write-ahead log cannot be emptied during its read transaction.
      const pausesUntil = clock.elapsed() + preloadPausesMs;
      const timer = clock.after(preloadPausesMs, wake);
      const turn = () => untilTurnOf(project, () => clock.elapsed() >= pausesUntil);
      try {
        return await performer.preload(project, bytes, turn, signal);
      } finally {
        timer.cancel();
        end(project);
      }
    },
    copy: performer.copy,
    statistics: () => performer.statistics(),
    counts: () => ({ queue: queue.counts, ...observed.read(), tasks: scanners.statistics() }),
    async close() {
      closing.abort(cancelled());
      wake();
      await performer.close();
      await scanners.close();
    },
  };
}

function createChanges() {
  const awaiting: (() => void)[] = [];
  return {
    wake(): void {
      for (const resolve of awaiting.splice(0)) resolve();
    },
    untilChange: () => new Promise<void>((resolve) => awaiting.push(resolve)),
  };
}

function createObservation() {
  const waits = createDistribution(stageSeconds);
  const sizes = createDistribution(groupSearches);
  return {
    began(searches: readonly Search[], startedAt: number): void {
      sizes.observe(searches.length);
      for (const { askedAt } of searches) waits.observe(secondsBetween(askedAt, startedAt));
    },
    read: () => ({ waits: waits.read(), groups: sizes.read() }),
  };
}

/** The next searches of the project whose turn it is; empty: none can begin. */
function takeGroup(queue: FairQueue<Search>, isDue: (project: string, search: Search) => boolean): Search[] {
  const first = queue.take(isDue);
  if (first === undefined) return [];
  const searches = [first];
  let { vectors } = first;
  const fits = (project: string, search: Search): boolean =>
    project === first.project && vectors + search.vectors <= groupVectorsMax;
  for (let next = queue.take(fits); next !== undefined; next = queue.take(fits)) {
    searches.push(next);
    vectors += next.vectors;
  }
  return searches;
}

function settle(search: Search, outcome: GroupOutcome | undefined): void {
  if (outcome === undefined) search.refuse(new Error("the searcher has left out an outcome of a group"));
  else if ("answer" in outcome) search.answer(outcome.answer);
  else {
    const { code, message, retryAfterSeconds } = outcome.refused;
    search.refuse(new Refusal(code, message, {}, retryAfterSeconds));
  }
}
