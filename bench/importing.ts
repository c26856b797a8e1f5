// How fast `memledger memory import` is, and how much later reads of another client are answered meanwhile. Must compare both with what the
// same machine does in the same run.

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { startEmbedder } from "../src/models/embedding/embedder.ts";
import { defaultModel } from "../src/models/embedding/model-directory.ts";
import { prepareRuntime } from "../src/platform/native/runtime.ts";
import { ms, percentile, perSecond } from "./figures.ts";
import { type FilledProject, fill } from "./fill.ts";
import {
  type BenchOptions,
  copyAlone,
  type Measure,
  measureTable,
  progress,
  runCommand,
  startLoad,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import type { LoadPlan, Stream, StreamResult } from "./load-generator.ts";
import { createRandom, question, sentence } from "./texts.ts";

/** Of the project that the other client reads. */
const readMemories = 10_000;
/** Each kind of read is sent this often. */
const readEveryMs = 40;
const idleSeconds = 45;
/** With fewer calls, fewer than ten are slower than the 99th percentile. */
const percentileMinCalls = 1_000;
const embeddedTexts = 3_000;
const slowerMax = 5;
const shareMin = 0.9;

export async function importing({ executable, memories }: BenchOptions): Promise<readonly Table[]> {
  using folder = temporaryFolder();
  const copy = copyAlone(executable, folder.path);
  const dataDir = join(folder.path, "data");
  const file = join(folder.path, "memories.jsonl");
  const texts = await writeFile(file, memories);
  const [project] = await fill(dataDir, [readMemories]);
  if (project === undefined) throw new Error("Nothing was filled.");
  const alone = [await embedderRate(folder.path, texts)];
  await using server = await startServer(copy, dataDir);
  const plan = (seconds: number): LoadPlan => ({ port: server.port, seconds, streams: streamsOf(project) });
  await startLoad(plan(3));
  progress("import: reads of an idle server");
  const idle = await startLoad(plan(idleSeconds));
  progress(`import: ${memories} memories`);
  const words = ["memory", "import", file, "--project", "imported", "--data-dir", dataDir];
  const startedAtMs = performance.now();
  let importedMs = Number.NaN;
  const imported = runCommand(copy, ...words).then((result) => {
    importedMs = performance.now() - startedAtMs;
    return result as { readonly created: number };
  });
  const rounds: StreamResult[][] = [];
  while (Number.isNaN(importedMs)) rounds.push([...(await startLoad(plan(5)))]);
  const { created } = await imported;
  if (created !== memories) throw new Error(`Only ${created} of ${memories} memories were created.`);
  alone.push(await embedderRate(folder.path, texts));
  // The last round has ended after the import.
  const busy = rounds.length > 1 ? rounds.slice(0, -1) : rounds;
  return [
    measureTable("Import", note(memories), [rateOf(memories, importedMs, alone), ...slower(idle, busy)]),
  ];
}

function note(memories: number): string {
  return `\`memledger memory import\` stores ${memories.toLocaleString("en")} memories of about 20 tokens, while one client reads from a project of ${readMemories.toLocaleString("en")}: of each kind ${1_000 / readEveryMs} reads per second. The embedder alone embeds texts of the same file, before and after; no server works then.`;
}

/** @returns the first texts of the file */
async function writeFile(path: string, memories: number): Promise<string[]> {
  const random = createRandom(7);
  const texts: string[] = [];
  const output = createWriteStream(path);
  for (let number = 0; number < memories; number++) {
    const content = sentence(random, number);
    if (texts.length < embeddedTexts) texts.push(content);
    const line = JSON.stringify({ content, memory_type: "fact", source_id: `bench:${number}` });
    if (!output.write(`${line}\n`)) await once(output, "drain");
  }
  output.end();
  await once(output, "close");
  return texts;
}

async function embedderRate(folder: string, texts: readonly string[]): Promise<number> {
  progress("import: the embedder alone");
  const embedder = await startEmbedder({ runtime: prepareRuntime(folder), model: defaultModel() });
  try {
    const embed = async (part: readonly string[]) => {
      let next = 0;
      const work = async () => {
        for (let text = part[next++]; text !== undefined; text = part[next++])
          await embedder.embed(text, "passage");
      };
      await Promise.all(Array.from({ length: 32 }, work));
    };
    await embed(texts.slice(0, 200));
    const startMs = performance.now();
    await embed(texts);
    return (1_000 * texts.length) / (performance.now() - startMs);
  } finally {
    await embedder.close();
  }
}

function streamsOf({ key, ids }: FilledProject): Stream[] {
  const random = createRandom(8);
  const some = Array.from({ length: 500 }, (_, at) => ids[(at * 7_919) % ids.length] ?? "");
  const common = { clients: 4, key, repeat: true, everyMs: readEveryMs };
  return [
    {
      ...common,
      name: "reads by id",
      calls: some.map((id) => ({ method: "GET", path: `/v1/memories/${id}` })),
    },
    { ...common, name: "lists", calls: [{ method: "GET", path: "/v1/memories?page_size=20" }] },
    {
      ...common,
      name: "searches",
      calls: some.map((_, number) => ({
        method: "POST",
        path: "/v1/memories/search",
        body: { query: question(random, number), top_k: 10 },
      })),
    },
  ];
}

function rateOf(memories: number, importedMs: number, alone: readonly number[]): Measure {
  const rate = (1_000 * memories) / importedMs;
  const embedder = Math.max(...alone);
  return {
    what: "memories imported, start of the command included",
    figure: perSecond(rate),
    comparedTo: `the embedder alone: ${alone.map(perSecond).join(" and ")}; share of the higher ${Math.round((100 * rate) / embedder)} %`,
    bar: `≥ ${100 * shareMin} %`,
    reached: rate >= shareMin * embedder,
  };
}

function slower(idle: readonly StreamResult[], rounds: readonly (readonly StreamResult[])[]): Measure[] {
  const p99 = (latencies: readonly number[]) =>
    percentile(
      latencies.toSorted((a, b) => a - b),
      0.99,
    );
  const all = (results: readonly StreamResult[]) => results.flatMap(({ latenciesMs }) => [...latenciesMs]);
  const row = (what: string, before: readonly StreamResult[], during: readonly StreamResult[]): Measure => {
    const [idleMs, busyMs] = [p99(all(before)), p99(all(during))];
    if (all(before).length < percentileMinCalls || all(during).length < percentileMinCalls) {
      const figure = "too few calls";
      return { what: `p99 of ${what} during the import`, figure, comparedTo: "", bar: "", reached: null };
    }
    return {
      what: `p99 of ${what} during the import`,
      figure: ms(busyMs),
      comparedTo: `idle ${ms(idleMs)}, ratio ${(busyMs / idleMs).toFixed(1)}`,
      bar: `ratio < ${slowerMax}`,
      reached: busyMs < slowerMax * idleMs,
    };
  };
  const named = (name: string) => (result: StreamResult) => result.name === name;
  const during = rounds.flat();
  const each = idle.map(({ name }) => row(name, idle.filter(named(name)), during.filter(named(name))));
  return [row("all reads", idle, during), ...each];
}
