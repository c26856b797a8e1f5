// When the engine says that it cannot perform calls: while a thread restarts, and while its disk or its file fails.

import { afterEach, expect, test } from "bun:test";
import type { Worker } from "node:worker_threads";
import { spawnWorker } from "../../../src/threads/spawn.ts";
import { openSeam, type Seam, unitVector } from "../../storage/seam.ts";

const opened: Seam[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((seam) => seam.close()));
});

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error("it did not become true");
    await Bun.sleep(20);
  }
}

test.each(["writer", "reader", "searcher"] as const)(
  "a %s that restarts makes it unready until it is back",
  async (name) => {
    const workers = new Map<string, Worker>();
    const seam = await openSeam({
      spawn: (thread, init) => {
        const worker = spawnWorker(thread, init);
        workers.set(thread, worker);
        return worker;
      },
    });
    opened.push(seam);
    const project = await seam.project();
    await project.search({ vector: unitVector(1) });
    await project.list({ type: null, sortBy: "created_at", direction: "desc", limit: 1, offset: 0 });
    expect(await seam.store.readiness()).toEqual([]);
    await workers.get(name)?.terminate();
    expect(await seam.store.readiness()).toEqual([`the ${name} is restarting`]);
    await until(async () => (await seam.store.readiness()).length === 0);
  },
);
