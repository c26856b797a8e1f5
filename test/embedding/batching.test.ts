// Tests the decision to batch, and that batches put every row where it belongs.

import { expect, test } from "bun:test";
import { embedAlone, embedInBuckets, mayBatch } from "../../src/embedding/batching.ts";
import type { Inference } from "../../src/embedding/inference.ts";

const dimensions = 256;

let clockMs = 0;

/** A model whose vector points to the text's length, shifted by `drift` in a batch. A run takes `runMs`, and `textMs` per text. */
function fakeInference(drift: number, runMs: number, textMs: number): Inference {
  return {
    run(texts, into) {
      clockMs += runMs + texts.length * textMs;
      for (const [row, ids] of texts.entries()) {
        const angle = ids.length / 100 + (texts.length > 1 ? drift : 0);
        into.set([Math.cos(angle), Math.sin(angle)], row * dimensions);
      }
    },
    release() {},
  };
}

const tokenize = (text: string) => Array.from(text, () => 1);

test.each([
  ["keeps vectors and saves time", 0, 1, 0, true],
  ["keeps vectors within 0.9999 and saves time", 0.01, 1, 0, true],
  ["changes vectors", 0.02, 1, 0, false],
  ["saves no time", 0, 0, 0.5, false],
])("a model that %s", (_, drift, runMs, textMs, expected) => {
  const inference = fakeInference(drift, runMs, textMs);
  expect(mayBatch(tokenize, inference, dimensions, () => clockMs)).toBe(expected);
});

test("buckets return the rows in the order of the texts, and mix similar lengths only", () => {
  const widths: number[][] = [];
  const inner = fakeInference(0, 0, 0);
  const inference: Inference = {
    run(texts, into) {
      widths.push(texts.map((ids) => ids.length));
      inner.run(texts, into);
    },
    release() {},
  };
  const texts = [90, 3, 40, 3, 88, 7, 500, 41, ...Array(20).fill(5)].map((length) => Array(length).fill(1));
  expect(embedInBuckets(inference, texts, dimensions)).toEqual(embedAlone(inner, texts, dimensions));
  expect(widths.flat()).toHaveLength(texts.length);
  for (const lengths of widths) {
    expect(lengths.length).toBeLessThanOrEqual(8);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(Math.min(...lengths) * 1.25 + 4);
  }
});
