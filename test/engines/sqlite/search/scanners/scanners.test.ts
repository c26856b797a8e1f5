// Proves with real threads how tasks are performed: projects in turn, lost tasks again, and nothing after a group has ended.

import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import type { GroupWork } from "../../../../../src/engines/sqlite/search/steps/group-steps.ts";
import { createScanners, type Scanners } from "../../../../../src/engines/sqlite/threads/scanners.ts";
import { Refusal, unavailable } from "../../../../../src/platform/errors.ts";
import { createSupervisor } from "../../../../../src/platform/threads/supervisor.ts";
import { createClock } from "../../../../../src/platform/time/clock.ts";
import { closeAfterEach } from "../../../../cleanup.ts";
import { spawnEntry } from "../../../../platform/threads/hanging-worker.ts";

const closeLater = closeAfterEach<Scanners>();
const { signal: forever } = new AbortController();

interface Observed {
  readonly scanners: Scanners;
  readonly workers: Worker[];
  /** Tasks that were given to threads, in that order. */
  readonly given: unknown[];
  /** Resolves when all threads accept tasks again. */
  untilUp(): Promise<void>;
}

function open(count: number): Observed {
  const [workers, given]: [Worker[], unknown[]] = [[], []];
  const supervisor = createSupervisor({
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    spawn: (_, init) => {
      const worker = spawnEntry(join(import.meta.dir, "task-worker.ts"), init);
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (message: { request?: { task?: unknown } }) => {
        if (message.request?.task !== undefined) given.push(message.request.task);
        post(message);
      };
      workers.push(worker);
      return worker;
    },
  });
  const scanners = createScanners(count, (events) => supervisor.start("scanner", {}, events));
  closeLater(scanners);
  const clock = createClock();
  const untilUp = async () => {
    while (supervisor.restarting().length > 0) await clock.sleep(1);
  };
  return { scanners, workers, given, untilUp };
}

const work = (kind: string, common: unknown, tasks: readonly unknown[], isRepeatable = true): GroupWork => ({
  kind,
  common,
  tasks,
  isRepeatable,
});
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const codeOf = (error: unknown) => (error instanceof Refusal ? error.code : error);
const createGate = () => new Int32Array(new SharedArrayBuffer(4));

function openGate(gate: Int32Array): void {
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
}

test("results come in the order of the tasks, and every task knows what it has in common with the others", async () => {
  const { scanners } = open(2);
  const works = ["a", "b", "c"].map((project) =>
    scanners.perform(project, work("echo", { project }, numbers(20)), forever),
  );
  const expected = ["a", "b", "c"].map((project) =>
    numbers(20).map((task) => ({ common: { project }, task })),
  );
  expect(await Promise.all(works)).toEqual(expected);
});

test("a group without tasks has no results", async () => {
  const { scanners, workers } = open(2);
  expect(await scanners.perform("a", work("echo", null, []), forever)).toEqual([]);
  expect(workers).toHaveLength(0);
});

test("a project with one task waits for no more than the tasks that threads have", async () => {
  const { scanners, given } = open(2);
  const gate = createGate();
  const large = scanners.perform("large", work("wait", gate, numbers(50)), forever);
  const small = scanners.perform("small", work("echo", null, ["small"]), forever);
  openGate(gate);
  expect(await small).toEqual([{ common: null, task: "small" }]);
  expect(await large).toEqual(numbers(50));
  // Two threads have two tasks each, and the next turn is that of the other project.
  expect(given.indexOf("small")).toBeLessThanOrEqual(5);
});

test("buffers are known by their numbers until they are forgotten, also in a thread that starts later", async () => {
  const { scanners, workers, untilUp } = open(1);
  const share = (number: number) => {
    const buffer = new SharedArrayBuffer(1);
    new Uint8Array(buffer)[0] = number;
    return { number, buffer };
  };
  scanners.changeBuffers({ shared: [share(1), share(2)], forgotten: [] });
  expect(await scanners.perform("a", work("read", null, [1, 2]), forever)).toEqual([1, 2]);
  scanners.changeBuffers({ shared: [share(3)], forgotten: [1] });
  const read = (number: number) =>
    scanners.perform("a", work("read", null, [number]), forever).catch((error: Error) => error.message);
  expect(await Promise.all([1, 2, 3].map(read))).toEqual(["No buffer has the number 1.", [2], [3]]);
  await workers[0]?.terminate();
  await untilUp();
  expect(workers).toHaveLength(2);
  expect(await Promise.all([1, 2, 3].map(read))).toEqual(["No buffer has the number 1.", [2], [3]]);
});

test("tasks of a thread that ends are performed by another one", async () => {
  const { scanners, workers } = open(2);
  await scanners.perform("a", work("echo", null, numbers(4)), forever);
  const left = createGate();
  left[0] = 1;
  expect(await scanners.perform("a", work("end", left, numbers(20)), forever)).toEqual(numbers(20));
  expect(workers.length).toBeGreaterThanOrEqual(2);
});

test.each(["writes to memory", "ends every thread"])("a task that %s is not performed again", async (how) => {
  const { scanners, given, untilUp } = open(2);
  await scanners.perform("a", work("echo", null, numbers(4)), forever);
  given.length = 0;
  const left = createGate();
  const isRepeatable = how === "ends every thread";
  left[0] = isRepeatable ? 100 : 1;
  const lost = scanners.perform("a", work("end", left, ["lost"], isRepeatable), forever);
  expect(await lost.catch(codeOf)).toBe(1503);
  expect(given.length).toBeLessThanOrEqual(isRepeatable ? 3 : 1);
  await untilUp();
  expect(await scanners.perform("a", work("echo", null, [1]), forever)).toEqual([{ common: null, task: 1 }]);
});

test("an error of a task is that of its group, and other groups do not have it", async () => {
  const { scanners } = open(2);
  const failing = scanners.perform("a", work("fail", "a defect", [1, 2, 3]), forever);
  const other = scanners.perform("b", work("echo", null, [1]), forever);
  expect(await failing.catch((error: Error) => error.message)).toBe("a defect");
  expect(await other).toEqual([{ common: null, task: 1 }]);
});

test.each(["ends", "ends with the searcher"])("nothing is performed of a group that %s", async (how) => {
  const { scanners, given } = open(1);
  const gate = createGate();
  const controller = new AbortController();
  const reason = unavailable("ended");
  const ended = scanners.perform("a", work("wait", gate, numbers(50)), controller.signal).catch(codeOf);
  if (how === "ends") controller.abort(reason);
  else scanners.reset(reason);
  expect<unknown>(await ended).toBe(1503);
  openGate(gate);
  expect(await scanners.perform("b", work("echo", null, ["next"]), forever)).toHaveLength(1);
  expect(given).toEqual([0, 1, "next"]);
});

test("whoever waits for threads that close is answered", async () => {
  const { scanners } = open(2);
  const gate = createGate();
  const waiting = scanners.perform("a", work("wait", gate, numbers(50)), forever).catch(codeOf);
  const closing = scanners.close();
  expect<unknown>(await waiting).toBe(1503);
  openGate(gate);
  await closing;
  const late = scanners.perform("a", work("echo", null, [1]), forever).catch(codeOf);
  expect<unknown>(await late).toBe(1503);
});
