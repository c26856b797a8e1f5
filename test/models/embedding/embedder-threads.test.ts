// Tests the additional threads of the embedder: when they start and end, what they compute, and what happens when they fail.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { type Embedder, startEmbedder } from "../../../src/models/embedding/embedder.ts";
import type { EmbedRequest } from "../../../src/models/embedding/embedder-protocol.ts";
import {
  extraThreadIdleChecks,
  extraThreadRetryMs,
  sentMaxTexts,
  threadsCheckEveryMs,
} from "../../../src/models/embedding/limits.ts";
import { readModelDirectory } from "../../../src/models/embedding/model-directory.ts";
import { Refusal } from "../../../src/platform/errors.ts";
import type { Logger } from "../../../src/platform/log/logger.ts";
import { prepareRuntime } from "../../../src/platform/native/runtime.ts";
import { spawnWorker } from "../../../src/platform/threads/spawn.ts";
import { createSupervisor } from "../../../src/platform/threads/supervisor.ts";
import { createClock } from "../../../src/platform/time/clock.ts";
import { createClockShift, passTime } from "../../../src/platform/time/clock-shift.ts";
import { closeAfterEach } from "../../cleanup.ts";
import { endThread } from "./end-thread.ts";
import { writeTinyModel } from "./tiny-model.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-threads-"));
const runtime = prepareRuntime(join(folder, "runtime"));
const closeLater = closeAfterEach<Embedder>();
afterAll(() => rmSync(folder, { recursive: true }));

interface Observed {
  readonly worker: Worker;
  readonly name: string;
  readonly requests: EmbedRequest[];
  hasEnded: boolean;
}

let count = 0;

/** An embedder of at most two threads, whose clock the test moves, under a load of passages that the test switches off. */
async function start(idleProcessors = 1, slowerMax = Number.POSITIVE_INFINITY) {
  const workers: Observed[] = [];
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  const logger: Logger = { debug() {}, info() {}, warn, error() {} };
  const shift = createClockShift();
  const clock = createClock(shift);
  const supervisor = createSupervisor({
    logger,
    clock,
    spawn(name, init) {
      // With the priority of the first thread, because other programs may need the processors.
      const worker = spawnWorker(name, Object.assign({}, init, { batching: null }));
      const observed: Observed = { worker, name, requests: [], hasEnded: false };
      workers.push(observed);
      worker.once("exit", () => {
        observed.hasEnded = true;
      });
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (message: { readonly request?: EmbedRequest }) => {
        if (message.request !== undefined) observed.requests.push(message.request);
        post(message);
      };
      return worker;
    },
  });
  const directory = writeTinyModel(join(folder, `model-${++count}`));
  const model = readModelDirectory(directory);
  const embedder = await startEmbedder({
    ...{ runtime, model, embedders: 2, supervisor, clock, logger },
    idleProcessors: () => idleProcessors,
    slowerMax,
  });
  closeLater(embedder);

  const load = { isOn: true, outcomes: new Map<string, number>() };
  const client = async (name: number): Promise<void> => {
    for (let text = 0; load.isOn; text++) {
      const outcome = await embedder.embed(`${name} ${text}`, "passage").then(
        () => "ok",
        (error: unknown) => (error instanceof Refusal ? String(error.code) : "failed"),
      );
      load.outcomes.set(outcome, (load.outcomes.get(outcome) ?? 0) + 1);
      // A closed embedder answers at once.
      if (outcome !== "ok") await Bun.sleep(1);
    }
  };
  const clients = Array.from({ length: 32 }, (_, name) => client(name));
  const checksPass = (checks: number) => {
    for (let check = 0; check < checks; check++) {
      passTime(shift, threadsCheckEveryMs);
      clock.catchUp();
    }
  };
  return {
    ...{ embedder, workers, warnings, load, directory, shift, checksPass },
    extras: () => workers.filter(({ name }) => name === "extraEmbedder"),
    async endLoad() {
      load.isOn = false;
      await Promise.all(clients);
    },
  };
}

/** Waits for something that other threads do. The timeout of the test limits it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(2);
}

test("passages that keep the first thread busy start a second one, which ends when they are over", async () => {
  const { embedder, extras, checksPass, load, endLoad, workers } = await start();
  expect(workers.map(({ name }) => name)).toEqual(["embedder"]);
  checksPass(1);
  expect(extras()).toHaveLength(1);
  await until(() => (extras()[0]?.requests.length ?? 0) > 10);
  const queries = Array.from({ length: 40 }, (_, at) => embedder.embed(`query ${at}`, "query"));
  await Promise.all(queries);
  expect(extras()[0]?.requests.filter(({ role }) => role === "query")).toEqual([]);
  checksPass(3);
  expect(extras()).toHaveLength(1);
  await endLoad();
  expect([...load.outcomes.keys()]).toEqual(["ok"]);
  checksPass(extraThreadIdleChecks);
  expect(extras()[0]?.hasEnded).toBe(false);
  checksPass(1);
  await until(() => extras()[0]?.hasEnded === true);
  expect(workers[0]?.hasEnded).toBe(false);
  expect(await embedder.embed("red", "passage")).toHaveLength(256);
});

test("passages start no second thread while no processor is idle", async () => {
  const { extras, checksPass, endLoad } = await start(0.1);
  checksPass(5);
  await endLoad();
  expect(extras()).toEqual([]);
});

test("a second thread that gets too little time ends when it has answered its texts", async () => {
  const { extras, checksPass, endLoad, load, warnings } = await start(1, 0);
  checksPass(1);
  await until(() => (extras()[0]?.requests.length ?? 0) > 10);
  checksPass(1);
  await until(() => extras()[0]?.hasEnded === true);
  await endLoad();
  expect([...load.outcomes.keys()]).toEqual(["ok"]);
  expect(warnings).toEqual([]);
});

test("queries and few passages start no second thread", async () => {
  const { embedder, extras, checksPass, endLoad } = await start();
  await endLoad();
  checksPass(1);
  for (let round = 0; round < 5; round++) {
    const queries = Array.from({ length: 200 }, (_, at) => embedder.embed(`query ${round} ${at}`, "query"));
    checksPass(1);
    await Promise.all(queries);
    await embedder.embed(`passage ${round}`, "passage");
    checksPass(1);
  }
  expect(extras()).toEqual([]);
});

test("a second thread that ends refuses its own texts only, and starts again after a minute", async () => {
  const { embedder, extras, checksPass, endLoad, load, warnings, shift } = await start();
  checksPass(1);
  await until(() => (extras()[0]?.requests.length ?? 0) > 10);
  await endThread(extras()[0]?.worker);
  await until(() => warnings.length > 0);
  expect(warnings).toEqual(["an additional thread of the embedder has failed"]);
  expect(await embedder.embed("red", "passage")).toHaveLength(256);
  const refused = load.outcomes.get("1503") ?? 0;
  expect(refused).toBeLessThanOrEqual(sentMaxTexts);
  checksPass(5);
  expect(extras()).toHaveLength(1);
  passTime(shift, extraThreadRetryMs);
  checksPass(1);
  await until(() => (extras()[1]?.requests.length ?? 0) > 10);
  await endLoad();
  expect([...load.outcomes.keys()].toSorted()).toEqual(refused > 0 ? ["1503", "ok"] : ["ok"]);
  expect(load.outcomes.get("1503") ?? 0).toBe(refused);
});

test("a second thread that cannot start costs no text", async () => {
  const { embedder, extras, checksPass, endLoad, load, warnings, directory } = await start();
  writeTinyModel(directory, { dimensions: 512 });
  checksPass(1);
  await until(() => warnings.length > 0);
  expect(extras()).toHaveLength(1);
  expect(await embedder.embed("red", "query")).toHaveLength(256);
  await endLoad();
  expect([...load.outcomes.keys()]).toEqual(["ok"]);
});

test("close ends a second thread that works, and one that is starting", async () => {
  for (const isStarting of [false, true]) {
    const { embedder, extras, checksPass, endLoad, load } = await start();
    checksPass(1);
    if (!isStarting) await until(() => (extras()[0]?.requests.length ?? 0) > 20);
    load.isOn = false;
    await embedder.close();
    await endLoad();
    await until(() => extras()[0]?.hasEnded === true);
    expect([...load.outcomes.keys()].filter((outcome) => outcome !== "ok" && outcome !== "1503")).toEqual([]);
  }
});
