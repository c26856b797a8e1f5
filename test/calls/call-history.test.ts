// Tests the counts of calls over time against a slow count of all calls, while time passes and the clock is set.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createCallHistory } from "../../src/calls/statistics/call-history.ts";
import { type CallWindow, createCallSeries } from "../../src/calls/statistics/call-series.ts";
import { countedProjectsMax, idleProjectMs } from "../../src/calls/statistics/limits.ts";
import { createClock } from "../../src/platform/time/clock.ts";
import { createClockShift, passTime, setClock } from "../../src/platform/time/clock-shift.ts";

const minuteMs = 60_000;

interface Counted {
  readonly step: number;
  readonly operation: string;
  readonly code: number;
}

const outcomeOf = (code: number) => (code === 1000 ? "ok" : code === 1500 ? "failed" : "refused");

function sumOf(values: readonly number[] | undefined): number {
  return (values ?? []).reduce((sum, value) => sum + value, 0);
}

/** All calls of a window. */
function totalOf({ operations }: Pick<CallWindow, "operations">): number {
  return Object.values(operations)
    .flatMap((outcomes) => Object.values(outcomes))
    .reduce((sum, values) => sum + sumOf(values), 0);
}

describe("a series", () => {
  const steps = 5;
  const calls = fc.array(
    fc.record({
      advance: fc.integer({ min: 0, max: 7 }),
      operation: fc.constantFrom("memory.search", "memory.create"),
      code: fc.constantFrom(1000, 1429, 2100, 1500),
    }),
    { maxLength: 40 },
  );

  test("has the calls of the last steps, whatever happened before", () => {
    fc.assert(
      fc.property(calls, fc.integer({ min: 0, max: 7 }), (made, idle) => {
        const series = createCallSeries(steps);
        const counted: Counted[] = [];
        let step = 0;
        for (const { advance, operation, code } of made) {
          step += advance;
          series.count(step, operation, code, 0.003);
          counted.push({ step, operation, code });
        }
        const now = step + idle;
        const window = series.read(0, now);
        const first = Math.max(0, now - steps + 1);
        expect([window.firstStep, window.steps]).toEqual([first, now - first + 1]);
        const numbers = Array.from({ length: window.steps }, (_, at) => first + at);
        for (const operation of ["memory.search", "memory.create"]) {
          for (const outcome of ["ok", "refused", "failed"] as const) {
            const expected = numbers.map(
              (number) =>
                counted.filter(
                  (call) =>
                    call.step === number && call.operation === operation && outcomeOf(call.code) === outcome,
                ).length,
            );
            expect(window.operations[operation]?.[outcome] ?? numbers.map(() => 0)).toEqual(expected);
          }
        }
        for (const code of [1429, 2100, 1500]) {
          const expected = numbers.map(
            (number) => counted.filter((call) => call.step === number && call.code === code).length,
          );
          expect(window.codes[code] ?? numbers.map(() => 0)).toEqual(expected);
        }
        const isUsed = numbers.map((number) => counted.some((call) => call.step === number));
        expect(window.seconds.p50.map((value) => value !== null)).toEqual(isUsed);
        expect(series.calls()).toBe(made.length);
      }),
    );
  });

  test("names no operation and no code without a call in the window", () => {
    const series = createCallSeries(steps);
    series.count(0, "memory.search", 1429, 0.003);
    series.count(6, "memory.create", 1000, 0.003);
    const { operations, codes } = series.read(0, 6);
    expect([operations, codes]).toEqual([{ "memory.create": { ok: [0, 0, 0, 0, 1] } }, {}]);
  });

  test("counts a call that ended before the newest one in the newest step", () => {
    const series = createCallSeries(steps);
    series.count(3, "memory.search", 1000, 0.003);
    series.count(2, "memory.search", 1000, 0.003);
    expect(series.read(2, 3).operations).toEqual({ "memory.search": { ok: [0, 2] } });
  });
});

describe("the history", () => {
  const create = () => {
    const shift = createClockShift();
    const clock = createClock(shift);
    const history = createCallHistory(clock);
    const count = (project: string | null = null, code = 1000) =>
      history.count({
        operation: "memory.search",
        code,
        seconds: 0.02,
        project,
        endedAtMs: clock.elapsed(),
      });
    return { shift, clock, history, count };
  };

  test("begins empty, and says since when it counts", () => {
    const { clock, history } = create();
    const { counting_since, start, steps, operations, step_seconds } = history.installation.read(0);
    expect(Date.parse(counting_since)).toBeLessThanOrEqual(clock.now());
    expect(Date.parse(start) % minuteMs).toBe(0);
    expect(clock.now() - Date.parse(start)).toBeLessThan(2 * minuteMs);
    expect([steps <= 2, operations, step_seconds]).toEqual([true, {}, 60]);
  });

  test("keeps a day by minute, and the steps begin at full minutes", () => {
    const { shift, clock, history, count } = create();
    count();
    passTime(shift, 30 * minuteMs);
    count(null, 1500);
    const early = history.installation.read(0);
    expect(totalOf(early)).toBe(2);
    expect(sumOf(early.operations["memory.search"]?.failed)).toBe(1);
    expect(sumOf(early.codes[1500])).toBe(1);
    passTime(shift, (24 * 60 - 10) * minuteMs);
    const late = history.installation.read(0);
    expect([totalOf(late), late.steps]).toEqual([1, 1_440]);
    expect(Date.parse(late.start) % minuteMs).toBe(0);
    const endMs = Date.parse(late.start) + late.steps * minuteMs;
    expect(Math.abs(endMs - clock.now())).toBeLessThanOrEqual(minuteMs);
  });

  test("answers only the steps from the given one on", () => {
    const { shift, history, count } = create();
    count();
    const step = history.installation.step();
    passTime(shift, 3 * minuteMs);
    count();
    expect(totalOf(history.installation.read(step))).toBe(2);
    expect(totalOf(history.installation.read(history.installation.step()))).toBe(1);
  });

  test("loses nothing when the clock is set, and then names the times that the clock shows", () => {
    const { shift, clock, history, count } = create();
    count();
    setClock(shift, -3 * 86_400_000);
    count();
    const back = history.installation.read(0);
    expect(totalOf(back)).toBe(2);
    expect(Math.abs(Date.parse(back.start) - clock.now())).toBeLessThan(3 * minuteMs);
  });

  test("counts each project, and only its own calls", () => {
    const { history, count } = create();
    count("a");
    count("a", 1429);
    count("b");
    count();
    const read = (project: string) => history.ofProject(project)?.read(0);
    expect(read("a")?.operations).toEqual({ "memory.search": { ok: [1], refused: [1] } });
    expect(read("b")?.operations).toEqual({ "memory.search": { ok: [1] } });
    expect(read("c")).toBeUndefined();
    expect(totalOf(history.installation.read(0))).toBe(4);
  });

  test("keeps as many projects as its limit says: those in use stay, silent ones make room", () => {
    const { shift, history, count } = create();
    for (let project = 0; project < countedProjectsMax; project++) count(`project ${project}`);
    count("one more");
    expect(history.ofProject("one more")).toBeNull();
    passTime(shift, idleProjectMs - minuteMs);
    count("project 0");
    passTime(shift, 2 * minuteMs);
    count("one more");
    expect(history.ofProject("one more")?.calls()).toBe(1);
    expect(history.ofProject("project 0")).not.toBeNull();
    expect(history.ofProject("project 1")).toBeNull();
  });

  test("has the calls of before the start in the steps of then, also beside those that were counted already", () => {
    const { history, count } = create();
    count("one");
    const { startedAt } = history;
    const past = (minutes: number, project: string | null, code = 1000) => {
      const at = startedAt - minutes * minuteMs;
      return { at, operation: "memory.search", code, seconds: 0.01, project };
    };
    const since = startedAt - 120 * minuteMs;
    history.countPast({ since, calls: [past(30, "one"), past(90, "two", 1429), past(90, null)] });
    const { counting_since, start, steps, step_seconds, operations } = history.installation.read(0);
    expect([Date.parse(counting_since), steps * step_seconds]).toEqual([since, 121 * 60]);
    expect(Date.parse(start)).toBe(since - (since % minuteMs));
    const { ok = [], refused = [] } = operations["memory.search"] ?? {};
    expect([ok[90], ok[30], refused[30], sumOf(ok), sumOf(refused)]).toEqual([1, 1, 1, 3, 1]);
    expect(totalOf(history.ofProject("one")?.read(0) ?? { operations: {} })).toBe(2);
    expect(
      history
        .ofProject("two")
        ?.read(0)
        .codes["1429"]?.reduce((sum, each) => sum + each),
    ).toBe(1);
    // A day is kept.
    expect(history.installation.read(0).steps).toBeLessThanOrEqual(1_440);
  });

  test("counts a project that is watched, and keeps it while it is silent", () => {
    const { shift, history, count } = create();
    for (let project = 0; project < countedProjectsMax; project++) count(`project ${project}`);
    const watch = history.watch("watched");
    count("watched");
    passTime(shift, 2 * idleProjectMs);
    for (let project = 0; project < 2 * countedProjectsMax; project++) count(`other ${project}`);
    expect([watch.calls(), history.ofProject("watched")?.calls()]).toEqual([1, 1]);
    watch[Symbol.dispose]();
    watch[Symbol.dispose]();
    passTime(shift, 2 * idleProjectMs);
    for (let project = 0; project < 2 * countedProjectsMax; project++) count(`third ${project}`);
    expect(history.ofProject("watched")).toBeNull();
  });
});
