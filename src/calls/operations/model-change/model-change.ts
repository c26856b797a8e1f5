// Owns a change of the embedding model: embeds all memories with the new model beside the calls, then has the operation `model.change`
// replace the vectors. Everything that it must remember is in the database, so it continues after a restart. Must never delay a call for
// longer than the switch takes.

import { successCode, unavailable } from "../../../platform/errors.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { Answer } from "../../contract/answer.ts";
import type {
  ContentToEmbed,
  EmbeddedContent,
  ModelBinding,
  ModelChange,
  ModelVectors,
} from "../../storage/model-change-store.ts";
import {
  doubledAfterTexts,
  idleWaitFactor,
  pauseAtMaxTexts,
  pauseAtTexts,
  retryAfterMs,
  stepTexts,
  switchesMax,
  textsAtOnce,
} from "./limits.ts";

/** The embedder of the new model. */
export interface NextEmbedder {
  readonly model: ModelBinding;
  /** Float32Array [dimensions], L2-normalised. @throws Error when the model fails on this text */
  embed(content: string): Promise<Float32Array>;
  close(): Promise<void>;
}

/** The calls that use the previous model meanwhile. */
export interface CallsOfModel {
  /** Resolves when no call waits for a text, and after this time in any case. */
  whenIdle(atMostMs: number): Promise<void>;
  /** Lets the texts of later calls wait until `resume`. */
  pause(texts: "passages" | "all"): void;
  resume(): void;
}

interface ModelChangeOptions<Next extends NextEmbedder> {
  readonly vectors: ModelVectors;
  /** Performs the operation `model.change`. */
  readonly switchModel: (sha256: string) => Promise<Pick<Answer, "code" | "message">>;
  /** Loads the new model. @throws Error that says what to do */
  readonly load: (model: ModelBinding) => Promise<Next>;
  readonly calls: CallsOfModel;
  /** SHA-256 of the model that computes the vectors of calls. Absent: no calls run. */
  readonly modelOfCalls?: () => string;
  /** The vectors in the database are those of the new model from now on. */
  readonly onChanged: (next: Next) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What the work needs of them. */
type Tools = Pick<ModelChangeOptions<NextEmbedder>, "vectors" | "calls" | "switchModel" | "clock">;

export interface RunningModelChange {
  /** A change was begun or cancelled. */
  wake(): void;
  /** Resolves when nothing is left to do now: there is no change, or it has failed. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Continues the change that the database has, if there is one. */
export function startModelChange<Next extends NextEmbedder>(
  options: ModelChangeOptions<Next>,
): RunningModelChange {
  const { clock, logger } = options;
  const closing = new AbortController();
  let running: Promise<void> | null = null;
  let isAwake = false;

  const run = async (): Promise<void> => {
    while (isAwake && !closing.signal.aborted) {
      isAwake = false;
      if ((await continueFound(options, closing.signal)) === "retry") {
        isAwake = true;
        await Promise.race([clock.sleep(retryAfterMs), aborted(closing.signal)]);
      }
    }
  };
  const wake = (): void => {
    isAwake = true;
    running ??= run()
      .catch((error: unknown) => logger.error("the change of the embedding model failed", { error }))
      .finally(() => {
        running = null;
      });
  };
  wake();
  return {
    wake,
    async settled() {
      await running;
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}

type Outcome = "done" | "retry";

async function continueFound<Next extends NextEmbedder>(
  options: ModelChangeOptions<Next>,
  signal: AbortSignal,
): Promise<Outcome> {
  const { vectors } = options;
  try {
    const change = await vectors.change();
    if (change !== null) return await continueChange(options, change, signal);
    const bound = await vectors.bound();
    if (bound !== null) await followDatabase(options, bound);
    return "done";
  } catch (error) {
    if (isTemporary(error)) return "retry";
    throw error;
  }
}

/**
 * If the thread that writes ends during the switch, nobody may learn that it was committed. The calls of a previous model would be refused
 * until the next start.
 */
async function followDatabase<Next extends NextEmbedder>(
  { modelOfCalls, load, onChanged, logger }: ModelChangeOptions<Next>,
  bound: ModelBinding,
): Promise<void> {
  if (modelOfCalls === undefined || modelOfCalls() === bound.sha256) return;
  await onChanged(await load(bound));
  logger.info("the embedding model was changed", { model: bound.id });
}

/** A thread is restarting, or the disk is full. */
function isTemporary(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === 1503;
}

/** @returns "done" when the change is finished, cancelled, failed or interrupted */
async function continueChange<Next extends NextEmbedder>(
  options: ModelChangeOptions<Next>,
  change: ModelChange,
  signal: AbortSignal,
): Promise<Outcome> {
  const { vectors, load, logger, onChanged } = options;
  if (change.failure !== null) {
    logger.warn("the change of the embedding model does not continue", { reason: change.failure });
    return "done";
  }
  let next: Next | null = null;
  try {
    next = await load(change.to);
    logger.info("the embedding model is being changed", { model: change.to.id, done: change.done });
    const isFinished = await embedAll(options, change, next, signal);
    if (!isFinished) return "done";
    const changed = next;
    next = null;
    await onChanged(changed);
    logger.info("the embedding model was changed", { model: change.to.id });
    return "done";
  } catch (error) {
    if (signal.aborted) return "done";
    if (isTemporary(error)) return "retry";
    const reason = error instanceof Error ? error.message : String(error);
    logger.error("the change of the embedding model failed; the previous model stays in use", { error });
    await vectors.fail(change, reason);
    return "done";
  } finally {
    options.calls.resume();
    await next?.close();
  }
}

/** @returns whether the vectors were replaced; false: the change was cancelled, or the server is closing */
async function embedAll(
  options: Tools,
  change: ModelChange,
  next: NextEmbedder,
  signal: AbortSignal,
): Promise<boolean> {
  const { vectors, calls } = options;
  const embed = createEmbed(options, next, signal);
  const isSame = async () => {
    const current = await vectors.change();
    return current?.startedAt === change.startedAt && current.to.sha256 === change.to.sha256;
  };
  let pauseAt = pauseAtTexts;
  let untilDoubled = (await vectors.count()) - change.done + doubledAfterTexts;
  for (;;) {
    const missing = await vectors.findMissing(Math.max(stepTexts, pauseAt + 1));
    if (missing.length <= pauseAt) break;
    await vectors.add(change, await embed(missing, "when idle"));
    if (signal.aborted || !(await isSame())) return false;
    untilDoubled -= missing.length;
    if (untilDoubled > 0) continue;
    if (pauseAt >= pauseAtMaxTexts) break;
    pauseAt *= 2;
    untilDoubled = doubledAfterTexts;
  }
  calls.pause("passages");
  for (let refusals = 0; refusals < switchesMax; ) {
    const missing = await vectors.findMissing(stepTexts);
    if (missing.length > 0) await vectors.add(change, await embed(missing, "now"));
    if (signal.aborted || !(await isSame())) return false;
    if (missing.length > 0) continue;
    calls.pause("all");
    if (await isSwitched(options, change)) return true;
    calls.pause("passages");
    refusals += 1;
  }
  throw unavailable("The vectors cannot be replaced now.");
}

/** @returns false when it must be tried again. @throws Error when the operation was refused */
async function isSwitched(
  { switchModel, vectors }: Tools,
  { to: { sha256 } }: ModelChange,
): Promise<boolean> {
  const { code, message } = await switchModel(sha256);
  // If the thread that writes ended, its outcome is unknown: the database tells it.
  if (code === successCode || (await vectors.bound())?.sha256 === sha256) return true;
  // Cancelled at this moment, or memories were stored whose vectors are missing: the next step finds either.
  if (code === 1503 || (await vectors.change()) === null) return false;
  throw new Error(`model.change was refused: ${code} ${message}`);
}

function createEmbed({ calls, clock }: Tools, next: NextEmbedder, signal: AbortSignal) {
  let lastMs = 0;
  return async (
    missing: readonly ContentToEmbed[],
    when: "when idle" | "now",
  ): Promise<EmbeddedContent[]> => {
    const embedded: EmbeddedContent[] = [];
    for (let start = 0; start < missing.length && !signal.aborted; start += textsAtOnce) {
      if (when === "when idle") await calls.whenIdle(lastMs * idleWaitFactor);
      const startedMs = clock.elapsed();
      const group = missing.slice(start, start + textsAtOnce).map(async ({ memory, version, content }) => {
        const vector = await next.embed(content);
        return { memory, version, vector };
      });
      embedded.push(...(await Promise.all(group)));
      lastMs = clock.elapsed() - startedMs;
    }
    return embedded;
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
