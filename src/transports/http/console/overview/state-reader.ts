// Owns how the facts of an installation are gathered: each is asked as often as it may change, and nobody waits long for one that does
// not answer. Nothing is asked while nobody reads the state.

import { createSource, type Source } from "../../../../platform/statistics/source.ts";
import type { Clock } from "../../../../platform/time/clock.ts";
import type { CurrentFacts, ServerFacts, SlowFacts } from "./facts.ts";
import { contentsEveryMs, directoryEveryMs, readinessEveryMs, stateEveryMs, stateWaitMs } from "./limits.ts";
import { type InstallationState, toState } from "./state.ts";

export interface StateSources {
  readonly server: ServerFacts;
  readonly current: () => CurrentFacts;
  /** How the slow facts are asked for; each may take long. */
  readonly slow: { readonly [Name in keyof SlowFacts]: () => Promise<SlowFacts[Name]> };
}

/** @returns the state; facts that are too old are asked for first. Never throws, and takes hardly longer than `stateWaitMs`. */
export function createStateReader(
  { server, current, slow }: StateSources,
  clock: Clock,
): () => Promise<InstallationState> {
  const aged: Aged[] = [];
  const source = <Value>(read: () => Promise<Value | null>, everyMs = stateEveryMs): Source<Value> => {
    const made = createSource(read, stateWaitMs, clock);
    aged.push({ source: made, everyMs });
    return made;
  };
  const readiness = source(slow.readiness, readinessEveryMs);
  const disk = source(slow.disk);
  const directory = source(slow.directory, directoryEveryMs);
  const files = source(slow.files);
  const contents = source(slow.contents, contentsEveryMs);
  const nearLimits = source(slow.nearLimits);
  const groups = source(slow.groups);
  const searches = source(slow.searches);
  const backups = source(slow.backups);
  const modelChange = source(slow.modelChange);

  return async () => {
    await Promise.all(aged.filter(isTooOld).map((each) => each.source.refresh()));
    return toState({
      ...server,
      ...current(),
      at: clock.now(),
      readiness: readiness.last(),
      disk: disk.last(),
      directory: directory.last(),
      files: files.last(),
      contents: contents.last(),
      nearLimits: nearLimits.last(),
      groups: groups.last(),
      searches: searches.last(),
      backups: backups.last(),
      modelChange: modelChange.last(),
    });
  };
}

interface Aged {
  readonly source: Source<unknown>;
  readonly everyMs: number;
}

function isTooOld({ source, everyMs }: Aged): boolean {
  const { ageSeconds } = source.state();
  return ageSeconds === null || ageSeconds * 1_000 >= everyMs;
}
