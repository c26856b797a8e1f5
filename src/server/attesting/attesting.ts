// Owns when checkpoints are sent to third parties that attest them, and to destinations that keep them: the newest one of each chain to each of them that
// does not have it. Must never delay a call, or stop the server.

import type { Logger } from "../../platform/log/logger.ts";
import type { Clock } from "../../platform/time/clock.ts";
import {
  AttestationRefused,
  type Destination,
  type DestinationState,
  type WaitingCheckpoint,
} from "./destination.ts";
import {
  attestEndWaitMs,
  attestEveryMs,
  attestRetryMaxMs,
  attestRetryMinMs,
  refusedPauseMs,
} from "./limits.ts";

interface AttestingTools {
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Attesting {
  states(): readonly DestinationState[];
  close(): Promise<void>;
}

/** Each of them has a schedule of its own: one that does not answer delays no other. */
export function startAttesting(destinations: readonly Destination[], tools: AttestingTools): Attesting {
  const schedules = destinations.map((destination) => startSchedule(destination, tools));
  return {
    states: () => schedules.map(({ state }) => state()),
    async close() {
      await Promise.all(schedules.map(({ close }) => close()));
    },
  };
}

/** A checkpoint that was refused, until when it is not sent again. */
interface Refusal {
  readonly note: string;
  readonly message: string;
  readonly untilMs: number;
}

function startSchedule(destination: Destination, { clock, logger }: AttestingTools) {
  const { kind, name } = destination;
  const ending = new AbortController();
  const refusals = new Map<string, Refusal>();
  const counts = { attested: 0, failed: 0, refused: 0 };
  let waiting: readonly WaitingCheckpoint[] = [];
  let failures = 0;
  let retryAtMs = Number.NEGATIVE_INFINITY;
  let logged = { message: "", untilMs: Number.NEGATIVE_INFINITY };
  let running: Promise<void> | null = null;

  const isPaused = ({ chain, note }: WaitingCheckpoint): boolean => {
    const refusal = refusals.get(chain);
    return refusal?.note === note && clock.elapsed() < refusal.untilMs;
  };
  const refuse = ({ chain, project, note }: WaitingCheckpoint, message: string): void => {
    counts.refused++;
    const before = refusals.get(chain);
    const untilMs = clock.elapsed() + refusedPauseMs;
    const isLogged = before?.message === message && clock.elapsed() < before.untilMs;
    // A newer checkpoint that is refused for the same reason is not logged again.
    refusals.set(chain, { note, message, untilMs: isLogged ? before.untilMs : untilMs });
    if (!isLogged)
      logger.error("a checkpoint was not confirmed", { [kind]: name, chain, project, error: message });
  };
  const fail = (error: unknown): void => {
    if (ending.signal.aborted) return;
    counts.failed++;
    const message = error instanceof Error ? error.message : String(error);
    retryAtMs = clock.elapsed() + Math.min(attestRetryMinMs * 2 ** failures, attestRetryMaxMs);
    failures++;
    if (message === logged.message && clock.elapsed() < logged.untilMs) return;
    logged = { message, untilMs: clock.elapsed() + refusedPauseMs };
    logger.warn("checkpoints cannot be confirmed now and will be sent again", {
      [kind]: name,
      error: message,
    });
  };
  const succeed = (): void => {
    if (failures > 0) logger.info("checkpoints are confirmed again", { [kind]: name });
    failures = 0;
    logged = { message: "", untilMs: Number.NEGATIVE_INFINITY };
  };

  const attest = async (checkpoint: WaitingCheckpoint): Promise<void> => {
    try {
      await destination.attest(checkpoint, ending.signal);
      counts.attested++;
      refusals.delete(checkpoint.chain);
      waiting = waiting.filter((each) => each !== checkpoint);
    } catch (error) {
      if (!(error instanceof AttestationRefused)) throw error;
      refuse(checkpoint, error.message);
    }
  };
  const round = async (): Promise<void> => {
    try {
      waiting = await destination.waiting();
      await destination.check?.();
      const due = waiting.filter((checkpoint) => !isPaused(checkpoint));
      for (const checkpoint of due) {
        if (ending.signal.aborted) return;
        await attest(checkpoint);
      }
      if (due.length > 0 || destination.check !== undefined) succeed();
    } catch (error) {
      fail(error);
    }
  };
  const tick = (): void => {
    if (ending.signal.aborted || running !== null || clock.elapsed() < retryAtMs) return;
    running = round().finally(() => {
      running = null;
    });
  };
  const timer = clock.every(attestEveryMs, tick);
  tick();
  return {
    state: (): DestinationState => ({
      ...{ kind, name, last: destination.last, ...counts },
      failure: failures > 0 ? logged.message : ([...refusals.values()].at(-1)?.message ?? null),
      waiting: waiting.length,
      oldestAt: waiting.length === 0 ? null : Math.min(...waiting.map(({ oldestAt }) => oldestAt)),
      records: destination.records?.() ?? null,
    }),
    async close() {
      ending.abort();
      timer.cancel();
      // A folder on a server that does not answer may never do so.
      await clock.within(attestEndWaitMs, running ?? Promise.resolve());
    },
  };
}
