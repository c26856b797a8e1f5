// Measures memory for many subjects of one project: that nothing is lost or shared, how long a search for one takes beside a search in a
// small project, and what an erasure takes. Must never use the model for what it fills.

import { readModelConfig } from "../src/embedding/model.ts";
import { defaultModel } from "../src/embedding/model-directory.ts";
import { randomId } from "../src/ids.ts";
import { contentKey } from "../src/memory/memory.ts";
import type { Subject } from "../src/memory/owner.ts";
import type { Store } from "../src/storage/store.ts";
import { median, ms, percentile } from "./figures.ts";
import { addProject, callOf, commitOrThrow, type FillingProject, withFillingStore } from "./filling-store.ts";
import {
  type BenchOptions,
  copyAlone,
  loadOne,
  type Measure,
  measureTable,
  progress,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import type { StreamResult } from "./load-generator.ts";
import { p50, searchCall } from "./scale-load.ts";
import { createRandom, sentence } from "./texts.ts";
import { unitVector } from "./unit-vector.ts";

/** Memories of each subject, of the project itself, and of the small project. */
const ofSubject = 10;
const ofProject = 1_000;
/** Share of the memories whose text another subject has, too. */
const shared = 0.3;
const window = 512;
const searched = 500;
const erasedMemories = 50;
const erasedRecords = 500;
const bars = { ratio: 1.5, firstMs: 20, eraseMs: 2_000 };

interface Filled {
  readonly large: FillingProject;
  readonly small: FillingProject;
  readonly subjects: readonly Subject[];
}

export async function subjects(options: BenchOptions): Promise<readonly Table[]> {
  using folder = temporaryFolder();
  const executable = copyAlone(options.executable, folder.path);
  const dataDir = `${folder.path}/data`;
  const count = Math.ceil(options.memories / ofSubject);
  const filled = await withFillingStore(dataDir, (store) => fillAll(store, count));
  await using server = await startServer(executable, dataDir);
  const measures = [
    ...(await measureSearches(server.port, filled, options)),
    await measureSeparation(server.port, filled),
    await measureErasure(server.port, filled),
  ];
  const note = `${count.toLocaleString("en")} subjects with ${ofSubject} memories each in one project, which has ${ofProject} of its own; ${shared * 100} % of the texts are those of several subjects.`;
  return [measureTable("Subjects", note, measures)];
}

async function fillAll(store: Store, count: number): Promise<Filled> {
  const large = await addProject(store, "large");
  const small = await addProject(store, "small");
  const all = Array.from({ length: count }, (_, at) => ({ id: randomId(), name: `user:${at}` }));
  const erased = { id: randomId(), name: "erased" };
  progress(`subjects: filling ${count} subjects`);
  await create(store, small, null, ofProject, 1);
  await create(store, large, null, ofProject, 2);
  for (let from = 0; from < count; from += window) {
    const some = all.slice(from, from + window);
    await Promise.all(some.map((subject, at) => create(store, large, subject, ofSubject, 3 + from + at)));
  }
  await create(store, large, erased, erasedMemories, 0);
  return { large, small, subjects: all };
}

async function create(
  store: Store,
  { keyId }: FillingProject,
  subject: Subject | null,
  size: number,
  seed: number,
): Promise<void> {
  const { dimensions } = readModelConfig(defaultModel());
  const random = createRandom(seed + 1);
  for (let number = 0; number < size; number++) {
    const isShared = subject !== null && number < size * shared;
    const content = isShared
      ? sentence(createRandom(number + 1), number)
      : sentence(random, seed * 1_000 + number);
    const body = { content, memory_type: "fact", importance: random() };
    const prepared = { vector: unitVector(random, dimensions), contentKey: contentKey(content) };
    const call = callOf("memory.create", keyId, body, prepared);
    await commitOrThrow(store, subject === null ? call : { ...call, subject });
  }
}

async function measureSearches(
  port: number,
  { large, small, subjects: all }: Filled,
  { rounds }: BenchOptions,
): Promise<Measure[]> {
  const some = all.slice(0, searched);
  const forEach = (key: string, chosen: readonly (Subject | null)[]): Promise<StreamResult> => {
    const calls = chosen.map((subject) =>
      searchCall("semantic", {
        Authorization: `Bearer ${key}`,
        ...(subject === null ? null : { "Memledger-Subject": subject.name }),
      }),
    );
    return loadOne(port, 600, { name: "searches", clients: 1, key: "", repeat: false, calls }, 200);
  };
  const nobody = some.map(() => null);
  await forEach(large.key, nobody.slice(0, 20));
  const first = await forEach(large.key, some);
  const [own, alone]: [StreamResult[], StreamResult[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    progress(`subjects: searches, round ${round + 1}`);
    own.push(await forEach(large.key, some));
    alone.push(await forEach(small.key, nobody));
  }
  const ratio = median(own.map((result, at) => p50([result]) / p50(alone.slice(at, at + 1))));
  const firstMs = percentile(first.latenciesMs, 0.5);
  return [
    {
      what: "search for a subject, p50",
      figure: ms(p50(own)),
      comparedTo: `in a project of ${ofProject} memories: ${ms(p50(alone))}, ratio ${ratio.toFixed(2)}`,
      bar: `ratio ≤ ${bars.ratio}`,
      reached: ratio <= bars.ratio,
    },
    {
      what: "the first search of a subject in a running server, p50",
      figure: ms(firstMs),
      comparedTo: `the later ones: ${ms(p50(own))}`,
      bar: `≤ ${bars.firstMs} ms`,
      reached: firstMs <= bars.firstMs,
    },
  ];
}

/** Lists every tenth subject: its memories are all there, and none of another one. */
async function measureSeparation(port: number, { large, subjects: all }: Filled): Promise<Measure> {
  progress("subjects: listing");
  const chosen = all.filter((_, at) => at % 10 === 0);
  let wrong = 0;
  for (const { name } of chosen) {
    const found = await ask(
      port,
      large.key,
      "GET",
      `/v1/memories?page_size=100&subject=${encodeURIComponent(name)}`,
    );
    const memories = found.memories as readonly { readonly subject?: string }[];
    const own = memories.filter(({ subject }) => subject === name).length;
    wrong += Math.abs(ofSubject - own) + (memories.length - own);
  }
  return {
    what: `memories that are lost or belong to another one, in the lists of ${chosen.length.toLocaleString("en")} subjects`,
    figure: String(wrong),
    comparedTo: `${(chosen.length * ofSubject).toLocaleString("en")} that were stored`,
    bar: "0",
    reached: wrong === 0,
  };
}

async function measureErasure(port: number, { large }: Filled): Promise<Measure> {
  progress("subjects: erasing one");
  for (let at = 0; at < erasedRecords - erasedMemories; at++)
    await ask(port, large.key, "POST", "/v1/memories/search", { query: `question ${at}`, subject: "erased" });
  const startedMs = performance.now();
  const { memories, records } = await ask(port, large.key, "POST", "/v1/subjects/erased/erase", {});
  const tookMs = performance.now() - startedMs;
  return {
    what: `erasing a subject with ${memories} memories and ${records} records`,
    figure: ms(tookMs),
    comparedTo: "",
    bar: `≤ ${bars.eraseMs} ms`,
    reached: tookMs <= bars.eraseMs,
  };
}

async function ask(
  port: number,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body === undefined ? null : { body: JSON.stringify(body) }),
  });
  const { data, message } = (await response.json()) as { data: Record<string, unknown>; message: string };
  if (!response.ok) throw new Error(`${method} ${path}: ${message}`);
  return data;
}
