// Tests for which texts the nearest memories are looked up, and that each chunk of a long text has numbers of its own.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { plain } from "../../../src/memory/extraction/extraction-source.ts";
import type { FindNear } from "../../../src/memory/extraction/extractor.ts";
import { createLlmExtractor } from "../../../src/models/extraction/llm-extractor.ts";
import { createLogger } from "../../../src/platform/log/logger.ts";
import { type FakeLlm, hangs, items, itemsFrom, startFakeLlm } from "./fake-llm.ts";

const now = Date.parse("2026-11-21T12:00:00Z");

let fake: FakeLlm;
beforeAll(async () => {
  fake = await startFakeLlm();
});
afterAll(() => fake.stop());

async function extract(text: string, findNear: FindNear, signal = new AbortController().signal) {
  const options = { baseUrl: fake.url, model: "configured", apiKey: "", timeoutMs: 5_000 };
  const extractor = await createLlmExtractor({ ...options, logger: createLogger("error", () => true) });
  return extractor.extract(plain(text), now, { project: "project 1", signal }, { findNear });
}

const sentences = Array.from({ length: 400 }, (_, at) => `Person ${at} lives in house number ${at} now.`);
const long = sentences.join(" ");
const numberIn = (text = "") => Number(/Person (\d+)/.exec(text)?.[1]);
/** What is known about the first person of a chunk. */
const findFirst: FindNear = async (texts) => {
  const content = `Person ${numberIn(texts[0])} lives in a tent.`;
  return [{ id: content, content, saidAt: now }];
};

test("the same number is another memory in each chunk", async () => {
  fake.otherwise(
    itemsFrom((text) => {
      const [evidence = ""] = text.match(/Person [^.]+\./) ?? [];
      const memory_quote = `Person ${numberIn(text)} lives in a tent`;
      return [{ content: evidence, evidence, operation: "replace", memory: 1, memory_quote }];
    }),
  );
  const before = fake.requests.length;
  const { items: found, leftOut } = await extract(long, findFirst);
  expect(fake.requests.length - before).toBeGreaterThan(2);
  expect(found).toHaveLength(fake.requests.length - before);
  for (const { content, replaces } of found)
    expect(replaces?.map(({ memory }) => memory)).toEqual([`Person ${numberIn(content)} lives in a tent.`]);
  expect(leftOut).toEqual([]);
});

test("every sentence is in one of the texts, and short ones are not alone", async () => {
  fake.otherwise(items());
  const asked: string[] = [];
  await extract(long, async (texts) => {
    asked.push(...texts);
    return [];
  });
  for (const sentence of sentences) expect(asked.some((text) => text.includes(sentence))).toBe(true);
  for (const text of asked) expect(text.length).toBeLessThan(260);
  expect(asked.length).toBeLessThan(sentences.length / 3);
});

test("what two items of the same content replace is replaced by one", async () => {
  const [first, second] = ["Ana lives in Oslo.", "Ana has a flat in Oslo."];
  const moved = { content: "Ana lives in Rome.", evidence: "I live in Rome now.", operation: "replace" };
  fake.next(
    items(
      { ...moved, memory: 1, memory_quote: first },
      { ...moved, memory: 2, memory_quote: "flat in Oslo" },
    ),
  );
  const memories = [first, second].map((content) => ({ id: content, content, saidAt: now }));
  const { items: found } = await extract("I live in Rome now.", async () => memories);
  expect(found).toHaveLength(1);
  expect(found[0]?.replaces).toEqual([
    { memory: first, content: first, quote: first },
    { memory: second, content: second, quote: "flat in Oslo" },
  ]);
});

test("a caller who goes away ends the search for memories, and the model is not asked", async () => {
  fake.otherwise(hangs);
  const before = fake.requests.length;
  const caller = new AbortController();
  const searching = Promise.withResolvers<AbortSignal>();
  const outcome = extract(
    long,
    async (_, signal) => {
      searching.resolve(signal);
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return [];
    },
    caller.signal,
  ).catch((error: unknown) => error);
  const signal = await searching.promise;
  caller.abort();
  expect(await outcome).toMatchObject({ code: 1503 });
  expect(signal.aborted).toBe(true);
  expect(fake.requests.length).toBe(before);
});
