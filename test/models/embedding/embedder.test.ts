// Tests the embedder through its public interface, with a tiny model whose vectors are known: order, limits, failures, recovery.

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import {
  type Embedder,
  type EmbedderOptions,
  startEmbedder,
} from "../../../src/models/embedding/embedder.ts";
import type { EmbedAnswer, EmbedRequest } from "../../../src/models/embedding/embedder-protocol.ts";
import { sentMaxTexts } from "../../../src/models/embedding/limits.ts";
import { readModelDirectory } from "../../../src/models/embedding/model-directory.ts";
import { Refusal } from "../../../src/platform/errors.ts";
import { createLogger } from "../../../src/platform/log/logger.ts";
import { prepareRuntime } from "../../../src/platform/native/runtime.ts";
import type { QueueLimits, Waiter } from "../../../src/platform/scheduling/fair-queue.ts";
import {
  restartDelayMaxMs,
  silenceCheckEveryMs,
  threadPolicies,
} from "../../../src/platform/threads/policies.ts";
import type { FromThread } from "../../../src/platform/threads/protocol.ts";
import { spawnWorker } from "../../../src/platform/threads/spawn.ts";
import {
  createSupervisor,
  type Supervisor,
  type SupervisorOptions,
} from "../../../src/platform/threads/supervisor.ts";
import { createClock } from "../../../src/platform/time/clock.ts";
import { createClockShift, passTime } from "../../../src/platform/time/clock-shift.ts";
import { closeAfterEach } from "../../cleanup.ts";
import { endThread } from "./end-thread.ts";
import { type TinyModel, tinyWords, writeTinyModel } from "./tiny-model.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-embedder-"));
const runtime = prepareRuntime(join(folder, "runtime"));
const closeLater = closeAfterEach<Embedder>();
afterAll(() => rmSync(folder, { recursive: true }));

const queueLimits: QueueLimits = { items: "texts", perProject: 1_024, total: 10_000, retryAfterSeconds: 1 };
const [one, two]: readonly [Waiter, Waiter] = [
  { project: "project 1", signal: new AbortController().signal },
  { project: "project 2", signal: new AbortController().signal },
];

let count = 0;
async function start(tiny: TinyModel = {}, options: Partial<EmbedderOptions> = {}): Promise<Embedder> {
  const model = readModelDirectory(writeTinyModel(join(folder, `model-${++count}`), tiny));
  const embedder = await startEmbedder({ runtime, model, ...options });
  closeLater(embedder);
  return embedder;
}

/** Share of each word in the vector. */
function words(vector: Float32Array): Record<string, number> {
  const shares = [...vector.entries()].filter(([, share]) => share !== 0);
  return Object.fromEntries(
    shares.map(([id, share]) => [tinyWords[id] ?? id, Math.round(share * 100) / 100]),
  );
}

/** Settled outcomes, refusals by their code. */
async function outcomes(calls: readonly Promise<unknown>[]): Promise<(string | number)[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((one) => {
    if (one.status === "fulfilled") return "ok";
    return one.reason instanceof Refusal ? one.reason.code : String(one.reason);
  });
}

type Spawn = NonNullable<SupervisorOptions["spawn"]>;

function supervise(spawn: Spawn): Supervisor {
  return createSupervisor({ logger: createLogger("silent"), spawn });
}

/** Starts real workers and remembers them, so that a test can kill one. */
const isFirstOfRun = (answer: unknown): boolean => (answer as EmbedAnswer).isFirstOfRun;

function observeWorkers(): { workers: Worker[]; supervisor: Supervisor } {
  const workers: Worker[] = [];
  const supervisor = supervise((name, init) => {
    const worker = spawnWorker(name, init);
    workers.push(worker);
    return worker;
  });
  return { workers, supervisor };
}

/** Waits until the embedder answers again, at most two seconds. */
async function recovered(embedder: Embedder): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const [outcome] = await outcomes([embedder.embed("red", "passage")]);
    if (outcome === "ok") return true;
    await Bun.sleep(20);
  }
  return false;
}

describe("vectors", () => {
  test("are the mean of the tokens, of length 1, and the caller's own", async () => {
    const embedder = await start();
    const vector = await embedder.embed("red red green", "query");
    expect(words(vector)).toEqual({ red: 0.89, green: 0.45 });
    vector.fill(0);
    expect(words(await embedder.embed("red red green", "query"))).toEqual({ red: 0.89, green: 0.45 });
  });

  test("of concurrent calls for one text are separate copies", async () => {
    const embedder = await start();
    const [one, two] = await Promise.all([embedder.embed("red", "query"), embedder.embed("red", "query")]);
    expect(one?.buffer).not.toBe(two?.buffer);
  });

  test("pool by class token or maximum where the model says so", async () => {
    const cls = await start({ files: { "1_Pooling/config.json": { pooling_mode_cls_token: true } } });
    // The row of [CLS] is zero, which has no direction: the diagonal stands for it.
    expect(await cls.embed("red green", "query")).toEqual(new Float32Array(256).fill(1 / 16));
    const max = await start({ files: { "1_Pooling/config.json": { pooling_mode_max_tokens: true } } });
    expect(words(await max.embed("red red red green", "query"))).toEqual({ red: 0.71, green: 0.71 });
  });

  test("never are zero: a text without tokens has a unit vector too", async () => {
    const embedder = await start();
    for (const text of ["", " ", "zero"]) {
      expect((await embedder.embed(text, "passage")).reduce((sum, x) => sum + x * x, 0)).toBeCloseTo(1, 5);
    }
  });

  test("that are not numbers fail their own text only", async () => {
    const embedder = await start();
    const calls = ["red", "broken", "green"].map((text) => embedder.embed(text, "passage"));
    expect(await outcomes(calls)).toEqual([
      "ok",
      "Error: The embedding model returned a vector that is not finite for this text. Change the text or use another model.",
      "ok",
    ]);
  });

  test("carry the prefix of their role", async () => {
    const files = { "config_sentence_transformers.json": { prompts: { query: "query: " } } };
    const embedder = await start({ files });
    expect(words(await embedder.embed("red", "query"))).toEqual({ "query:": 0.71, red: 0.71 });
    expect(words(await embedder.embed("red", "passage"))).toEqual({ red: 1 });
  });

  test("see the first tokens up to the limit, special tokens kept", async () => {
    const embedder = await start();
    expect(embedder.model.maxTokens).toBe(16);
    const within = `${"red ".repeat(13)}green`;
    expect(words(await embedder.embed(within, "passage"))).toEqual({ red: 1, green: 0.08 });
    expect(words(await embedder.embed(`${within} ${"blue ".repeat(2000)}`, "passage"))).toEqual({
      red: 1,
      green: 0.08,
    });
  });

  test("feed the graph every input a BERT export may ask for", async () => {
    const inputs = ["input_ids", "attention_mask", "token_type_ids", "position_ids"];
    expect(words(await (await start({ inputs })).embed("blue", "query"))).toEqual({ blue: 1 });
  });
});

describe("a graph that is no sentence-embedding model is refused at the start", () => {
  test.each<[string, TinyModel, RegExp]>([
    ["no graph at all", { files: { "onnx/model.onnx": "not a graph" } }, /./],
    ["strange input", { inputs: ["input_ids", "pixel_values"] }, /unknown input "pixel_values"\. Choose/],
    ["strange output", { output: "logits" }, /outputs of the model are logits, but last_hidden_state/],
    [
      "other dimensions than it says",
      { files: { "config.json": { hidden_size: 384 } } },
      /256 dimensions, but its config\.json says 384\. Export/,
    ],
    ["broken tokenizer", { files: { "tokenizer.json": "{" } }, /tokenizer\.json is not valid JSON\. Copy/],
  ])("%s", async (_, tiny, message) => {
    await expect(start(tiny)).rejects.toThrow(message);
  });
});

describe("the queue", () => {
  test("lets queries pass waiting passages", async () => {
    const embedder = await start();
    const order: string[] = [];
    const call = (text: string, role: "query" | "passage") =>
      embedder.embed(text, role).then(() => order.push(text));
    const passages = Array.from({ length: 100 }, (_, i) => call(`passage ${i}`, "passage"));
    await Promise.all([...passages, call("red", "query")]);
    expect(order.indexOf("red")).toBeLessThanOrEqual(16);
  });

  test("lets passages through under a flood of queries", async () => {
    const embedder = await start({}, { queueLimits: { ...queueLimits, perProject: 10_000 } });
    const order: string[] = [];
    const call = (text: string, role: "query" | "passage") =>
      embedder.embed(text, role).then(() => order.push(text));
    const queries = Array.from({ length: 1_000 }, (_, i) => call(`query ${i}`, "query"));
    await Promise.all([...queries, call("red", "passage")]);
    expect(order.indexOf("red")).toBeLessThan(500);
  });

  test("refuses with 1429 beyond the limit of a project, and works on, also for others", async () => {
    const embedder = await start({}, { queueLimits: { ...queueLimits, perProject: 4 } });
    // Sixteen are on their way to the worker, four wait.
    const texts = Array.from({ length: 21 }, (_, at) => (at === 20 ? "g" : `text ${at}`));
    const calls = texts.map((text) => embedder.embed(text, "passage", one));
    const other = embedder.embed("g", "passage", two);
    expect(await outcomes(calls)).toEqual([...Array(20).fill("ok"), 1429]);
    expect(await outcomes([other, embedder.embed("g", "passage", one)])).toEqual(["ok", "ok"]);
  });

  test("when full, refuses texts of the project that has the most in it", async () => {
    const embedder = await start({}, { queueLimits: { ...queueLimits, total: 4 } });
    // Sixteen are on their way to the worker.
    const flood = Array.from({ length: 21 }, (_, at) => embedder.embed(`text ${at}`, "passage", one));
    const others = ["h", "i"].map((text) => embedder.embed(text, "passage", two));
    expect(await outcomes(flood)).toEqual([...Array(18).fill("ok"), 1503, 1503, 1503]);
    expect(await outcomes(others)).toEqual(["ok", "ok"]);
  });

  test.each(["query", "passage"] as const)(
    "serves a %s of one project under the flood of another",
    async (role) => {
      for (const flooding of ["query", "passage"] as const) {
        const embedder = await start();
        const order: string[] = [];
        const call = (text: string, kind: "query" | "passage", waiter: Waiter) =>
          embedder.embed(text, kind, waiter).then(() => order.push(text));
        const flood = Array.from({ length: 500 }, (_, i) => call(`text ${i}`, flooding, one));
        await Promise.all([...flood, call("red", role, two)]);
        // Sixteen are on their way, one run of the flood goes first when the roles differ, and its own run ends with others.
        expect(order.indexOf("red")).toBeLessThan(4 * 8);
      }
    },
  );

  test("does not make a text wait where the equal text of another project stands", async () => {
    const embedder = await start();
    const order: string[] = [];
    const call = (text: string, waiter: Waiter) =>
      embedder.embed(text, "passage", waiter).then(() => order.push(`${text} of ${waiter.project}`));
    const flood = Array.from({ length: 500 }, (_, i) => call(`text ${i}`, one));
    await Promise.all([...flood, call("red", one), call("red", two)]);
    expect(order.indexOf("red of project 2")).toBeLessThan(4 * 8);
    // It is among the last texts that were sent, of which those of similar length are computed together.
    expect(order.indexOf("red of project 1")).toBeGreaterThan(501 - sentMaxTexts);
    expect(order).toHaveLength(502);
  });

  test("says when a text no longer waits for a thread", async () => {
    const embedder = await start();
    const sent: string[] = [];
    const call = (text: string) =>
      embedder.embed(text, "passage", { ...one, sent: () => void sent.push(text) });
    const texts = Array.from({ length: sentMaxTexts + 2 }, (_, i) => `text ${i}`);
    const calls = texts.map(call);
    expect(sent).toEqual(texts.slice(0, sentMaxTexts));
    const [again] = texts;
    calls.push(call(`${again}`));
    expect(sent.at(-1)).toBe(again);
    await Promise.all(calls);
    expect(sent.slice(-2)).toEqual(texts.slice(-2));
  });

  test("drops a text when all who wanted it are gone, and no sooner", async () => {
    const computed: string[] = [];
    const supervisor = supervise((name, init) => {
      const worker = spawnWorker(name, init);
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (message: { readonly request?: EmbedRequest }) => {
        if (message.request !== undefined) computed.push(message.request.text);
        post(message);
      };
      return worker;
    });
    const embedder = await start({}, { supervisor });
    const [leaver, follower, stayer] = [1, 2, 3].map(() => new AbortController());
    const call = (text: string, controller: AbortController | undefined) =>
      embedder.embed(text, "passage", { ...one, signal: controller?.signal ?? one.signal });
    const busy = Array.from({ length: 50 }, (_, i) => call(`busy ${i}`, undefined));
    const dropped = [call("dropped", leaver), call("dropped", follower)];
    const kept = [call("kept", leaver), call("kept", stayer)];
    leaver?.abort();
    follower?.abort();
    expect(await outcomes([...dropped, ...kept])).toEqual([1503, 1503, 1503, "ok"]);
    await Promise.all(busy);
    expect(computed.filter((text) => text === "dropped" || text === "kept")).toEqual(["kept"]);
    expect(await outcomes([call("dropped", stayer), call("late", leaver)])).toEqual(["ok", 1503]);
  });

  test("is spared by the cache of queries, which passages do not use", async () => {
    let computed = 0;
    const supervisor = supervise((name, init) => {
      const worker = spawnWorker(name, init);
      worker.on("message", (message: FromThread) => {
        if ("replies" in message) computed += message.replies.length;
      });
      return worker;
    });
    const embedder = await start({}, { supervisor, queryCacheEntries: 2 });
    for (const text of ["red", "red", "green", "red"]) await embedder.embed(text, "query");
    expect(computed).toBe(2);
    for (const text of ["blue", "green"]) await embedder.embed(text, "query");
    expect(computed).toBe(4);
    for (const text of ["blue", "blue"]) await embedder.embed(text, "passage");
    expect(computed).toBe(6);
  });

  test("receives the texts of a run in one message", async () => {
    const messages: (readonly boolean[])[] = [];
    const supervisor = supervise((name, init) => {
      const worker = spawnWorker(name, Object.assign({}, init, { batching: true }));
      worker.on("message", (message: FromThread) => {
        if (!("replies" in message)) return;
        messages.push(message.replies.map((reply) => "answer" in reply && isFirstOfRun(reply.answer)));
      });
      return worker;
    });
    const embedder = await start({}, { supervisor });
    await Promise.all(Array.from({ length: 50 }, (_, i) => embedder.embed(`text ${10 + i}`, "passage")));
    expect(messages.flat()).toHaveLength(50);
    expect(messages.every(([first]) => first)).toBe(true);
    expect(messages.flat()).toContain(false);
  });

  test("takes equal texts once", async () => {
    const embedder = await start({}, { queueLimits: { ...queueLimits, perProject: 1 } });
    const calls = Array.from({ length: 50 }, () => embedder.embed("red", "passage"));
    expect(await outcomes(calls)).toEqual(Array(50).fill("ok"));
  });
});

describe("a worker that dies", () => {
  test("when killed: those who wait get 1503, and it comes back", async () => {
    const { workers, supervisor } = observeWorkers();
    const embedder = await start({}, { supervisor });
    const waiting = outcomes(Array.from({ length: 200 }, (_, i) => embedder.embed(`text ${i}`, "passage")));
    expect(supervisor.restarting()).toEqual([]);
    await endThread(workers[0]);
    expect(await waiting).toContain(1503);
    expect(supervisor.restarting()).toEqual(["embedder"]);
    expect(await outcomes([embedder.embed("red", "query")])).toEqual([1503]);
    expect(await recovered(embedder)).toBe(true);
    expect(supervisor.restarting()).toEqual([]);
    expect(workers).toHaveLength(2);
  });

  test.each(["throw", "exit", "silence"])("by %s: the same, and the next one serves", async (how) => {
    let starts = 0;
    const scripted = () => new Worker(new URL("scripted-worker.ts", import.meta.url), { workerData: how });
    const shift = createClockShift();
    const clock = createClock(shift);
    const supervisor = createSupervisor({
      logger: createLogger("silent"),
      clock,
      spawn: (name, init) => (++starts <= 2 ? scripted() : spawnWorker(name, init)),
    });
    const embedder = await start({}, { supervisor });
    const loseWorker = async () => {
      const calls = outcomes(Array.from({ length: 40 }, (_, i) => embedder.embed(`text ${i}`, "passage")));
      for (
        let checks = 0;
        how === "silence" && checks <= threadPolicies.embedder.silenceMaxMs / silenceCheckEveryMs;
        checks++
      ) {
        expect(supervisor.restarting()).toEqual([]);
        passTime(shift, silenceCheckEveryMs);
        clock.catchUp();
      }
      expect(await calls).toEqual(Array(40).fill(1503));
      expect(supervisor.restarting()).toEqual(["embedder"]);
    };
    await loseWorker();
    passTime(shift, restartDelayMaxMs);
    while (supervisor.restarting().length > 0) await clock.sleep(1);
    await loseWorker();
    expect(await recovered(embedder)).toBe(true);
    expect(starts).toBe(3);
  });

  test("is not replaced by one with another model", async () => {
    const { workers, supervisor } = observeWorkers();
    const embedder = await start({}, { supervisor });
    writeTinyModel(join(folder, `model-${count}`), { dimensions: 512 });
    await endThread(workers[0]);
    const clock = createClock();
    while (workers.length < 2) await clock.sleep(1);
    await new Promise((resolve) => workers[1]?.once("exit", resolve));
    expect(supervisor.restarting()).toEqual(["embedder"]);
    expect(await outcomes([embedder.embed("red", "query")])).toEqual([1503]);
  });
});

test("close answers those who wait, and those who come later, with 1503", async () => {
  const embedder = await start();
  const waiting = outcomes(Array.from({ length: 100 }, (_, i) => embedder.embed(`text ${i}`, "passage")));
  await embedder.close();
  expect(await outcomes([embedder.embed("red", "query")])).toEqual([1503]);
  const answers = await waiting;
  expect(answers).toContain(1503);
  expect(answers.filter((answer) => answer !== "ok" && answer !== 1503)).toEqual([]);
});
