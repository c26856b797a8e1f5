// Owns how the facts of an installation are gathered: each is asked as often as it may change, and nobody waits long for one that does
// not answer. Nothing is asked while nobody reads the state.

import { createSources, type NamedState, type Readers } from "../../../../platform/statistics/source.ts";
import type { Clock } from "../../../../platform/time/clock.ts";
import type { CurrentFacts, ServerFacts, SlowFacts } from "./facts.ts";
import { contentsEveryMs, directoryEveryMs, readinessEveryMs, stateEveryMs, stateWaitMs } from "./limits.ts";
import { type InstallationState, toState } from "./state.ts";

export interface StateSources {
  readonly server: ServerFacts;
  readonly current: () => CurrentFacts;
  /** Each may take long. */
  readonly slow: Readers<SlowFacts>;
}

/** Of facts that are asked for more or less often than `stateEveryMs`. */
const everyMs: { readonly [Name in keyof SlowFacts]?: number } = {
  readiness: readinessEveryMs,
  directory: directoryEveryMs,
  contents: contentsEveryMs,
  confirmations: contentsEveryMs,
};

/** @returns the state; facts that are too old are asked for first. Never throws, and takes hardly longer than `stateWaitMs`. */
export function createStateReader(
  { server, current, slow }: StateSources,
  clock: Clock,
): () => Promise<InstallationState> {
  const sources = createSources(slow, stateWaitMs, clock);
  return async () => {
    await sources.refresh(isTooOld);
    return toState({ ...server, ...current(), at: clock.now(), ...sources.last() });
  };
}

function isTooOld({ source, ageSeconds }: NamedState<keyof SlowFacts>): boolean {
  return ageSeconds === null || ageSeconds * 1_000 >= (everyMs[source] ?? stateEveryMs);
}
