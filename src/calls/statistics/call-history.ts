// Owns which calls are counted over time: all of them for the installation, and those of the projects that are in use. Those of before the
// start are counted by their records, which somebody else reads. Every answer says since when it counts.

import type { Clock } from "../../platform/time/clock.ts";
import { toTimestamp } from "../../platform/time/timestamp.ts";
import type { PastCalls } from "../storage/statistics.ts";
import { type CallSeries, type CallWindow, createCallSeries } from "./call-series.ts";
import {
  countedProjectsMax,
  idleProjectMs,
  installationStepSeconds,
  installationSteps,
  projectStepSeconds,
  projectSteps,
} from "./limits.ts";

export interface CountedCall {
  /** Name of an operation, not what the client has named. */
  readonly operation: string;
  readonly code: number;
  readonly seconds: number;
  /** Of the caller; null: administration, or no known key. */
  readonly project: string | null;
  /** Clock.elapsed() at the end of the call. */
  readonly endedAtMs: number;
}

/** Counts of calls in steps of time, as clients see them. */
export interface CallFigures extends Pick<CallWindow, "steps" | "operations" | "codes"> {
  /** From when on calls are counted: also those of before the start if they are known. */
  readonly counting_since: string;
  readonly step_seconds: number;
  /** Beginning of the first step. */
  readonly start: string;
  readonly latency_seconds: CallWindow["seconds"];
}

/** The counts of the installation, or of one project. */
export interface CountedCalls {
  /** How many calls were counted. */
  calls(): number;
  /** Number of the current step. */
  step(): number;
  /** From when on calls are counted, in milliseconds since 1970. */
  since(): number;
  /** The steps from this one to the current one, as far as they are kept. */
  read(fromStep: number): CallFigures;
}

export interface CallHistory {
  count(call: CountedCall): void;
  /** When counting began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Counts the calls of before the start, once. */
  countPast(past: PastCalls): void;
  readonly installation: CountedCalls;
  /** Null: its calls are not counted at the moment. */
  ofProject(project: string): CountedCalls | null;
  /** The calls of the project are counted at least until this is disposed of. */
  watch(project: string): CountedCalls & Disposable;
}

interface OfProject {
  readonly series: CallSeries;
  readonly counted: CountedCalls;
  lastAtMs: number;
  watches: number;
}

export function createCallHistory(clock: Clock): CallHistory {
  const startedAt = clock.now();
  const installationTime = createSteps(clock, installationStepSeconds, installationSteps);
  const installation = createCallSeries(installationSteps);
  const projectTime = createSteps(clock, projectStepSeconds, projectSteps);
  const projects = new Map<string, OfProject>();
  let since = startedAt;
  /** Whether a project that is not counted had no call since then. */
  let areAllCounted = true;

  const add = (project: string, elapsedMs: number): OfProject => {
    const series = createCallSeries(projectSteps);
    const ownSince = areAllCounted ? null : clock.now();
    const counted = readable(series, projectTime, clock, () => ownSince ?? since);
    const added = { series, counted, lastAtMs: elapsedMs, watches: 0 };
    projects.set(project, added);
    return added;
  };
  /** @returns undefined while as many other projects are in use */
  const find = (project: string, elapsedMs: number): OfProject | undefined => {
    const known = projects.get(project);
    if (known !== undefined) return known;
    if (projects.size >= countedProjectsMax) {
      areAllCounted = false;
      if (!removeIdle(projects, elapsedMs - idleProjectMs)) return;
    }
    return add(project, elapsedMs);
  };

  return {
    count({ operation, code, seconds, project, endedAtMs }) {
      installation.count(installationTime.at(endedAtMs), operation, code, seconds);
      if (project === null) return;
      const found = find(project, endedAtMs);
      if (found === undefined) return;
      found.lastAtMs = endedAtMs;
      found.series.count(projectTime.at(endedAtMs), operation, code, seconds);
    },
    startedAt,
    countPast(past) {
      const elapsedMs = clock.elapsed();
      const now = clock.now();
      ({ since } = past);
      for (const { at, operation, code, seconds, project } of past.calls) {
        const endedAtMs = elapsedMs - (now - at);
        installation.countPast(installationTime.at(endedAtMs), operation, code, seconds);
        const found = project === null ? undefined : find(project, elapsedMs);
        found?.series.countPast(projectTime.at(endedAtMs), operation, code, seconds);
      }
    },
    installation: readable(installation, installationTime, clock, () => since),
    ofProject: (project) => projects.get(project)?.counted ?? null,
    watch(project) {
      const watched = projects.get(project) ?? add(project, clock.elapsed());
      watched.watches += 1;
      let isWatching = true;
      return {
        ...watched.counted,
        [Symbol.dispose]() {
          if (isWatching) watched.watches -= 1;
          isWatching = false;
        },
      };
    },
  };
}

/** Removes the project whose last call is the oldest, if it was before `beforeMs` and nobody watches it. @returns whether there was one */
function removeIdle(projects: Map<string, OfProject>, beforeMs: number): boolean {
  let oldestMs = beforeMs;
  let idle: string | null = null;
  for (const [project, { lastAtMs, watches }] of projects) {
    if (watches > 0 || lastAtMs > oldestMs) continue;
    oldestMs = lastAtMs;
    idle = project;
  }
  return idle !== null && projects.delete(idle);
}

/** Numbers the steps of time, from as many before the start as are kept. They begin at full minutes, and a clock that is set changes none that has passed. */
interface Steps {
  readonly stepSeconds: number;
  at(elapsedMs: number): number;
  /** Milliseconds since 1970, by what the clock shows now. */
  startOf(step: number): number;
  current(): number;
}

function createSteps(clock: Clock, stepSeconds: number, kept: number): Steps {
  const stepMs = stepSeconds * 1_000;
  const originMs = clock.elapsed() - (clock.now() % stepMs) - (kept - 1) * stepMs;
  const at = (elapsedMs: number) => Math.max(0, Math.floor((elapsedMs - originMs) / stepMs));
  return {
    stepSeconds,
    at,
    startOf: (step) => {
      const agoMs = clock.elapsed() - originMs - step * stepMs;
      return Math.round((clock.now() - agoMs) / stepMs) * stepMs;
    },
    current: () => at(clock.elapsed()),
  };
}

function readable(series: CallSeries, time: Steps, clock: Clock, since: () => number): CountedCalls {
  const begin = () => ({ since: since(), step: time.at(clock.elapsed() - (clock.now() - since())) });
  /** Of the time since when calls are counted: a clock that is set changes no step. */
  let first = begin();
  return {
    calls: series.calls,
    step: time.current,
    since,
    read(fromStep) {
      if (first.since !== since()) first = begin();
      const window = series.read(Math.max(fromStep, first.step), time.current());
      return {
        counting_since: toTimestamp(first.since),
        step_seconds: time.stepSeconds,
        start: toTimestamp(time.startOf(window.firstStep)),
        steps: window.steps,
        operations: window.operations,
        codes: window.codes,
        latency_seconds: window.seconds,
      };
    },
  };
}
