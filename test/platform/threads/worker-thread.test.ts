// Proves how worker threads are supervised, with real threads that crash, hang, answer late and do not end: nobody waits for ever, and two
// threads that write never run at once.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { Refusal } from "../../../src/platform/errors.ts";
import type { LogFields } from "../../../src/platform/log/logger.ts";
import {
  closeStartMaxMs,
  restartDelayMaxMs,
  restartDelayMinMs,
  type SupervisedName,
  silenceCheckEveryMs,
  terminateMaxMs,
  threadPolicies,
} from "../../../src/platform/threads/policies.ts";
import { createSupervisor } from "../../../src/platform/threads/supervisor.ts";
import { ThreadEnded } from "../../../src/platform/threads/thread-ended.ts";
import type { ThreadEvents, WorkerThread } from "../../../src/platform/threads/worker-thread.ts";
import { createClock } from "../../../src/platform/time/clock.ts";
import { createClockShift, passTime } from "../../../src/platform/time/clock-shift.ts";
import { closeAfterEach } from "../../cleanup.ts";
import { createPipe, hang, spawnEntry } from "./hanging-worker.ts";
import type { ScriptedInit, ScriptedRequest } from "./scripted-worker.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-threads-"));
afterAll(() => rmSync(folder, { recursive: true }));

const names = Object.keys(threadPolicies) as SupervisedName[];
/** One of each kind; they differ in the time limits at most. */
const kinds = [...Map.groupBy(names, kindOf).values()].flatMap((alike) => alike.slice(0, 1));
const restarting = kinds.filter((name) => threadPolicies[name].restarts !== "never");
const closeLater = closeAfterEach<Observed>();

interface Observed {
  readonly thread: WorkerThread<{ readonly starts: number }>;
  readonly workers: Worker[];
  /** What the thread's owner and the log were told. */
  readonly told: string[];
  readonly logged: { readonly message: string; readonly fields: LogFields }[];
  ask(request: ScriptedRequest): Promise<unknown>;
  /** Lets the supervisor check this often whether the thread is silent. */
  checkSilence(times: number): void;
  passTime(ms: number): void;
  untilUp(): Promise<void>;
  restarting(): readonly string[];
  counts(): { readonly starts: number; readonly closes: number };
  /** Workers that a test keeps from ending end now. */
  letWorkersEnd(): void;
  close(): Promise<void>;
}

interface Setting extends Omit<ScriptedInit, "counts"> {
  /** `terminate` has no effect until the test says so, as if every worker were in a system call. */
  readonly holdsWorkers?: boolean;
}

function kindOf(name: SupervisedName): string {
  const { silenceMaxMs: _, closeMaxMs, ...kind } = threadPolicies[name];
  return JSON.stringify({ ...kind, finishes: closeMaxMs > 0 });
}

function open(name: SupervisedName, { holdsWorkers = false, ...how }: Setting = {}): Observed {
  const shift = createClockShift();
  const clock = createClock(shift);
  const [workers, told, logged, held]: [Worker[], string[], Observed["logged"], (() => void)[]] = [
    [],
    [],
    [],
    [],
  ];
  const log = (message: string, fields: LogFields = {}) => void logged.push({ message, fields });
  const counts = new SharedArrayBuffer(8);
  const supervisor = createSupervisor({
    clock,
    logger: { debug() {}, info: log, warn: log, error: log },
    spawn: (_, init) => {
      const worker = spawnEntry(join(import.meta.dir, "scripted-worker.ts"), init);
      const terminate = worker.terminate.bind(worker);
      if (holdsWorkers) {
        worker.terminate = () => new Promise((resolve) => held.push(() => void terminate().then(resolve)));
      }
      workers.push(worker);
      return worker;
    },
  });
  const events: ThreadEvents = {
    onComplaint: ({ message }) => told.push(message),
    onDown: ({ code }) => told.push(`down ${code}`),
    onSilence: (silentMs) => told.push(`silent ${silentMs}`),
  };
  const thread = supervisor.start<{ starts: number }>(
    name,
    { ...how, counts } satisfies ScriptedInit,
    events,
  );
  const move = (ms: number) => {
    passTime(shift, ms);
    clock.catchUp();
  };
  const letWorkersEnd = () => {
    for (const end of held.splice(0)) end();
  };
  const observed: Observed = {
    thread,
    workers,
    told,
    logged,
    passTime: move,
    letWorkersEnd,
    ask: (request) => thread.request(request),
    checkSilence(times) {
      for (let check = 0; check < times; check++) move(silenceCheckEveryMs);
    },
    async untilUp() {
      while (!thread.isUp) await clock.sleep(1);
    },
    restarting: supervisor.restarting,
    counts() {
      const [starts = 0, closes = 0] = new Int32Array(counts);
      return { starts, closes };
    },
    async close() {
      const closed = thread.close();
      letWorkersEnd();
      move(60_000);
      await closed;
      for (const worker of workers) void worker.terminate();
      letWorkersEnd();
    },
  };
  closeLater(observed);
  return observed;
}

/** Checks after which a thread that is silent from now on is replaced: the first one hears it being asked. */
const checksOf = (name: SupervisedName) => threadPolicies[name].silenceMaxMs / silenceCheckEveryMs + 1;
const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

describe("requests", () => {
  test("are answered in their order, each with its own answer, before and after the thread is ready", async () => {
    const { ask, thread } = open("reader");
    const answers = Array.from({ length: 50 }, (_, echo) => ask({ echo }));
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 50 }, (_, echo) => echo));
    expect(await thread.ready).toEqual({ starts: 1 });
    expect(thread.silentMs).toBe(0);
  });

  test("are refused, or fail, as the thread says, and others go on", async () => {
    const { ask, told, logged } = open("reader");
    const [refused, failed, known, again, echoed] = await Promise.all([
      outcomeOf(ask({ refuse: true })),
      outcomeOf(ask({ fail: "scripted: failed" })),
      outcomeOf(ask({ complain: true })),
      outcomeOf(ask({ complain: true })),
      ask({ echo: "after" }),
    ]);
    expect(refused).toMatchObject({
      name: "Refusal",
      code: 1429,
      message: "scripted: refused",
      retryAfterSeconds: 7,
    });
    expect(failed).toBeInstanceOf(Error);
    expect(failed).not.toBeInstanceOf(Refusal);
    expect(failed).toMatchObject({
      message: "scripted: failed",
      stack: expect.stringContaining("scripted-worker"),
    });
    expect(known).toMatchObject({ code: 1503, message: "scripted: known" });
    expect(again).toMatchObject({ code: 1503 });
    expect(echoed).toBe("after");
    expect(told).toEqual(["complained", "complained"]);
    expect(logged.map(({ message }) => message)).toEqual(["the reader thread complained"]);
  });

  test("that cannot be sent fail, and nothing waits for them", async () => {
    const { thread, ask, checkSilence } = open("reader");
    await thread.ready;
    expect(await outcomeOf(thread.request({ echo: () => undefined }))).toMatchObject({
      name: "DataCloneError",
    });
    checkSilence(2 * checksOf("reader"));
    expect(await ask({ echo: 1 })).toBe(1);
  });
});

describe.each(restarting)("the %s thread", (name) => {
  test.each(["throw", "exit"] as const)(
    "that crashes by %s is restarted, and whoever waits gets 1503",
    async (crash) => {
      const { ask, thread, told, untilUp, restarting, counts } = open(name);
      expect(await ask({ echo: "before" })).toBe("before");
      const waiting = [ask({ crash }), ask({ echo: "lost" })].map(outcomeOf);
      for (const error of await Promise.all(waiting)) expect(error).toBeInstanceOf(ThreadEnded);
      expect(told).toEqual(["down 1503"]);
      expect(restarting()).toEqual([name]);
      expect(await outcomeOf(ask({ echo: "early" }))).toMatchObject({ code: 1503 });
      await untilUp();
      expect(restarting()).toEqual([]);
      expect(await ask({ echo: "after" })).toBe("after");
      expect(counts().starts).toBe(2);
      expect(thread.silentMs).toBe(0);
    },
  );

  test("that hangs is replaced at its bound and not before, and whoever waits gets 1503", async () => {
    const { ask, thread, workers, told, checkSilence, untilUp, restarting, logged } = open(name);
    await ask({ echo: "before" });
    await hang(workers[0], { hang: "loop" });
    const waiting = [ask({ echo: "a" }), ask({ echo: "b" })].map(outcomeOf);
    const { silenceMaxMs } = threadPolicies[name];
    checkSilence(checksOf(name) - 1);
    expect(thread.silentMs).toBe(silenceMaxMs - silenceCheckEveryMs);
    expect(told.at(-1)).toBe(`silent ${silenceMaxMs - silenceCheckEveryMs}`);
    expect(restarting()).toEqual([]);
    checkSilence(1);
    expect(restarting()).toEqual([name]);
    for (const error of await Promise.all(waiting)) expect(error).toBeInstanceOf(ThreadEnded);
    expect(logged.at(-1)).toEqual({
      message: `the ${name} thread ended and is restarted`,
      fields: { cause: `no answer for ${silenceMaxMs / 1_000} s`, after_ms: restartDelayMinMs },
    });
    await untilUp();
    expect(await ask({ echo: "after" })).toBe("after");
  });

  test("that does not end while it is replaced runs beside the next one only where it does not write", async () => {
    const { ask, workers, checkSilence, passTime, untilUp, letWorkersEnd, restarting } = open(name, {
      holdsWorkers: true,
    });
    await ask({ echo: "before" });
    const waiting = outcomeOf(ask({ never: true }));
    checkSilence(checksOf(name));
    expect(await waiting).toBeInstanceOf(ThreadEnded);
    passTime(restartDelayMaxMs);
    await Promise.resolve();
    const { mayOverlap } = threadPolicies[name];
    expect(workers).toHaveLength(mayOverlap ? 2 : 1);
    if (!mayOverlap) {
      expect(restarting()).toEqual([name]);
      letWorkersEnd();
    }
    await untilUp();
    expect(workers).toHaveLength(2);
    expect(await ask({ echo: "after" })).toBe("after");
  });
});

test("the threads that write are those that never run beside each other", () => {
  expect(names.filter((name) => !threadPolicies[name].mayOverlap)).toEqual([
    "writer",
    "exporter",
    "cacheWriter",
    "backup",
  ]);
});

test("the threads that run ONNX are those that are never terminated while they work", () => {
  expect(names.filter((name) => !threadPolicies[name].mayTerminate)).toEqual([
    "searcher",
    "scanner",
    "embedder",
    "extraEmbedder",
  ]);
});

test("a thread in a system call is replaced only after the call when it writes", async () => {
  const { pipe, release } = createPipe(join(folder, "pipe"));
  const { ask, workers, checkSilence, passTime, untilUp, counts } = open("writer");
  await ask({ echo: "before" });
  await hang(workers[0], { hang: "read", pipe });
  const waiting = outcomeOf(ask({ echo: "lost" }));
  checkSilence(checksOf("writer"));
  expect(await waiting).toBeInstanceOf(ThreadEnded);
  passTime(restartDelayMaxMs);
  expect(workers).toHaveLength(1);
  release();
  await untilUp();
  expect(counts().starts).toBe(2);
  expect(await ask({ echo: "after" })).toBe("after");
});

test("messages from a replaced worker are ignored", async () => {
  const { pipe, release } = createPipe(join(folder, "late"));
  const { ask, workers, checkSilence, passTime, untilUp, thread } = open("reader", { holdsWorkers: true });
  await ask({ echo: "before" });
  const [late] = workers;
  await hang(late, { hang: "read", pipe });
  const lost = outcomeOf(ask({ echo: "late" }));
  checkSilence(checksOf("reader"));
  expect(await lost).toBeInstanceOf(ThreadEnded);
  passTime(restartDelayMaxMs);
  await untilUp();
  const waiting = outcomeOf(ask({ never: true }));
  const [, next] = workers;
  // The answers of the late worker have numbers, too, and any of them could be that of a request which waits.
  const answered = new Promise<object>((resolve) => {
    late?.on("message", (message: object) => {
      if ("answer" in message) resolve(message);
    });
  });
  release();
  expect(await answered).toMatchObject({ number: 2, answer: "late" });
  late?.emit("message", { number: 3, answer: "of the wrong worker" });
  next?.emit("message", { number: 3, answer: "of the right worker" });
  expect(await waiting).toBe("of the right worker");
  expect(thread.isUp).toBe(true);
});

describe("silence", () => {
  test("is not what a clock shows that jumps, nor time in which nothing is asked", async () => {
    const { ask, passTime, thread, checkSilence } = open("extractor");
    await ask({ echo: "before" });
    const waiting = outcomeOf(ask({ never: true }));
    for (let days = 0; days < 10; days++) passTime(86_400_000);
    expect(thread.isUp).toBe(true);
    checkSilence(checksOf("extractor"));
    expect(await waiting).toBeInstanceOf(ThreadEnded);
  });

  test("ends with each answer", async () => {
    const { ask, thread, checkSilence } = open("extractor");
    for (let round = 0; round < 3; round++) {
      const waiting = ask({ echo: round });
      checkSilence(checksOf("extractor") - 2);
      expect(await waiting).toBe(round);
    }
    expect(thread.isUp).toBe(true);
  });
});

describe("restarts", () => {
  test("come later after each failure, and at once again after an answer", async () => {
    const { ask, untilUp, passTime, logged } = open("reader");
    const delays = () => logged.flatMap(({ fields }) => fields.after_ms ?? []);
    await ask({ echo: "before" });
    const expected: number[] = [];
    for (
      let delayMs = restartDelayMinMs;
      expected.length < 10;
      delayMs = Math.min(2 * delayMs, restartDelayMaxMs)
    ) {
      expected.push(delayMs);
      await outcomeOf(ask({ crash: "exit" }));
      passTime(delayMs);
      await untilUp();
    }
    expect(delays()).toEqual(expected);
    expect(expected.at(-1)).toBe(restartDelayMaxMs);
    await ask({ echo: "works" });
    await outcomeOf(ask({ crash: "exit" }));
    expect(delays().at(-1)).toBe(restartDelayMinMs);
  });

  test.each(kinds)("of the %s after a first start that fails", async (name) => {
    const { thread, told, restarting, counts, untilUp, ask } = open(name, { failsFirst: true });
    expect(await outcomeOf(thread.ready)).toMatchObject({
      message: expect.stringContaining("does not start"),
    });
    expect(told).toEqual(["down 1503"]);
    const isRestarted = threadPolicies[name].restarts === "always";
    expect(restarting()).toEqual(isRestarted ? [name] : []);
    if (!isRestarted) expect(await outcomeOf(ask({ echo: 1 }))).toMatchObject({ code: 1503 });
    else {
      await untilUp();
      expect(await ask({ echo: 1 })).toBe(1);
    }
    expect(counts().starts).toBe(isRestarted ? 2 : 1);
  });

  test.each(["inspector", "verifier"] as const)("of the %s after a crash: there are none", async (name) => {
    const { ask, restarting, passTime, workers } = open(name);
    expect(await outcomeOf(ask({ crash: "exit" }))).toBeInstanceOf(ThreadEnded);
    passTime(restartDelayMaxMs);
    expect(restarting()).toEqual([]);
    expect(await outcomeOf(ask({ echo: 1 }))).toMatchObject({ code: 1503 });
    expect(workers).toHaveLength(1);
  });
});

describe.each(kinds)("closing the %s", (name) => {
  test("lets it finish where it may, and refuses what waits and what comes later", async () => {
    const { ask, thread, counts, workers } = open(name);
    await ask({ echo: "before" });
    const ended = new Promise((resolve) => workers[0]?.once("exit", resolve));
    const waiting = outcomeOf(ask({ echo: "waiting" }));
    await thread.close();
    await ended;
    expect(await waiting).toMatchObject({ code: 1503, message: expect.stringContaining("shutting down") });
    expect(await outcomeOf(ask({ echo: "late" }))).toMatchObject({ code: 1503 });
    expect(counts().closes).toBe(threadPolicies[name].closeMaxMs > 0 ? 1 : 0);
  });

  test("ends it at the deadline when it does not finish", async () => {
    const { ask, thread, passTime, workers, logged } = open(name, { neverCloses: true });
    await ask({ echo: "before" });
    const ended = new Promise((resolve) => workers[0]?.once("exit", resolve));
    const closed = thread.close();
    passTime(threadPolicies[name].closeMaxMs);
    await closed;
    if (threadPolicies[name].mayTerminate) await ended;
    const late = `the ${name} thread did not finish in time and is ended`;
    expect(logged.map(({ message }) => message)).toEqual(threadPolicies[name].closeMaxMs > 0 ? [late] : []);
  });

  test("waits until it has started, but not for ever", async () => {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const [slow, stuck] = [open(name, { gate: gate.buffer }), open(name, { gate: gate.buffer })];
    const terminations: string[] = [];
    for (const [which, { workers }] of Object.entries({ slow, stuck })) {
      const [worker] = workers;
      if (worker === undefined) throw new Error("no worker was started");
      const terminate = worker.terminate.bind(worker);
      worker.terminate = () => {
        terminations.push(which);
        return terminate();
      };
    }
    while (slow.counts().starts + stuck.counts().starts < 2) await Bun.sleep(1);
    const isWriter = threadPolicies[name].closeMaxMs > 0;
    const closed = stuck.thread.close();
    const closing = slow.thread.close();
    for (let turn = 0; turn < 20; turn++) await Bun.sleep(1);
    expect(terminations).toEqual([]);
    if (!isWriter) {
      stuck.passTime(closeStartMaxMs);
      stuck.passTime(terminateMaxMs);
      await closed;
      expect(terminations).toEqual(threadPolicies[name].mayTerminate ? ["stuck"] : []);
    }
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    await Promise.all([closing, closed]);
    expect(slow.told).toEqual(["down 1503"]);
  });
});
