// Owns the searches that wait for the reranker: their order, their limit, their deadline, and how they ended. Must never let a search fail
// because it was not reranked.

import type { ScoreTexts } from "../../memory/search/reranker.ts";
import { Refusal } from "../../platform/errors.ts";
import { rerankQueueLimits } from "../../platform/limits.ts";
import { createLogRepeats } from "../../platform/log/log-repeats.ts";
import type { Logger } from "../../platform/log/logger.ts";
import { cancelled, unlessCancelled } from "../../platform/scheduling/cancellation.ts";
import { createFairGate } from "../../platform/scheduling/fair-gate.ts";
import type { QueueCounts, QueueLimits } from "../../platform/scheduling/fair-queue.ts";
import { stageSeconds } from "../../platform/statistics/bounds.ts";
import {
  createDistribution,
  type DistributionState,
  secondsBetween,
} from "../../platform/statistics/distribution.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { RerankAnswer, RerankRequest } from "./embedder-protocol.ts";
import { reranksAtOnce } from "./limits.ts";

/**
 * deadline: the hybrid order was returned because it was not done in time. refused: too many searches waited, or so many that it would not
 * be done in time. failed: by the model.
 */
export const rerankOutcomes = ["reranked", "deadline", "refused", "failed"] as const;
export type RerankOutcome = (typeof rerankOutcomes)[number];

export interface RerankCounts {
  readonly outcomes: Readonly<Record<RerankOutcome, number>>;
  /** Seconds of a search that was reranked, with its wait. */
  readonly seconds: DistributionState;
  /** Texts whose token vectors were computed, and those that were found in memory. */
  readonly texts: Readonly<Record<"computed" | "cached", number>>;
  readonly queue: QueueCounts;
}

export interface RerankQueue {
  readonly scoreTexts: ScoreTexts;
  counts(): RerankCounts;
}

interface RerankQueueOptions {
  /** To the thread. */
  readonly send: (request: RerankRequest) => Promise<RerankAnswer>;
  readonly clock: Pick<Clock, "within">;
  readonly logger: Logger;
  readonly limits?: QueueLimits;
}

const weightOfLatest = 0.1;

export function createRerankQueue({
  send,
  clock,
  logger,
  limits = rerankQueueLimits,
}: RerankQueueOptions): RerankQueue {
  const enter = createFairGate({ concurrency: reranksAtOnce, limits });
  const outcomes = { reranked: 0, deadline: 0, refused: 0, failed: 0 };
  const texts = { computed: 0, cached: 0 };
  const seconds = createDistribution(stageSeconds);
  const isToBeLogged = createLogRepeats();
  let sent = 0;
  /** How long the thread has a search, of those that were answered last. */
  let typicalMs = 0;

  const sendTimed = async (request: RerankRequest): Promise<RerankAnswer> => {
    const startedMs = performance.now();
    sent += 1;
    try {
      const answer = await send(request);
      typicalMs += (performance.now() - startedMs - typicalMs) * weightOfLatest;
      return answer;
    } finally {
      sent -= 1;
    }
  };

  const scoreTexts: ScoreTexts = async (query, contents, { project, signal }, deadlineMs) => {
    if (signal.aborted) throw cancelled();
    const startedMs = performance.now();
    if (deadlineMs !== null && (enter.counts().waiting + sent) * typicalMs > deadlineMs) {
      outcomes.refused += 1;
      return null;
    }
    // A search that is too late leaves the queue. What was sent is finished, so the next search finds its token vectors.
    const late = new AbortController();
    let isSent = false;
    const answering = enter({ project, signal: AbortSignal.any([signal, late.signal]) }, () => {
      isSent = true;
      return sendTimed({ project, query, texts: contents });
    });
    answering.catch(() => undefined);
    try {
      const waiting = unlessCancelled(answering, signal);
      const answer = deadlineMs === null ? await waiting : await clock.within(deadlineMs, waiting);
      if (answer === undefined) {
        outcomes.deadline += 1;
        late.abort();
        return null;
      }
      outcomes.reranked += 1;
      texts.computed += answer.computed;
      texts.cached += contents.length + 1 - answer.computed;
      seconds.observe(secondsBetween(startedMs, performance.now()));
      return answer.maxSims;
    } catch (error) {
      if (signal.aborted) throw error;
      outcomes[isSent ? "failed" : "refused"] += 1;
      // A thread that restarts, or a server that stops, is no failure of the model.
      if (!(error instanceof Refusal) && isToBeLogged("rerank"))
        logger.warn("a search was not reranked", { error });
      return null;
    }
  };

  return {
    scoreTexts,
    counts: () => ({
      outcomes: { ...outcomes },
      seconds: seconds.read(),
      texts: { ...texts },
      queue: enter.counts(),
    }),
  };
}
