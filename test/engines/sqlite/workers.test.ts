// Kills the engine's threads in the middle of their work: calls are answered with 1503, never hung, nothing acknowledged is lost,
// and everything works again by itself.

import { expect, test } from "bun:test";
import { Refusal } from "../../../src/platform/errors.ts";
import { type Outcome, type Seam, unitVector } from "../../calls/storage/seam.ts";
import { closeAfterEach } from "../../cleanup.ts";
import { type ObservedEngine, openObserved } from "./observed-engine.ts";

const closeLater = closeAfterEach<Seam>();

async function open(): Promise<ObservedEngine> {
  const observed = await openObserved();
  closeLater(observed.seam);
  return observed;
}

/** 1503 as a number, anything unexpected is thrown. */
async function orUnavailable<Value>(work: Promise<Value>): Promise<Value | 1503> {
  return work.catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 1503) return 1503;
    throw error;
  });
}

async function untilAvailable<Value>(work: () => Promise<Value>): Promise<Value> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const result = await orUnavailable(work());
    if (result !== 1503) return result;
    if (Date.now() > deadline) throw new Error("the engine did not come back");
    await Bun.sleep(20);
  }
}

test("a writer killed while it commits loses no acknowledged write and comes back by itself", async () => {
  const { seam, workers } = await open();
  const project = await seam.project();
  const acknowledged = new Set<string>();
  let refused = 0;
  for (let round = 0; round < 5; round++) {
    const create = async (index: number) => {
      const content = `round ${round}, memory ${index}`;
      const outcome = await orUnavailable(project.create({ content, vector: unitVector(index) }));
      if (outcome === 1503) refused += 1;
      else acknowledged.add(String(outcome.data.id));
    };
    const numbers = Array.from({ length: 100 }, (_, index) => index);
    await Promise.all(numbers.map(create));
    const calls = numbers.map((index) => create(100 + index));
    await Bun.sleep(round * 3);
    await workers.get("writer")?.terminate();
    await Promise.all(calls);
    await untilAvailable(() => project.call("memory.delete_all", { memory_type: "rule" }));
  }
  expect(refused).toBeGreaterThan(0);
  expect(acknowledged.size).toBeGreaterThan(0);
  const listed = new Set<string>();
  for (let offset = 0; ; offset += 100) {
    const page = await project.list({ offset });
    for (const { id } of page.memories) listed.add(id);
    if (page.memories.length === 0) {
      expect(page.total).toBe(listed.size);
      break;
    }
  }
  expect([...acknowledged].filter((id) => !listed.has(id))).toEqual([]);
});

test("a reader killed while it searches answers 1503 and then searches again", async () => {
  const { seam, workers } = await open();
  const project = await seam.project();
  await Promise.all(
    Array.from({ length: 50 }, (_, seed) => project.create({ content: `${seed}`, vector: unitVector(seed) })),
  );
  const searches = Array.from({ length: 50 }, () => orUnavailable(project.search({ vector: unitVector(7) })));
  await workers.get("searcher")?.terminate();
  const results = await Promise.all(searches);
  expect(results).toContain(1503);
  const found = await untilAvailable(() => project.search({ vector: unitVector(7) }));
  expect(found.at(0)?.memory.content).toBe("7");
});

test("a search index that outlives its writer learns of everything that comes after", async () => {
  const { seam, workers } = await open();
  const project = await seam.project();
  const kept = await project.create({ content: "kept", vector: unitVector(1), type: "rule" });
  await Promise.all(
    Array.from({ length: 20 }, (_, seed) => project.create({ content: `${seed}`, vector: unitVector(seed) })),
  );
  expect(await project.search({ vector: unitVector(1), topK: 50 })).toHaveLength(21);
  await project.call("memory.delete_all", { memory_type: "fact" });
  expect(await project.search({ vector: unitVector(1), topK: 50 })).toHaveLength(1);
  // The purge removes the rows with the newest revisions.
  await seam.letHousekeepingRun();
  await workers.get("writer")?.terminate();
  const change = { memory_id: String(kept.data.id), content: "kept, and changed" };
  const changed = await untilAvailable(() => project.call("memory.update", change, unitVector(50)));
  expect<Outcome>(changed).toMatchObject({ status: 200 });
  const [hit] = await project.search({ vector: unitVector(50) });
  expect(hit?.similarity).toBeGreaterThan(0.99);
});
