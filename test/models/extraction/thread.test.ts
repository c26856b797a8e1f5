// The built-in extractor as the server has it: in a thread of its own that starts late, dies without harm, and stops for nobody.

import { expect, test } from "bun:test";
import type { Worker } from "node:worker_threads";
import { plain } from "../../../src/memory/extraction/extraction-source.ts";
import { unknownOrigin } from "../../../src/memory/origin.ts";
import {
  createExtractionThread,
  type ExtractionThread,
} from "../../../src/models/extraction/extraction-thread.ts";
import { Refusal } from "../../../src/platform/errors.ts";
import { extractionQueueLimits } from "../../../src/platform/limits.ts";
import { createLogger } from "../../../src/platform/log/logger.ts";
import { silenceCheckEveryMs, threadPolicies } from "../../../src/platform/threads/policies.ts";
import { createSupervisor } from "../../../src/platform/threads/supervisor.ts";
import { createClock } from "../../../src/platform/time/clock.ts";
import { createClockShift, passTime } from "../../../src/platform/time/clock-shift.ts";
import { closeAfterEach } from "../../cleanup.ts";
import { hang, spawnHanging } from "../../platform/threads/hanging-worker.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const closeLater = closeAfterEach<ExtractionThread>();

interface Opened {
  readonly thread: ExtractionThread;
  readonly extractor: ExtractionThread["extractor"];
  readonly workers: Worker[];
  readonly complaints: string[];
  /** Lets the supervisor check this often whether the thread is silent. */
  checkSilence(times: number): void;
}

function open(): Opened {
  const shift = createClockShift();
  const clock = createClock(shift);
  const workers: Worker[] = [];
  const complaints: string[] = [];
  const logger = createLogger("warn", (line) => complaints.push(line) > 0);
  const supervisor = createSupervisor({
    clock,
    logger,
    spawn: (name, init) => {
      const worker = spawnHanging(name, init);
      workers.push(worker);
      return worker;
    },
  });
  const thread = createExtractionThread(supervisor);
  closeLater(thread);
  const checkSilence = (times: number) => {
    for (let check = 0; check < times; check++) {
      passTime(shift, silenceCheckEveryMs);
      clock.catchUp();
    }
  };
  return { thread, extractor: thread.extractor, workers, complaints, checkSilence };
}

const codeOf = (error: unknown) => (error instanceof Refusal ? error.code : error);
const waiter = { project: "project 1", signal: new AbortController().signal };

test("starts its thread with the first text and answers what the text says", async () => {
  const { extractor, workers } = open();
  expect(workers).toHaveLength(0);
  const answer = await extractor.extract(plain("Caroline: I moved to Porto in September."), now, waiter);
  expect(answer).toEqual({
    items: [
      {
        content: "I moved to Porto in September.",
        type: "fact",
        importance: expect.any(Number),
        expiresAt: null,
        origin: { ...unknownOrigin, name: "Caroline" },
        lead: "Caroline: ",
        evidence: "I moved to Porto in September.",
      },
    ],
    model: null,
    usage: null,
  });
  await extractor.extract(plain("Never deploy on Fridays."), now, waiter);
  expect(workers).toHaveLength(1);
});

test("answers each of many calls with its own text", async () => {
  const { extractor } = open();
  const texts = Array.from({ length: 40 }, (_, n) => `The server listens on port ${7000 + n}.`);
  const answers = await Promise.all(texts.map((text) => extractor.extract(plain(text), now, waiter)));
  expect(answers.map(({ items }) => items.map(({ evidence }) => evidence))).toEqual(
    texts.map((text) => [text]),
  );
});

test("a caller who went away gets 1503, at once, and nobody else notices", async () => {
  const { extractor } = open();
  const gone = { project: "project 1", signal: AbortSignal.abort() };
  expect(await extractor.extract(plain("Never deploy on Fridays."), now, gone).catch(codeOf)).toBe(1503);
  const leaving = new AbortController();
  const left = extractor.extract(plain("Never deploy on Fridays."), now, {
    project: "project 1",
    signal: leaving.signal,
  });
  const stays = extractor.extract(plain("Never deploy on Mondays."), now, waiter);
  leaving.abort();
  expect(await left.catch(codeOf)).toBe(1503);
  expect((await stays).items).toHaveLength(1);
});

test("a thread that is killed answers 1503 and is there again for the next text", async () => {
  const { extractor, workers, complaints } = open();
  await extractor.extract(plain("Never deploy on Fridays."), now, waiter);
  const interrupted = extractor.extract(plain("Caroline: I moved to Porto.\n".repeat(1_000)), now, waiter);
  await Promise.resolve();
  await workers[0]?.terminate();
  expect(await interrupted.then(() => "answered", codeOf)).toBe(1503);
  const deadline = Date.now() + 10_000;
  let items: unknown = 1503;
  while (items === 1503 && Date.now() < deadline) {
    items = await extractor
      .extract(plain("Never deploy on Fridays."), now, waiter)
      .then((done) => done.items.length, codeOf);
    if (items === 1503) await Bun.sleep(20);
  }
  expect(items).toBe(1);
  expect(complaints.join("")).toContain("is restarted");
});

test("a thread that hangs answers 1503 and is there again for the next text", async () => {
  const { extractor, workers, complaints, checkSilence } = open();
  await extractor.extract(plain("Never deploy on Fridays."), now, waiter);
  await hang(workers[0], { hang: "loop" });
  const lost = extractor
    .extract(plain("Never deploy on Mondays."), now, waiter)
    .then(() => "answered", codeOf);
  // The text passes the queue first.
  await new Promise((resolve) => setImmediate(resolve));
  checkSilence(threadPolicies.extractor.silenceMaxMs / silenceCheckEveryMs + 1);
  expect<unknown>(await lost).toBe(1503);
  expect(complaints.join("")).toContain("no answer for 60 s");
  while (workers.length < 2) await Bun.sleep(1);
  await new Promise((resolve) => workers[1]?.once("message", resolve));
  expect((await extractor.extract(plain("Never deploy on Fridays."), now, waiter)).items).toHaveLength(1);
});

test("refuses more texts of a project than may wait, and works on the others", async () => {
  const { extractor } = open();
  const extract = (project: string) =>
    extractor
      .extract(plain("Never deploy on Fridays."), now, { ...waiter, project })
      .then(({ items }) => items.length, codeOf);
  // One is at work, the others wait.
  const accepted = 1 + extractionQueueLimits.perProject;
  const calls = Array.from({ length: accepted + 5 }, () => extract("project 1"));
  const other = extract("project 2");
  const outcomes = await Promise.all(calls);
  expect(outcomes.filter((outcome) => outcome === 1)).toHaveLength(accepted);
  expect(outcomes.filter((outcome) => outcome === 1429)).toHaveLength(5);
  expect(await other).toBe(1);
});

test("works on the text of another project after one of the project that sent many", async () => {
  const { extractor } = open();
  const order: string[] = [];
  const extract = (name: string, project: string) =>
    extractor
      .extract(plain("Never deploy on Fridays."), now, { ...waiter, project })
      .then(() => order.push(name));
  const flood = Array.from({ length: 20 }, (_, n) => extract(`flood ${n}`, "project 1"));
  await Promise.all([...flood, extract("other", "project 2")]);
  expect(order.indexOf("other")).toBe(2);
});

test("after the end, texts are refused with 1503", async () => {
  const { thread, extractor } = open();
  await extractor.extract(plain("Never deploy on Fridays."), now, waiter);
  await thread.close();
  expect(await extractor.extract(plain("Never deploy on Fridays."), now, waiter).catch(codeOf)).toBe(1503);
});
