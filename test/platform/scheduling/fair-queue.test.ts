// Proves the order and the bounds of the fair queue and its gate: no project waits longer, or is refused, because another one sends more.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Refusal } from "../../../src/platform/errors.ts";
import { createFairGate } from "../../../src/platform/scheduling/fair-gate.ts";
import { FairQueue, type QueueLimits } from "../../../src/platform/scheduling/fair-queue.ts";

const limits: QueueLimits = { items: "texts", perProject: 100, total: 1_000, retryAfterSeconds: 5 };

interface Item {
  readonly name: string;
  refused?: Refusal;
  refuse(reason: Refusal): void;
}

function item(name: string): Item {
  const made: Item = {
    name,
    refuse(reason) {
      made.refused = reason;
    },
  };
  return made;
}

function takeAll(queue: FairQueue<Item>): string[] {
  const names: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) names.push(next.name);
  return names;
}

function refusalOf(work: () => void): Pick<Refusal, "code" | "retryAfterSeconds"> | null {
  try {
    work();
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: error.code, retryAfterSeconds: error.retryAfterSeconds };
  }
}

describe("the queue", () => {
  test("serves projects in turn, and each in its order", () => {
    const queue = new FairQueue<Item>(limits);
    for (const name of ["a1", "a2", "a3", "a4"]) queue.add("project 1", item(name));
    for (const name of ["b1", "b2"]) queue.add("project 2", item(name));
    queue.add("project 3", item("c1"));
    expect(takeAll(queue)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  });

  test("passes over a project without taking its turn away", () => {
    const queue = new FairQueue<Item>(limits);
    for (const name of ["a1", "a2"]) queue.add("project 1", item(name));
    for (const name of ["b1", "b2"]) queue.add("project 2", item(name));
    expect(queue.take((project) => project !== "project 1")?.name).toBe("b1");
    expect(takeAll(queue)).toEqual(["a1", "b2", "a2"]);
  });

  test("forgets items that are removed", () => {
    const queue = new FairQueue<Item>(limits);
    const [gone, stays] = [item("gone"), item("stays")];
    queue.add("project 1", gone);
    queue.add("project 2", stays);
    expect([queue.remove("project 1", gone), queue.remove("project 1", gone)]).toEqual([true, false]);
    expect([queue.size, queue.projects]).toEqual([1, 1]);
    expect(takeAll(queue)).toEqual(["stays"]);
  });

  test("refuses with 1429 beyond the bound of a project, which touches no other", () => {
    const queue = new FairQueue<Item>({ ...limits, perProject: 2 });
    for (const name of ["a1", "a2"]) queue.add("project 1", item(name));
    expect(refusalOf(() => queue.add("project 1", item("a3")))).toEqual({ code: 1429, retryAfterSeconds: 5 });
    expect(refusalOf(() => queue.add("project 2", item("b1")))).toBeNull();
    expect(queue.counts).toEqual({ waiting: 3, refusedOfProject: 1, refusedOfAll: 0 });
  });

  test("when full, takes back the newest item of the project with the most, and else refuses with 1503", () => {
    const queue = new FairQueue<Item>({ ...limits, total: 4 });
    const flood = ["a1", "a2", "a3", "a4"].map(item);
    for (const one of flood) queue.add("project 1", one);
    expect(refusalOf(() => queue.add("project 1", item("a5")))).toEqual({ code: 1503, retryAfterSeconds: 5 });
    queue.add("project 2", item("b1"));
    expect(flood.map(({ refused }) => refused?.code)).toEqual([undefined, undefined, undefined, 1503]);
    queue.add("project 2", item("b2"));
    // Both have two now: nobody has more than a fair part.
    expect(refusalOf(() => queue.add("project 2", item("b3")))).toEqual({ code: 1503, retryAfterSeconds: 5 });
    expect(queue.counts).toEqual({ waiting: 4, refusedOfProject: 0, refusedOfAll: 4 });
    expect(takeAll(queue)).toEqual(["a1", "b1", "a2", "b2"]);
    expect(queue.counts).toEqual({ waiting: 0, refusedOfProject: 0, refusedOfAll: 4 });
  });

  test("a project within its fair part is never refused, whatever the others send", () => {
    const adds = fc.array(fc.record({ project: fc.integer({ min: 1, max: 4 }), take: fc.boolean() }), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(adds, (steps) => {
        const queue = new FairQueue<Item>({ ...limits, perProject: 12, total: 20 });
        const modest = new Set<Item>();
        for (const [index, { project, take }] of steps.entries()) {
          const flood = item(`${project}`);
          refusalOf(() => queue.add(`project ${project}`, flood));
          if (take) {
            const taken = queue.take();
            if (taken !== undefined) modest.delete(taken);
          }
          // A fifth project never has more than four items waiting, which is a fifth of 20.
          if (index % 3 === 0 && modest.size < 4) {
            const one = item("modest");
            queue.add("project 5", one);
            modest.add(one);
          }
          expect([...modest].some(({ refused }) => refused !== undefined)).toBe(false);
          expect(queue.size).toBeLessThanOrEqual(20);
        }
      }),
    );
  });

  test("between two turns of a project that waits, every other has one at most", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 100 }), (projects) => {
        const queue = new FairQueue<Item>(limits);
        for (const project of projects) queue.add(`project ${project}`, item(String(project)));
        const order = takeAll(queue);
        expect(order.toSorted()).toEqual(projects.map(String).toSorted());
        for (const project of new Set(order)) {
          let since: string[] = [];
          for (const next of order.slice(0, order.lastIndexOf(project) + 1)) {
            if (next !== project) since.push(next);
            else {
              expect(new Set(since).size).toBe(since.length);
              since = [];
            }
          }
        }
      }),
    );
  });
});

describe("the gate", () => {
  const neverAborted = new AbortController().signal;

  /** Work that ends when the test says so; `started` tells the order in which it began. */
  function workshop() {
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    const work = (name: string) => () => {
      started.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    };
    const end = async (name: string) => {
      ends.get(name)?.();
      await Bun.sleep(0);
    };
    return { started, work, end };
  }

  test("lets a second project in after one piece of work of the first", async () => {
    const gate = createFairGate({ concurrency: 1, limits });
    const { started, work, end } = workshop();
    for (const name of ["a1", "a2", "a3"])
      void gate({ project: "project 1", signal: neverAborted }, work(name));
    void gate({ project: "project 2", signal: neverAborted }, work("b1"));
    for (const name of ["a1", "a2", "b1"]) await end(name);
    expect(started).toEqual(["a1", "a2", "b1", "a3"]);
  });

  test("keeps places that one project may not have for others", async () => {
    const gate = createFairGate({ concurrency: 3, concurrencyPerProject: 2, limits });
    const { started, work, end } = workshop();
    for (const name of ["a1", "a2", "a3"])
      void gate({ project: "project 1", signal: neverAborted }, work(name));
    void gate({ project: "project 2", signal: neverAborted }, work("b1"));
    await Bun.sleep(0);
    expect(started).toEqual(["a1", "a2", "b1"]);
    await end("b1");
    expect(started).toHaveLength(3);
    await end("a1");
    expect(started).toEqual(["a1", "a2", "b1", "a3"]);
  });

  const codeOf = (error: unknown) => (error instanceof Refusal ? error.code : error);

  test("never runs work whose caller is gone", async () => {
    const gate = createFairGate({ concurrency: 1, limits });
    const { started, work, end } = workshop();
    const caller = new AbortController();
    void gate({ project: "project 1", signal: neverAborted }, work("first"));
    const leaves = gate({ project: "project 1", signal: caller.signal }, work("leaves")).catch(codeOf);
    const last = gate({ project: "project 1", signal: neverAborted }, work("last"));
    caller.abort();
    expect(await leaves).toBe(1503);
    expect(await gate({ project: "project 1", signal: caller.signal }, work("late")).catch(codeOf)).toBe(
      1503,
    );
    await end("first");
    await end("last");
    expect(await last).toBe("last");
    expect(started).toEqual(["first", "last"]);
  });

  test("gives the place on when the caller leaves at the moment of the turn", async () => {
    for (let steps = 0; steps < 12; steps++) {
      const gate = createFairGate({ concurrency: 1, limits });
      const caller = new AbortController();
      const first = gate({ project: "project 1", signal: neverAborted }, async () => "first");
      const leaves = gate({ project: "project 1", signal: caller.signal }, async () => "ran").catch(codeOf);
      const last = gate({ project: "project 1", signal: neverAborted }, async () => "last");
      for (let step = 0; step < steps; step++) await Promise.resolve();
      caller.abort();
      expect(await Promise.all([first, last])).toEqual(["first", "last"]);
      const outcome: unknown = await leaves;
      expect(outcome === "ran" || outcome === 1503).toBe(true);
    }
  });

  test("gives places back when work fails", async () => {
    const gate = createFairGate({ concurrency: 1, limits });
    const failing = () => Promise.reject(new Error("failed"));
    await expect(gate({ project: "project 1", signal: neverAborted }, failing)).rejects.toThrow("failed");
    expect(await gate({ project: "project 1", signal: neverAborted }, async () => "done")).toBe("done");
  });
});
