// Tests the decision to batch, which texts share a run, and that every text gets its own vector.

import { describe, expect, test } from "bun:test";
import { createRandom } from "../../../bench/texts.ts";
import { chooseRun, embedAlone, mayBatch, type Runs } from "../../../src/models/embedding/batching.ts";
import { runCostTokens, runMaxTexts, runMaxTokens } from "../../../src/models/embedding/limits.ts";
import { createRunQueue } from "../../../src/models/embedding/run-queue.ts";

const dimensions = 256;

/** A model whose vector points to the text's length, shifted by `drift` in a batch. */
function fakeInference(drift: number): Runs {
  return {
    run(texts, into) {
      for (const [row, ids] of texts.entries()) {
        const angle = ids.length / 100 + (texts.length > 1 ? drift : 0);
        into.set([Math.cos(angle), Math.sin(angle)], row * dimensions);
      }
    },
  };
}

const tokenize = (text: string) => Array.from(text, () => 1);

test.each([
  ["keeps vectors", 0, true],
  ["keeps vectors within 0.9999", 0.01, true],
  ["changes vectors", 0.02, false],
])("a model that %s", (_, drift, expected) => {
  expect(mayBatch(tokenize, fakeInference(drift), dimensions)).toBe(expected);
});

test("a run queue gives every text its own vector, and mixes similar lengths only", async () => {
  const widths: number[][] = [];
  const inner = fakeInference(0);
  const inference: Runs = {
    run(texts, into) {
      widths.push(texts.map((ids) => ids.length));
      inner.run(texts, into);
    },
  };
  const texts = [90, 3, 40, 3, 88, 7, 500, 41, ...Array(20).fill(5)].map((length) => "a".repeat(length));
  const queue = createRunQueue(tokenize, inference, dimensions, true);
  const answers = await Promise.all(texts.map((text) => queue.embed({ text, role: "passage" })));
  const alone = embedAlone(inner, texts.map(tokenize), dimensions);
  expect(answers.flatMap(({ vector }) => [...vector])).toEqual([...alone]);
  expect(answers.filter(({ isFirstOfRun }) => isFirstOfRun)).toHaveLength(widths.length);
  expect(widths.flat()).toHaveLength(texts.length);
  expect(widths.length).toBeLessThan(texts.length / 2);
  for (const lengths of widths) {
    expect(lengths.length).toBeLessThanOrEqual(8);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(Math.min(...lengths) * 1.25 + 4);
  }
});

describe("a run queue", () => {
  /** Embeds texts and tells the runs that this took, each as the characters of its texts. */
  async function runsOf(queries: readonly string[], passages: readonly string[], batching = true) {
    const runs: string[] = [];
    const inference: Runs = {
      run(texts, into) {
        runs.push(texts.map(([id = 0]) => String.fromCharCode(id)).join(""));
        into.fill(1);
      },
    };
    const codes = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0));
    const queue = createRunQueue(codes, inference, dimensions, batching);
    await Promise.all([
      ...passages.map((text) => queue.embed({ text, role: "passage" })),
      ...queries.map((text) => queue.embed({ text, role: "query" })),
    ]);
    return runs;
  }

  test("computes queries first, and passages after each run of queries", async () => {
    const queries = Array.from("abcdefghijklmnopqrst");
    const passages = Array.from("ABCDEFGHIJKLMNOPQRST");
    const runs = await runsOf(queries, passages);
    expect(runs.map((run) => (run.toLowerCase() === run ? "queries" : "passages"))).toEqual([
      "queries",
      "passages",
      "queries",
      "passages",
      "queries",
      "passages",
    ]);
    expect(runs.join("")).toHaveLength(40);
  });

  test("computes the text that has waited longest in the next run, whatever its length", async () => {
    const short = Array.from("abcdefghijklm", (letter) => letter.repeat(5));
    const runs = await runsOf([], ["x".repeat(60), ...short]);
    expect(runs[0]).toBe("x");
    expect(runs[1]).toHaveLength(8);
  });

  test("computes every text alone and in order if a batch would change vectors", async () => {
    const passages = Array.from("abcdefgh", (letter) => letter.repeat(5));
    expect(await runsOf([], passages, false)).toEqual(Array.from("abcdefgh"));
  });

  test("fails the texts of a run that fails, and computes the others", async () => {
    const inference: Runs = {
      run(texts, into) {
        if (texts.some((ids) => ids.length === 50)) throw new Error("no memory");
        into.fill(1);
      },
    };
    const queue = createRunQueue(tokenize, inference, dimensions, true);
    const outcomes = await Promise.allSettled(
      ["a", "b".repeat(50), "c"].map((text) => queue.embed({ text, role: "passage" })),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });
});

describe("the next run", () => {
  const paddedCost = (lengths: readonly number[], runs: readonly (readonly number[])[]) =>
    runs.reduce(
      (sum, run) => sum + runCostTokens + run.length * Math.max(...run.map((at) => lengths[at] ?? 0)),
      0,
    );

  /** All runs, in the order in which they are chosen. */
  function divide(lengths: readonly number[]): number[][] {
    const runs: number[][] = [];
    let left = [...lengths.keys()];
    while (left.length > 0) {
      const run = chooseRun(left.map((at) => lengths[at] ?? 0)).map((at) => left[at] ?? -1);
      expect(run).toContain(left[0] ?? -1);
      expect(run.length).toBeLessThanOrEqual(runMaxTexts);
      runs.push(run);
      left = left.filter((at) => !run.includes(at));
    }
    expect(runs.flat().toSorted((a, b) => a - b)).toEqual([...lengths.keys()]);
    return runs;
  }

  test("costs no more than every other division of up to seven texts into runs", () => {
    const random = createRandom(3);
    for (let round = 0; round < 60; round++) {
      const lengths = Array.from(
        { length: 1 + Math.floor(random() * 7) },
        () => 1 + Math.floor(random() * 24),
      );
      const least = Math.min(...partitions([...lengths.keys()]).map((runs) => paddedCost(lengths, runs)));
      expect(paddedCost(lengths, divide(lengths))).toBe(least);
    }
  });

  test("pads less than a tenth of sentences, and never more tokens than a run may have", () => {
    const random = createRandom(4);
    const lengths = Array.from({ length: 16 }, () => 14 + Math.floor(random() * 12));
    const used = lengths.reduce((sum, length) => sum + length, 0);
    const runs = divide(lengths);
    expect(paddedCost(lengths, runs) - runs.length * runCostTokens).toBeLessThan(used * 1.1);
    for (const run of divide([...lengths, 300, 300, 96, 96, 97]))
      if (run.length > 1)
        expect(paddedCost([...lengths, 300, 300, 96, 96, 97], [run])).toBeLessThanOrEqual(
          runMaxTokens + runCostTokens,
        );
  });
});

/** Every way to divide items into sets. */
function partitions(items: readonly number[]): number[][][] {
  const [first, ...rest] = items;
  if (first === undefined) return [[]];
  return partitions(rest).flatMap((sets) => [
    [[first], ...sets],
    ...sets.map((set, at) => [...sets.slice(0, at), [first, ...set], ...sets.slice(at + 1)]),
  ]);
}
