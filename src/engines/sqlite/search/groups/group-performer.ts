// Owns how a group moves between the searcher and the scanners, in the main thread: the searcher says what follows, the scanners
// perform its tasks, the searcher gets their results. The searcher works on few requests at once; groups that begin and groups that
// continue take turns. Must never understand a task or a result.

import type { SearchStatistics } from "../../../../calls/storage/statistics.ts";
import type { Refusal } from "../../../../platform/errors.ts";
import type { ThreadEvents, WorkerThread } from "../../../../platform/threads/worker-thread.ts";
import type { CopyRequest, PreloadOutcome } from "../../search-cache/copy-steps.ts";
import type { Scanners } from "../../threads/scanners.ts";
import { searcherRequestsMax } from "../limits.ts";
import type { GroupOutcome, GroupRequest, SearcherAnswer, ToSearcher } from "../steps/group-steps.ts";

export interface GroupPerformer {
  /** Starts the searcher, unless it was started. */
  start(): void;
  /** Call it when another group may begin. */
  pump(): void;
  /**
   * Call it in `beginNext`. When `signal` is aborted, what has not begun is not performed.
   * @returns the outcomes of the requests, in their order
   * @throws Refusal 1503 when a thread ended; the Error of a thread; the reason of `signal`
   */
  perform(
    project: string,
    requests: readonly GroupRequest[],
    signal: AbortSignal,
  ): Promise<readonly GroupOutcome[]>;
  /**
   * As `perform`: reads the cache files of a project (an id).
   * @param bytes of the files
   * @param turn awaited before each step
   */
  preload(
    project: string,
    bytes: number,
    turn: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<PreloadOutcome>;
  /** @throws Refusal 1503 while the searcher restarts */
  requireUp(): void;
  /** Null: the searcher was not started. @throws Refusal 1503 while it restarts */
  copy<Answer>(request: CopyRequest): Promise<Answer | null>;
  /** Null: the searcher was not started. @throws Refusal 1503 while it restarts */
  statistics(): Promise<SearchStatistics | null>;
  close(): Promise<void>;
}

interface PerformerEvents {
  /** Calls `perform` for the next group. @returns false when none can begin */
  beginNext(): boolean;
  /** The searcher has ended, and with it all groups. */
  onDown(reason: Refusal): void;
}

export function createGroupPerformer(
  startSearcher: (events: ThreadEvents) => WorkerThread,
  scanners: Scanners,
  { beginNext, onDown }: PerformerEvents,
): GroupPerformer {
  /** Starts a request of each group that can continue, in the order in which their results became complete. */
  const continuing: (() => void)[] = [];
  let lastNumber = 0;
  let running = 0;
  let isTurnOfNew = false;

  let thread: WorkerThread | null = null;
  const events: ThreadEvents = {
    onReady: () => pump(),
    onDown(reason) {
      scanners.reset(reason);
      onDown(reason);
    },
  };
  const searcher = (): WorkerThread => {
    thread ??= startSearcher(events);
    return thread;
  };
  const continueNext = (): boolean => {
    const next = continuing.shift();
    next?.();
    return next !== undefined;
  };
  const pump = (): void => {
    for (let hasStarted = true; hasStarted && running < searcherRequestsMax; ) {
      isTurnOfNew = !isTurnOfNew;
      hasStarted = isTurnOfNew ? beginNext() || continueNext() : continueNext() || beginNext();
    }
  };
  const request = async (message: ToSearcher): Promise<SearcherAnswer> => {
    running += 1;
    try {
      const answer = await searcher().request<SearcherAnswer>(message);
      if (answer.buffers !== null) scanners.changeBuffers(answer.buffers);
      return answer;
    } finally {
      running -= 1;
      pump();
    }
  };
  const requestInTurn = (message: ToSearcher, signal: AbortSignal): Promise<SearcherAnswer> =>
    new Promise((resolve, reject) => {
      continuing.push(() => {
        if (signal.aborted) reject(signal.reason);
        else resolve(request(message));
      });
      pump();
    });
  const performSteps = async (
    group: number,
    project: string,
    first: ToSearcher,
    turn: (() => Promise<void>) | null,
    signal: AbortSignal,
  ): Promise<readonly GroupOutcome[]> => {
    let { step } = await request(first);
    while ("work" in step) {
      await turn?.();
      signal.throwIfAborted();
      const results = await scanners.perform(project, step.work, signal);
      ({ step } = await requestInTurn({ continue: group, results }, signal));
    }
    return step.outcomes;
  };

  /**
   * @param firstOf the message that begins the group with this number
   * @param turn awaited before each step; null: nothing is
   */
  const performGroup = async (
    project: string,
    firstOf: (group: number) => ToSearcher,
    turn: (() => Promise<void>) | null,
    signal: AbortSignal,
  ): Promise<readonly GroupOutcome[]> => {
    lastNumber += 1;
    const group = lastNumber;
    try {
      return await performSteps(group, project, firstOf(group), turn, signal);
    } catch (error) {
      // The searcher ignores a group that it does not know.
      searcher()
        .request({ end: group } satisfies ToSearcher)
        .catch(() => undefined);
      throw error;
    }
  };

  return {
    start: () => void searcher(),
    pump,
    perform: (project, requests, signal) =>
      performGroup(project, (group) => ({ begin: group, project, requests }), null, signal),
    async preload(project, bytes, turn, signal) {
      const [outcome] = await performGroup(
        project,
        (group) => ({ preload: group, project, bytes }),
        turn,
        signal,
      );
      // The searcher answers `preload` in this way only.
      return outcome !== undefined && "answer" in outcome ? (outcome.answer as PreloadOutcome) : "absent";
    },
    requireUp: () => searcher().requireUp(),
    copy: async <Answer>(copy: CopyRequest) =>
      (await thread?.request<Answer>({ copy } satisfies ToSearcher)) ?? null,
    statistics: async () => (await thread?.request({ statistics: true } satisfies ToSearcher)) ?? null,
    close: async () => thread?.close(),
  };
}
