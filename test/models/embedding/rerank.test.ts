// Tests the reranker in the thread of the embedder, with the real model: its scores, which no batch changes, its memory, its deadline, its
// queue and its priority.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "../../../bench/texts.ts";
import { maxSim } from "../../../src/memory/ranking/max-sim.ts";
import { type Embedder, startEmbedder } from "../../../src/models/embedding/embedder.ts";
import { headOf, readHeadConfig } from "../../../src/models/embedding/head.ts";
import { createInference } from "../../../src/models/embedding/inference.ts";
import { readModelConfig } from "../../../src/models/embedding/model.ts";
import {
  builtInHeads,
  defaultModel,
  readGraph,
  readHeadDirectory,
} from "../../../src/models/embedding/model-directory.ts";
import { createRerankJobs } from "../../../src/models/embedding/rerank-jobs.ts";
import { createRerankQueue } from "../../../src/models/embedding/rerank-queue.ts";
import { createRunQueue } from "../../../src/models/embedding/run-queue.ts";
import { createTokenVectorModel } from "../../../src/models/embedding/token-vectors.ts";
import { createTokenizer } from "../../../src/models/embedding/tokenizer.ts";
import { unavailable } from "../../../src/platform/errors.ts";
import { rerankQueueLimits } from "../../../src/platform/limits.ts";
import { createLogger } from "../../../src/platform/log/logger.ts";
import { loadOnnx } from "../../../src/platform/native/onnx.ts";
import { prepareRuntime } from "../../../src/platform/native/runtime.ts";
import { createClock } from "../../../src/platform/time/clock.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-rerank-"));
const runtime = prepareRuntime(folder);
const model = defaultModel();
const config = readModelConfig(model);
const tokenize = createTokenizer(model, config);
const onnx = loadOnnx(runtime);
const inference = createInference(onnx, readGraph(model), config, 1);
const head = headOf(model) ?? model;
const vectors = createTokenVectorModel(
  onnx,
  head,
  inference,
  (text, most) => tokenize(text, "passage", most),
  true,
);
const waiter = { project: "p", signal: new AbortController().signal };

const words =
  "ship rule export Melanie photo last May never 4711 ocean grün 猫 🎉 database paints lake on Friday ?".split(
    " ",
  );
const random = createRandom(5);
const sentences = Array.from({ length: 120 }, () =>
  Array.from(
    { length: 1 + Math.floor(random() ** 2 * 160) },
    () => words[Math.floor(random() * words.length)],
  ).join(" "),
);

let embedder: Embedder;
beforeAll(async () => {
  embedder = await startEmbedder({ runtime, model });
});
afterAll(async () => {
  await embedder.close();
  inference.release();
  vectors.release();
  rmSync(folder, { recursive: true });
});

/** As the card of the head says it: each text alone. */
function naive(query: string, text: string): number {
  const read = (content: string) => vectors.compute([tokenize(content, "passage", vectors.maxTokens)])[0];
  const [asked, told] = [read(query), read(text)];
  const rows = asked?.ids.flatMap((id, at) => (vectors.ignoredQueryTokens.has(id) ? [] : [at])) ?? [];
  const all = asked?.vectors ?? new Int8Array();
  const counted = rows.flatMap((row) => [
    ...all.subarray(row * vectors.dimensions, (row + 1) * vectors.dimensions),
  ]);
  const left = rows.length === 0 ? all : Int8Array.from(counted);
  return maxSim(left, told?.vectors ?? new Int8Array(), vectors.dimensions, vectors.levels);
}

describe("the built-in head", () => {
  test("belongs to the built-in model, and to no other", () => {
    expect(head.id).toBe("memledger-rerank-v2");
    expect(headOf({ ...model, graphSha256: "0".repeat(64) })).toBeNull();
    expect(builtInHeads().map((each) => readHeadConfig(each).dimensions)).toEqual([128, 64]);
  });

  test("can be one of several, each for one embedding model or a list of them", () => {
    const write = (name: string, embedders: unknown) => {
      const directory = join(folder, name);
      mkdirSync(join(directory, "onnx"), { recursive: true });
      const config = { dimensions: 8, levels: 127, max_tokens: 16, embedder_sha256: embedders };
      writeFileSync(join(directory, "config.json"), JSON.stringify(config));
      writeFileSync(join(directory, "onnx/model.onnx"), name);
      return readHeadDirectory(directory);
    };
    const heads = [write("head-a", "aa"), write("head-b", ["bb", "cc"])];
    const found = ["aa", "bb", "cc", "dd"].map((graphSha256) => headOf({ ...model, graphSha256 }, heads)?.id);
    expect(found).toEqual(["head-a", "head-b", "head-b", undefined]);
  });

  test("gives a text the same bytes alone and in any batch", () => {
    expect(vectors.batching).toBe(true);
    const texts = sentences.map((text) => tokenize(text, "passage", vectors.maxTokens));
    const alone = texts.map((ids) => vectors.compute([ids])[0]?.vectors);
    for (let round = 0; round < 60; round++) {
      const chosen = Array.from({ length: 2 + Math.floor(random() * 7) }, () =>
        Math.floor(random() * texts.length),
      );
      const together = vectors.compute(chosen.map((at) => texts[at] ?? []));
      for (const [row, at] of chosen.entries())
        expect(together[row]?.vectors).toEqual(alone[at] as Int8Array<ArrayBuffer>);
    }
  });

  test("reads at most 128 tokens, without the special ones", () => {
    const [found] = vectors.compute([tokenize("word ".repeat(500), "passage", vectors.maxTokens)]);
    expect(found?.ids.length).toBe(126);
    expect(found?.vectors.length).toBe(126 * vectors.dimensions);
    expect(vectors.compute([tokenize("", "passage", 128)])[0]?.vectors.length).toBe(0);
  });
});

describe("the reranker", () => {
  test("scores texts as if each were alone, first and again, whatever is beside them", async () => {
    const query = "When did Melanie paint the lake?";
    const expected = new Map(sentences.map((text) => [text, naive(query, text)]));
    for (const count of [1, 7, 32, 32]) {
      const texts = Array.from(
        { length: count },
        () => sentences[Math.floor(random() * sentences.length)] ?? "",
      );
      const found = await embedder.scoreTexts(query, texts, waiter, null);
      expect([...(found ?? [])]).toEqual(texts.map((text) => expected.get(text) ?? Number.NaN));
    }
    const { outcomes, texts } = embedder.counts().reranks;
    expect(outcomes).toEqual({ reranked: 4, deadline: 0, refused: 0, failed: 0 });
    expect(texts.computed + texts.cached).toBe(1 + 7 + 32 + 32 + 4);
    expect(texts.cached).toBeGreaterThan(3);
  });

  test("finds what it is asked for: a text about it has a higher score", async () => {
    const texts = ["The lake was painted by Melanie.", "The export of invoices failed."];
    const [about = 0, other = 0] =
      (await embedder.scoreTexts("Who painted the lake?", texts, waiter, null)) ?? [];
    expect(about).toBeGreaterThan(other);
  });

  test("keeps the vectors of one project from another", async () => {
    const texts = ["A text that only this test uses."];
    const computed = () => embedder.counts().reranks.texts.computed;
    await embedder.scoreTexts("q", texts, { ...waiter, project: "a" }, null);
    const before = computed();
    await embedder.scoreTexts("q", texts, { ...waiter, project: "a" }, null);
    expect(computed()).toBe(before);
    await embedder.scoreTexts("q", texts, { ...waiter, project: "b" }, null);
    expect(computed()).toBe(before + 2);
  });

  test("after the deadline there is no score, and what was sent is ready for the next search", async () => {
    const late = { ...waiter, project: "late" };
    const texts = sentences.slice(0, 32);
    expect(await embedder.scoreTexts("Which one?", texts, late, 0)).toBeNull();
    expect(embedder.counts().reranks.outcomes.deadline).toBe(1);
    // Waits for the first one.
    await embedder.scoreTexts("Which one?", texts, late, null);
    expect(await embedder.scoreTexts("Which one?", texts, late, 60_000)).toHaveLength(32);
  });

  test("a call that was cancelled is refused", async () => {
    const aborting = new AbortController();
    const found = embedder.scoreTexts(
      "x",
      sentences.slice(0, 32),
      { project: "c", signal: aborting.signal },
      null,
    );
    aborting.abort();
    await expect(found).rejects.toMatchObject({ code: 1503 });
  });

  test("without a head there are no scores", async () => {
    const other = await startEmbedder({ runtime, model, head: null });
    expect(other.reranker).toBeNull();
    expect(await other.scoreTexts("x", ["y"], waiter, null)).toBeNull();
    await other.close();
  });
});

test("a search that finds the queue full, or a thread that fails, has no scores", async () => {
  const sent: PromiseWithResolvers<{ maxSims: Float64Array<ArrayBuffer>; computed: number }>[] = [];
  const warnings: string[] = [];
  const queue = createRerankQueue({
    clock: createClock(),
    logger: { ...createLogger("silent"), warn: (message) => warnings.push(message) },
    send: () => {
      const answer = Promise.withResolvers<{ maxSims: Float64Array<ArrayBuffer>; computed: number }>();
      sent.push(answer);
      return answer.promise;
    },
  });
  const most = rerankQueueLimits.perProject + 2;
  const waiting = Array.from({ length: most }, () => queue.scoreTexts("q", ["t"], waiter, null));
  expect(await queue.scoreTexts("q", ["t"], waiter, null)).toBeNull();
  expect(queue.counts().outcomes.refused).toBe(1);
  expect(queue.counts().queue.waiting).toBe(rerankQueueLimits.perProject);
  // Another project still has room.
  const other = queue.scoreTexts("q", ["t"], { ...waiter, project: "other" }, null);
  sent[0]?.reject(new Error("no memory"));
  sent[1]?.reject(unavailable("restarting"));
  for (let at = 2; at < most + 1; at++) {
    await Bun.sleep(0);
    sent[at]?.resolve({ maxSims: Float64Array.of(at), computed: 2 });
  }
  expect((await Promise.all(waiting)).map((found) => found !== null)).toEqual(waiting.map((_, at) => at > 1));
  expect(await other).not.toBeNull();
  expect(warnings).toEqual(["a search was not reranked"]);
  expect(queue.counts().outcomes).toEqual({ reranked: most - 1, deadline: 0, refused: 1, failed: 2 });
});

test("a search that is too late leaves the queue, so that the thread does nothing for it", async () => {
  let sends = 0;
  const first = Promise.withResolvers<{ maxSims: Float64Array<ArrayBuffer>; computed: number }>();
  const queue = createRerankQueue({
    clock: createClock(),
    logger: createLogger("silent"),
    send: () => {
      sends += 1;
      return first.promise;
    },
  });
  const running = [1, 2].map(() => queue.scoreTexts("q", ["t"], waiter, null));
  expect(await queue.scoreTexts("q", ["t"], waiter, 1)).toBeNull();
  expect(queue.counts().queue.waiting).toBe(0);
  first.resolve({ maxSims: Float64Array.of(1), computed: 0 });
  await Promise.all(running);
  expect(sends).toBe(2);
});

test("a search with a deadline does not wait behind others that take longer", async () => {
  const clock = createClock();
  let sends = 0;
  const queue = createRerankQueue({
    clock,
    logger: createLogger("silent"),
    send: async () => {
      sends += 1;
      await clock.sleep(200);
      return { maxSims: Float64Array.of(1), computed: 0 };
    },
  });
  await queue.scoreTexts("q", ["t"], waiter, null);
  const others = Array.from({ length: 8 }, () => queue.scoreTexts("q", ["t"], waiter, null));
  // Eight times a tenth of 200 ms, which one answer has changed the expectation to.
  expect(await queue.scoreTexts("q", ["t"], waiter, 100)).toBeNull();
  expect(queue.counts().outcomes).toMatchObject({ refused: 1, deadline: 0 });
  await Promise.all(others);
  expect(sends).toBe(9);
  // Nothing is ahead of it, so it is tried, however long it takes.
  expect(await queue.scoreTexts("q", ["t"], waiter, 60_000)).not.toBeNull();
});

test("texts of other calls wait for one step at most, and a rerank ends although they never stop", async () => {
  const order: string[] = [];
  const spied = {
    ...vectors,
    batching: true,
    compute: (texts: readonly (readonly number[])[]) => {
      order.push("rerank");
      return vectors.compute(texts);
    },
  };
  const runs = {
    run: (texts: readonly (readonly number[])[], into: Float32Array) => {
      order.push("text");
      into.fill(texts.length);
    },
  };
  const queue = createRunQueue(
    tokenize,
    runs,
    2,
    false,
    createRerankJobs(() => spied, tokenize),
  );
  let isDone = false;
  const reranked = queue.rerank({ project: "p", query: "Who?", texts: sentences.slice(0, 32) }).then(() => {
    isDone = true;
  });
  while (!isDone)
    await Promise.all([
      queue.embed({ text: "a", role: "query" }),
      queue.embed({ text: "b", role: "passage" }),
    ]);
  await reranked;
  const between = order.join(" ").split("rerank");
  expect(between.length).toBeGreaterThan(4);
  // The first runs are before it waits.
  expect(between.slice(1, -1).filter((texts) => texts.trim() === "")).toEqual([]);
  queue.close();
});

test("what is kept in memory is limited", async () => {
  const jobs = createRerankJobs(() => vectors, tokenize, 20_000);
  const computedOf = async (texts: readonly string[]) => {
    const answer = jobs.add({ project: "p", query: "Who?", texts });
    while (jobs.isWaiting) jobs.step();
    return (await answer).computed;
  };
  const short = ["One short text.", "Another one."];
  expect(await computedOf(short)).toBe(3);
  expect(await computedOf(short)).toBe(0);
  expect(await computedOf(sentences.slice(0, 40))).toBeGreaterThan(30);
  expect(await computedOf(short)).toBeGreaterThan(0);
});
