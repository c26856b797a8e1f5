// Tests the promises about vectors on the real model: meaning, the same text in any batch, unusual texts.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embedAlone, mayBatch, sameVectorCosine } from "../../../src/models/embedding/batching.ts";
import { type Embedder, startEmbedder } from "../../../src/models/embedding/embedder.ts";
import { createInference } from "../../../src/models/embedding/inference.ts";
import { readModelConfig } from "../../../src/models/embedding/model.ts";
import { readGraph } from "../../../src/models/embedding/model-directory.ts";
import { createRunQueue } from "../../../src/models/embedding/run-queue.ts";
import { createTokenizer } from "../../../src/models/embedding/tokenizer.ts";
import { loadOnnx } from "../../../src/platform/native/onnx.ts";
import { prepareRuntime } from "../../../src/platform/native/runtime.ts";
import { realModel } from "./real-model.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-vectors-"));
const runtime = prepareRuntime(folder);
const model = realModel();
let embedder: Embedder;
beforeAll(async () => {
  embedder = await startEmbedder({ runtime, model });
});
afterAll(async () => {
  await embedder.close();
  rmSync(folder, { recursive: true });
});

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

const facts = [
  "The team deploys to production every Thursday at 14:00.",
  "Maria is allergic to peanuts.",
  "Invoices are sent on the first working day of the month.",
  "The database password is rotated every ninety days.",
  "Our office in Lyon closes at six in the evening.",
];

test.each([
  ["When do we release to production?", 0],
  ["Which foods must Maria avoid?", 1],
  ["On which day do customers get their bill?", 2],
  ["How often do we change the password of the database?", 3],
])("%s finds its fact", async (question, expected) => {
  const query = await embedder.embed(question, "query");
  const vectors = await Promise.all(facts.map((fact) => embedder.embed(fact, "passage")));
  const scores = vectors.map((vector) => cosine(query, vector));
  expect(scores.indexOf(Math.max(...scores))).toBe(expected);
});

test("a text has the same vector alone, among others, and again", async () => {
  const texts = [...facts, "ok", "x ".repeat(3_000), "a note ".repeat(40), "ünïcödé ✅", ""];
  const alone: Float32Array[] = [];
  for (const text of texts) alone.push(await embedder.embed(text, "passage"));
  const noise = Array.from({ length: 60 }, (_, i) => embedder.embed(`${"noise ".repeat(i)}${i}`, "passage"));
  const among = await Promise.all(texts.toReversed().map((text) => embedder.embed(text, "passage")));
  await Promise.all(noise);
  for (const [i, vector] of among.toReversed().entries()) {
    expect(cosine(vector, alone[i] ?? vector)).toBeGreaterThanOrEqual(sameVectorCosine);
  }
});

test("batching is chosen only where it keeps the vectors", async () => {
  const config = readModelConfig(model);
  const inference = createInference(loadOnnx(runtime), readGraph(model), config, 1);
  const tokenize = createTokenizer(model, config);
  const texts = [...facts, "ok", "a longer note ".repeat(20)];
  const queue = createRunQueue(tokenize, inference, config.dimensions, true);
  const batched = await Promise.all(texts.map((text) => queue.embed({ text, role: "passage" })));
  expect(batched.filter(({ isFirstOfRun }) => isFirstOfRun).length).toBeLessThan(texts.length);
  const kept = batched.every(({ vector }, row) => {
    const alone = embedAlone(inference, [tokenize(texts[row] ?? "", "passage")], config.dimensions);
    return cosine(alone, vector) >= sameVectorCosine;
  });
  if (mayBatch(tokenize, inference, config.dimensions)) expect(kept).toBe(true);
  inference.release();
});

describe("a text nobody should write gets a unit vector, soon", () => {
  test.each<[string, string]>([
    ["nothing", ""],
    ["spaces", " ".repeat(10_000)],
    ["no spaces", "a".repeat(10_000)],
    ["emoji of many code points", "👨‍👩‍👧‍👦".repeat(1_400)],
    ["control characters", "\u0001\u0007\u001b".repeat(3_333)],
    ["right to left", "שלום עולם ".repeat(1_000)],
    ["lone combining marks", "\u0301\u0327".repeat(5_000)],
    ["stacked combining marks", `e${"\u0301".repeat(50)}`.repeat(196)],
    ["joiners", "\u200d".repeat(10_000)],
    ["Chinese", "記憶".repeat(5_000)],
    ["Korean", "한국어".repeat(3_333)],
    ["punctuation", "!?.".repeat(3_333)],
    ["hyphens", "a-".repeat(5_000)],
    ["special tokens", "[SEP]".repeat(2_000)],
    ["a URL", `https://example.com/${"a1B2%20".repeat(1_400)}`],
    ["lone surrogates", "\ud800".repeat(10_000)],
  ])("%s", async (_, text) => {
    const start = performance.now();
    const vector = await embedder.embed(text, "passage");
    // Quadratic work would take minutes.
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(cosine(vector, vector)).toBeCloseTo(1, 5);
  });
});

describe("two words of a language without spaces have different vectors", () => {
  test.each<[string, string]>([
    ["首先", "将于"],
    ["是的", "该公司表示"],
    ["两只狗在草地上玩耍", "科技股指数"],
    ["少なくとも", "簡単に言うと"],
    ["匹の犬", "万ドルから"],
    ["掲示", "貿易"],
  ])("%s and %s", async (one, other) => {
    const [a, b] = [await embedder.embed(one, "query"), await embedder.embed(other, "query")];
    expect(cosine(a, b)).toBeLessThan(0.95);
  });

  test("digits of full width are the digits that they stand for", async () => {
    const [a, b] = [await embedder.embed("３０％", "query"), await embedder.embed("30%", "query")];
    expect(cosine(a, b)).toBeGreaterThan(0.99);
  });
});
