// Makes the engine's real threads hang, or kills them: whoever waits is answered, the next thread takes over, and a thread that writes files
// is followed by another one only after its end.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import type { ExporterInit } from "../../../src/engines/sqlite/export/export-worker.ts";
import { createExporter } from "../../../src/engines/sqlite/export/exporter.ts";
import { createDamageCheck } from "../../../src/engines/sqlite/threads/damage-check.ts";
import { startVerifiers } from "../../../src/engines/sqlite/verify/verify-workers.ts";
import { Refusal } from "../../../src/platform/errors.ts";
import { createLogger } from "../../../src/platform/log/logger.ts";
import {
  restartDelayMaxMs,
  type SupervisedName,
  silenceCheckEveryMs,
  threadPolicies,
} from "../../../src/platform/threads/policies.ts";
import { createSupervisor, type Supervisor } from "../../../src/platform/threads/supervisor.ts";
import { type Clock, createClock } from "../../../src/platform/time/clock.ts";
import { createClockShift, passTime } from "../../../src/platform/time/clock-shift.ts";
import { createOwnKey, openLedgerFiles } from "../../../src/server/ledger/ledger-files.ts";
import { openSeam, runtime, type Seam, unitVector } from "../../calls/storage/seam.ts";
import { closeAfterEach } from "../../cleanup.ts";
import { createPipe, hang, spawnHanging } from "../../platform/threads/hanging-worker.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-hanging-"));
afterAll(() => rmSync(folder, { recursive: true }));
const closeLater = closeAfterEach<Seam>();

const codeOf = (error: unknown) => (error instanceof Refusal ? error.code : error);
const checksOf = (name: SupervisedName) => threadPolicies[name].silenceMaxMs / silenceCheckEveryMs + 1;

/** An engine and all its workers by name, the newest last. */
async function openObserved(): Promise<{ seam: Seam; workersOf: (name: string) => Worker[] }> {
  const workers = new Map<string, Worker[]>();
  const workersOf = (name: string) => workers.get(name) ?? [];
  const seam = await openSeam({
    path: join(folder, `${crypto.randomUUID()}.db`),
    spawn: (name, init) => {
      const worker = spawnHanging(name, init);
      workers.set(name, [...workersOf(name), worker]);
      return worker;
    },
  });
  closeLater(seam);
  return { seam, workersOf };
}

/** Moves the clock until the work is settled: in steps that count as a check of the supervisor each. */
async function afterSilence<Result>(seam: Seam, work: Promise<Result>): Promise<Result> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  work.then(settle, settle);
  while (!isSettled) {
    seam.passTime(silenceCheckEveryMs);
    await Bun.sleep(0);
  }
  return work;
}

async function untilAnswered<Result>(seam: Seam, ask: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const answer = await ask().catch(codeOf);
    if (answer !== 1503) return answer as Result;
    seam.passTime(silenceCheckEveryMs);
    await Bun.sleep(1);
  }
}

test.each(["reader", "searcher"] as const)(
  "a %s in a read that does not end is replaced at once",
  async (name) => {
    const { seam, workersOf } = await openObserved();
    const project = await seam.project();
    await project.create({ content: "kept", vector: unitVector(1) });
    const ask = async () =>
      name === "reader"
        ? (await project.list()).memories.map(({ content }) => content)
        : (await project.search({ vector: unitVector(1) })).map(({ memory }) => memory.content);
    expect(await ask()).toEqual(["kept"]);
    const { pipe, release } = createPipe(join(folder, name));
    await hang(workersOf(name)[0], { hang: "read", pipe });
    expect<unknown>(await afterSilence(seam, ask().catch(codeOf))).toBe(1503);
    expect(await seam.store.readiness()).toEqual([`the ${name} is restarting`]);
    expect(await untilAnswered(seam, ask)).toEqual(["kept"]);
    expect(workersOf(name)).toHaveLength(2);
    release();
  },
);

interface Supervised {
  readonly supervisor: Supervisor;
  readonly workers: Worker[];
  readonly clock: Clock;
  pass(ms: number): void;
  /** Lets the supervisor check as often as a silent thread of this name needs to be replaced. */
  letChecksPass(name: SupervisedName): void;
}

/** A supervisor of threads that can hang, without an engine. */
function supervise(): Supervised {
  const shift = createClockShift();
  const clock = createClock(shift);
  const workers: Worker[] = [];
  const supervisor = createSupervisor({
    clock,
    logger: createLogger("silent"),
    spawn: (name, init) => {
      const worker = spawnHanging(name, init);
      workers.push(worker);
      return worker;
    },
  });
  const pass = (ms: number) => {
    passTime(shift, ms);
    clock.catchUp();
  };
  const letChecksPass = (name: SupervisedName) => {
    for (let check = 0; check < checksOf(name); check++) pass(silenceCheckEveryMs);
  };
  return { supervisor, workers, clock, pass, letChecksPass };
}

test("an exporter in a system call is followed by another one only after its end", async () => {
  const { seam } = await openObserved();
  const { supervisor, workers, clock, pass, letChecksPass } = supervise();
  const ledger = openLedgerFiles(folder, createOwnKey(folder));
  const init: ExporterInit = { file: { path: seam.path, runtime }, ledger, logLevel: "silent" };
  const exporter = createExporter(
    () => supervisor.start("exporter", init),
    () => true,
    async () => {},
  );
  expect(await exporter.removeExpired(clock.now())).toEqual([]);
  const { pipe, release } = createPipe(join(folder, "exporter"));
  await hang(workers[0], { hang: "read", pipe });
  const lost = exporter.removeExpired(clock.now()).catch(codeOf);
  letChecksPass("exporter");
  expect<unknown>(await lost).toBe(1503);
  pass(restartDelayMaxMs);
  await clock.sleep(1);
  expect(supervisor.restarting()).toEqual(["exporter"]);
  expect(workers).toHaveLength(1);
  release();
  while (supervisor.restarting().length > 0) await clock.sleep(1);
  expect(workers).toHaveLength(2);
  expect(await exporter.removeExpired(clock.now())).toEqual([]);
  await exporter.close();
});

test.each(["hangs", "is killed"])("a verification of which a thread %s ends with a message", async (how) => {
  const { seam } = await openObserved();
  await seam.project();
  const { supervisor, workers, letChecksPass } = supervise();
  const verifiers = await startVerifiers(seam.path, 2, supervisor);
  const range = { above: 0, through: verifiers.newest };
  // One that is killed hangs before: Bun aborts the process when a thread is terminated inside SQLite.
  const hung = workers[how === "hangs" ? 1 : 0];
  await hang(hung, { hang: "loop" });
  const verified = verifiers
    .verify([range, range, range], [], null, () => {})
    .catch((error: Error) => error.message);
  if (how === "hangs") letChecksPass("verifier");
  else await hung?.terminate();
  expect<unknown>(await verified).toBe(
    "A thread of the verification ended before it answered. Run the verification again.",
  );
  await verifiers.close();
});

test("a verification whose threads cannot start says why", async () => {
  const path = join(folder, "empty.db");
  writeFileSync(path, "");
  const { supervisor } = supervise();
  const started = startVerifiers(path, 2, supervisor).catch((error: Error) => error.message);
  expect<unknown>(await started).toContain("is neither a memledger database nor an export");
});

test("a file that cannot be checked again and again is logged as such once", async () => {
  const path = join(folder, "damaged.db");
  writeFileSync(path, Buffer.alloc(8_192, 0x55));
  const { supervisor, clock, pass } = supervise();
  const logged: string[] = [];
  const check = createDamageCheck({
    start: () => supervisor.start("inspector", { path, runtime }),
    path,
    isDamaged: false,
    clock,
    logger: createLogger("info", (line) => logged.push(line) > 0),
  });
  const count = (text: string) => logged.filter((line) => line.includes(text)).length;
  check.suspect();
  while (count("the database file is damaged") < 2) {
    await clock.sleep(1);
    if (count("the database file is damaged") > 0) pass(11 * threadPolicies.inspector.silenceMaxMs);
    expect(check.isSuspected()).toBe(true);
  }
  expect(count("the database file cannot be checked")).toBe(1);
  await check.close();
});

test.each(["hangs", "is killed"])(
  "an inspector that %s leaves the suspicion, and the next one dismisses it",
  async (how) => {
    const { seam } = await openObserved();
    const { supervisor, workers, clock, pass, letChecksPass } = supervise();
    const logged: string[] = [];
    const logger = createLogger("info", (line) => logged.push(line) > 0);
    const check = createDamageCheck({
      start: () => supervisor.start("inspector", { path: seam.path, runtime }),
      path: seam.path,
      isDamaged: false,
      clock,
      logger,
    });
    let ended = 0;
    const untilEnded = async (count: number) => {
      while (ended < count) await clock.sleep(1);
    };
    check.suspect();
    const [inspector] = workers;
    inspector?.once("exit", () => {
      ended += 1;
    });
    // Nobody hears its answer. It is killed in a loop: Bun aborts the process when a thread ends while it loads an addon, or inside SQLite.
    inspector?.removeAllListeners("message");
    await hang(inspector, { hang: "loop" });
    if (how === "is killed") await inspector?.terminate();
    else letChecksPass("inspector");
    await untilEnded(1);
    await clock.sleep(1);
    expect(logged.join("")).toContain("the database file cannot be checked");
    while (check.isSuspected()) {
      // Checks take a tenth of the time at most.
      pass(11 * threadPolicies.inspector.silenceMaxMs);
      await clock.sleep(1);
    }
    expect(workers.length).toBeGreaterThan(1);
    expect(logged.at(-1)).toContain("the database file is intact");
    await check.close();
  },
);
