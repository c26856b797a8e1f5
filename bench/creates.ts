// Creates over HTTP against the embedder alone, which is their limit, the processor time of both, and searches of another project meanwhile.
// The sides take turns with the same texts. Must never start a second embedder of the server: it decides itself.

import { join } from "node:path";
import { type Embedder, startEmbedder } from "../src/models/embedding/embedder.ts";
import { threadsCheckEveryMs } from "../src/models/embedding/limits.ts";
import { defaultModel } from "../src/models/embedding/model-directory.ts";
import { prepareRuntime } from "../src/platform/native/runtime.ts";
import { median, ms, percentile, perSecond } from "./figures.ts";
import { type FilledProject, fill } from "./fill.ts";
import {
  type BenchOptions,
  copyAlone,
  cpuMilliseconds,
  createProject,
  expectStatuses,
  loadOne,
  type Measure,
  progress,
  startLoad,
  startServer,
  temporaryFolder,
} from "./harness.ts";
import type { PlannedCall, Stream } from "./load-generator.ts";
import { createRandom, question, sentence } from "./texts.ts";

const searchedMemories = 1_000;
const searchEveryMs = 20;
const shareMin = 0.95;
const shareOfTwoMin = 0.9;

/** Rates of one round: over HTTP, and of the embedder alone with one and with two threads. */
interface Round {
  readonly clients: number;
  readonly served: number;
  readonly alone: readonly number[];
  /** Processor time for one text, with all threads of the process; null where the system does not tell it. */
  readonly cpuMs: { readonly served: number; readonly alone: number } | null;
}

/** Measures with 1, 8 and `most` clients. */
export async function creates(
  { executable, seconds, rounds }: BenchOptions,
  most: number,
): Promise<Measure[]> {
  using folder = temporaryFolder();
  const copy = copyAlone(executable, folder.path);
  const dataDir = join(folder.path, "data");
  const [searched] = await fill(dataDir, [searchedMemories]);
  if (searched === undefined) throw new Error("Nothing was filled.");
  await using server = await startServer(copy, dataDir);
  const { key } = await createProject(copy, dataDir, "creates");
  await using parts = new AsyncDisposableStack();
  const embedders: Embedder[] = [];
  for (const threads of [1, 2]) embedders.push(await startAlone(parts, folder.path, threads));

  const random = createRandom(2);
  let number = 0;
  const streamOf = (clients: number): Stream => {
    const calls = Array.from({ length: 2_500 * seconds }, () => toCreate(sentence(random, number++)));
    return { name: "creates", clients, key, calls, repeat: false };
  };
  const searches = searchesOf(searched);
  await loadOne(server.port, 1, searches, 200);
  const idle = await loadOne(server.port, seconds, searches, 200);
  const busyMs: number[] = [];
  const done: Round[] = [];
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    for (const clients of [1, 8, most]) {
      progress(`throughput: creates, ${clients} clients, round ${round}`);
      const stream = streamOf(clients);
      const before = cpuMilliseconds(server.pid);
      const created = await loadOne(server.port, seconds, stream, 201);
      const after = cpuMilliseconds(server.pid);
      const texts = stream.calls.slice(0, created.calls).map(contentOf);
      const alone: number[] = [];
      const ownBefore = process.cpuUsage();
      let own: NodeJS.CpuUsage | null = null;
      for (const embedder of embedders) {
        alone.push(await embedAll(embedder, texts, most));
        own ??= process.cpuUsage(ownBefore);
      }
      if (round === 0) continue;
      const cpuMs =
        before === null || after === null || own === null
          ? null
          : {
              served: (after - before) / created.calls,
              alone: (own.user + own.system) / 1_000 / texts.length,
            };
      done.push({ clients, served: created.calls / created.seconds, alone, cpuMs });
    }
    progress(`throughput: searches beside creates, round ${round}`);
    const plan = { port: server.port, seconds, streams: [streamOf(most), searches] };
    const [created, found] = await startLoad(plan);
    if (created === undefined || found === undefined) throw new Error("The load generator gave no result.");
    expectStatuses(created, 201);
    expectStatuses(found, 200);
    if (round > 0) busyMs.push(...found.latenciesMs);
  }
  const shares = [1, 8, most].map((clients) =>
    sharesOf(
      done.filter((round) => round.clients === clients),
      clients === most,
    ),
  );
  const cpuMs = done.flatMap((round) =>
    round.clients === most && round.cpuMs !== null ? [round.cpuMs] : [],
  );
  return [...shares.flat(), ...processorMeasure(cpuMs), searchMeasure(idle.latenciesMs, busyMs)];
}

/** Where all processors work, creates reach this share of what the embedder alone reaches on all of them, at most. */
function processorMeasure(rounds: readonly NonNullable<Round["cpuMs"]>[]): Measure[] {
  if (rounds.length === 0) return [];
  const [served, alone] = [
    median(rounds.map((round) => round.served)),
    median(rounds.map((round) => round.alone)),
  ];
  return [
    {
      what: "processor time of the server for one of these creates",
      figure: ms(served),
      comparedTo: `the embedder alone: ${ms(alone)}; with an embedder on each processor, creates reach ${((100 * alone) / served).toFixed(0)} % of it at most`,
      bar: "",
      reached: null,
    },
  ];
}

/** An embedder in this process. With two threads, both work when this returns. */
async function startAlone(parts: AsyncDisposableStack, folder: string, threads: number): Promise<Embedder> {
  const embedder = await startEmbedder({
    runtime: prepareRuntime(folder),
    model: defaultModel(),
    embedders: threads,
    idleProcessors: () => Number.POSITIVE_INFINITY,
    slowerMax: Number.POSITIVE_INFINITY,
  });
  parts.defer(() => embedder.close());
  const random = createRandom(3);
  const untilMs = performance.now() + 3 * threadsCheckEveryMs;
  for (let number = 0; performance.now() < untilMs; ) {
    const texts = Array.from({ length: 256 }, () => sentence(random, number++));
    await embedAll(embedder, texts, texts.length);
  }
  return embedder;
}

const toCreate = (content: string) => ({
  method: "POST",
  path: "/v1/memories",
  body: { content, memory_type: "fact" },
});

const contentOf = ({ body }: PlannedCall) => (body as ReturnType<typeof toCreate>["body"]).content;

function searchesOf({ key }: FilledProject): Stream {
  const random = createRandom(4);
  const calls = Array.from({ length: 2_000 }, (_, number) => ({
    method: "POST",
    path: "/v1/memories/search",
    body: { query: question(random, number), top_k: 10 },
  }));
  return { name: "searches", clients: 2, key, calls, repeat: true, everyMs: searchEveryMs };
}

/** Texts per second with as many waiting at a time as there are clients. */
async function embedAll(embedder: Embedder, texts: readonly string[], clients: number): Promise<number> {
  let next = 0;
  const start = performance.now();
  const work = async () => {
    for (let text = texts[next++]; text !== undefined; text = texts[next++])
      await embedder.embed(text, "passage");
  };
  await Promise.all(Array.from({ length: clients }, work));
  return (1_000 * texts.length) / (performance.now() - start);
}

function sharesOf(rounds: readonly Round[], hasBar: boolean): Measure[] {
  const clients = rounds[0]?.clients ?? 0;
  const figure = perSecond(median(rounds.map(({ served }) => served)));
  return [shareMin, shareOfTwoMin].map((bar, at) => {
    const alone = (round: Round) => round.alone[at] ?? Number.NaN;
    const share = median(rounds.map((round) => round.served / alone(round)));
    const threads = at === 0 ? "one thread" : "two threads";
    return {
      what: `creates, ${clients} ${clients === 1 ? "client" : "clients"}, embedding included`,
      figure,
      comparedTo: `the embedder alone with ${threads}, same texts: ${perSecond(median(rounds.map(alone)))}; share ${(100 * share).toFixed(0)} %`,
      bar: hasBar ? `≥ ${100 * bar} %` : "",
      reached: hasBar ? share >= bar : null,
    };
  });
}

function searchMeasure(idleMs: readonly number[], busyMs: readonly number[]): Measure {
  const at = (latencies: readonly number[], share: number) =>
    ms(
      percentile(
        latencies.toSorted((a, b) => a - b),
        share,
      ),
    );
  return {
    what: `searches of another project of ${searchedMemories.toLocaleString("en")} memories meanwhile, p50 (p95 ${at(busyMs, 0.95)})`,
    figure: at(busyMs, 0.5),
    comparedTo: `nobody creates: ${at(idleMs, 0.5)} (p95 ${at(idleMs, 0.95)})`,
    bar: "",
    reached: null,
  };
}
