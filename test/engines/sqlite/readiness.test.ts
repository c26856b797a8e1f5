// Tests that the engine is not ready while one of its threads restarts.

import { expect, test } from "bun:test";
import { type Seam, unitVector } from "../../calls/storage/seam.ts";
import { closeAfterEach } from "../../cleanup.ts";
import { openObserved } from "./observed-engine.ts";

const closeLater = closeAfterEach<Seam>();

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
    const { seam, workers } = await openObserved();
    closeLater(seam);
    const project = await seam.project();
    await project.search({ vector: unitVector(1) });
    await project.list({ limit: 1 });
    expect(await seam.store.readiness()).toEqual([]);
    await workers.get(name)?.terminate();
    expect(await seam.store.readiness()).toEqual([`the ${name} is restarting`]);
    await until(async () => (await seam.store.readiness()).length === 0);
  },
);
