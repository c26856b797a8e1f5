// Opens an engine with a project whose index has so many blocks that other threads scan it. Every message to a thread that searches passes
// the test, which can hold it back.

import type { Worker } from "node:worker_threads";
import { readBatchItem } from "../../../../../src/calls/operations/memories/batch-item.ts";
import { localBlocksMax } from "../../../../../src/engines/sqlite/search/limits.ts";
import type { ToScanner, ToSearcher } from "../../../../../src/engines/sqlite/search/steps/group-steps.ts";
import { contentKey } from "../../../../../src/memory/memory.ts";
import { rowsPerBlock } from "../../../../../src/memory/ranking/limits.ts";
import { type Member, openSeam, type Seam, seamModel } from "../../../../calls/storage/seam.ts";
import { createRandom } from "../../../../memory/ranking/adversarial-vectors.ts";
import { spawnHanging } from "../../../../platform/threads/hanging-worker.ts";

export const dimensions = 16;

type Message<Request> = { readonly request: Request };

export interface LargeProject {
  readonly seam: Seam;
  readonly large: Member;
  /** A project with one memory. */
  readonly small: Member;
  /** The newest last. */
  workersOf(name: "searcher" | "scanner"): readonly Worker[];
  /** What the threads were asked, in that order. */
  readonly asked: { readonly searcher: ToSearcher[]; readonly scanner: ToScanner[] };
  /** From now on tasks are kept back, until the function is called. */
  holdTasks(): () => void;
}

/** A vector of length 1, for each seed another one in another direction. */
export function vectorOf(seed: number): Float32Array {
  const random = createRandom(seed + 1);
  const values = Array.from({ length: dimensions }, () => random() - 0.5);
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

export async function openLargeProject(): Promise<LargeProject> {
  const workers = new Map<string, Worker[]>();
  const asked: LargeProject["asked"] = { searcher: [], scanner: [] };
  let held: (() => void)[] | null = null;
  const seam = await openSeam({
    model: { ...seamModel, dimensions },
    searchThreads: 2,
    spawn: (name, init) => {
      const worker = spawnHanging(name, init);
      workers.set(name, [...(workers.get(name) ?? []), worker]);
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (message: Message<ToSearcher> | Message<ToScanner> | object) => {
        if (name === "searcher" && "request" in message) asked.searcher.push(message.request as ToSearcher);
        if (name !== "scanner" || !("request" in message)) return post(message);
        const request = message.request as ToScanner;
        asked.scanner.push(request);
        if (held === null || !("task" in request)) post(message);
        else held.push(() => post(message));
      };
      return worker;
    },
  });
  const [large, small] = [await seam.project(), await seam.project()];
  const size = localBlocksMax * rowsPerBlock + 100;
  for (let start = 0; start < size; start += 1_000) await fill(large, start, Math.min(1_000, size - start));
  await small.create({ content: "small", vector: vectorOf(0) });
  return {
    seam,
    large,
    small,
    workersOf: (name) => workers.get(name) ?? [],
    asked,
    holdTasks() {
      const waiting: (() => void)[] = [];
      held = waiting;
      return () => {
        held = null;
        for (const send of waiting) send();
      };
    },
  };
}

async function fill(member: Member, start: number, count: number): Promise<void> {
  const memories = Array.from({ length: count }, (_, at) => ({
    content: `memory ${start + at}`,
    memory_type: "fact",
    importance: 0.5,
  }));
  const prepared = memories.map((fields, at) => ({
    refused: null,
    item: readBatchItem(fields),
    contentKey: contentKey(fields.content),
    id: null,
    exportedId: null,
    vector: vectorOf(start + at),
  }));
  const { data, message } = await member.call("memory.create_batch", { memories }, prepared);
  if (data.created !== count) throw new Error(`not everything was created: ${message}`);
}
