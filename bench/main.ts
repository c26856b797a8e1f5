// Runs the benches that are named and prints their tables; with --write, into bench/RESULTS.md, too. Must never change a figure.

import { cpus, loadavg, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { backup } from "./backup.ts";
import { bodyReading } from "./bodies.ts";
import { consolePages } from "./console.ts";
import { dated } from "./dated.ts";
import { embedding } from "./embedding.ts";
import { extraction } from "./extraction.ts";
import { gateway } from "./gateway.ts";
import {
  type Bench,
  type BenchOptions,
  copyAlone,
  progress,
  runCommand,
  temporaryFolder,
  toMarkdown,
} from "./harness.ts";
import { importing } from "./importing.ts";
import { kernels } from "./kernels.ts";
import { latency } from "./latency.ts";
import { ledger } from "./ledger.ts";
import { mcp } from "./mcp.ts";
import { reranking } from "./reranking.ts";
import { introduction, toSection, writeResults } from "./results.ts";
import { retrieval } from "./retrieval.ts";
import { scale } from "./scale.ts";
import { secrets } from "./secrets.ts";
import { sizing } from "./sizing.ts";
import { start } from "./start.ts";
import { stdio } from "./stdio.ts";
import { subjects } from "./subjects.ts";
import { throughput } from "./throughput.ts";

const benches: Readonly<Record<string, Bench>> = {
  retrieval,
  reranking,
  dated,
  embedding,
  throughput,
  latency,
  kernels,
  scale,
  subjects,
  import: importing,
  mcp,
  stdio,
  ledger,
  extraction,
  secrets,
  bodies: bodyReading,
  start,
  sizing,
  backup,
  console: consolePages,
  gateway,
};

const usage = `bun run bench [${Object.keys(benches).join("|")} ...] [options]
  --executable FILE  the executable to measure (default: dist/memledger; make it with: bun run build)
  --against FILE     another executable whose speed is compared, by turns, in throughput and scale; in extraction, what it finds
  --against FILE.json  what --output of another run of retrieval wrote; its rankings are compared question by question
  --model DIR        another model to compare with the embedded one, in retrieval and embedding; may be repeated
  --dataset FILE     conversations in the LoCoMo format (.json or .json.gz), for retrieval, embedding and extraction; may be
                     repeated for retrieval, the others read the first
  --sets NAME,...    only these sets in retrieval: everyday, and those that are named after their files (default: all)
  --output FILE      where retrieval writes the ranks of all questions, for --against
  --sts FILE         STS benchmark (sentence, sentence, score), for embedding
  --pairs FILE       labelled pairs (default: models/training/pairs-test.tsv), for embedding
  --translations FILE  English, translation, source, tab-separated, for embedding
  --seconds N        how long each load lasts (default: 5)
  --rounds N         how often it is repeated; medians are printed (default: 5)
  --records N        how many records the ledger has, in ledger, console and subjects (default: 1000000)
  --memories N       how many memories are imported, or those of a tenth as many subjects are (default: 100000)
  --sizes N,N,...    memories of the projects in scale, and in console (default: 10000,100000,1000000)
  --directory DIR    where scale and console keep their filled data directories for the next run (default: none are kept)
  --write            put the results into bench/RESULTS.md, too, and leave those of other benches there
Without names it runs all benches.`;

const root = resolve(import.meta.dir, "..");

await main().catch((error: unknown) => {
  progress(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      executable: { type: "string", default: join(root, "dist/memledger") },
      against: { type: "string" },
      model: { type: "string", multiple: true, default: [] },
      dataset: { type: "string", multiple: true, default: [] },
      sets: { type: "string" },
      output: { type: "string" },
      sts: { type: "string" },
      pairs: { type: "string", default: join(root, "models/training/pairs-test.tsv") },
      translations: { type: "string" },
      seconds: { type: "string", default: "5" },
      rounds: { type: "string", default: "5" },
      records: { type: "string", default: "1000000" },
      memories: { type: "string", default: "100000" },
      sizes: { type: "string", default: "10000,100000,1000000" },
      directory: { type: "string" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${usage}\n`);
  const options: BenchOptions = {
    executable: resolve(values.executable),
    against: values.against === undefined ? null : resolve(values.against),
    models: values.model.map((directory) => resolve(directory)),
    datasets: values.dataset,
    sets: values.sets?.split(",") ?? null,
    output: values.output ?? null,
    sts: values.sts ?? null,
    translations: values.translations ?? null,
    pairs: values.pairs,
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    records: Number(values.records),
    memories: Number(values.memories),
    sizes: toSizes(values.sizes),
    directory: values.directory === undefined ? null : resolve(values.directory),
  };
  const names = positionals.length > 0 ? positionals : Object.keys(benches);
  const unknown = names.find((name) => benches[name] === undefined);
  if (unknown !== undefined) throw new Error(`There is no bench ${unknown}.\n${usage}`);
  process.stdout.write(`${introduction}\n`);
  const ran = new Map<string, string>();
  for (const name of names) {
    progress(`# ${name}`);
    const provenance = await describeRun(options);
    const tables = ((await benches[name]?.(options)) ?? []).map(toMarkdown);
    const section = toSection(name, provenance, tables);
    process.stdout.write(`${section}\n`);
    ran.set(name, section);
    // At once, so that an interruption loses the rest only.
    if (values.write) writeResults(join(root, "bench/RESULTS.md"), Object.keys(benches), ran);
  }
}

function toSizes(text: string): number[] {
  const sizes = text.split(",").map(Number);
  if (sizes.some((size) => !Number.isSafeInteger(size) || size < 1))
    throw new Error(`--sizes must be numbers of memories with commas between them, and not ${text}.`);
  return sizes.sort((a, b) => a - b);
}

async function describeRun({ executable, seconds, rounds }: BenchOptions): Promise<string> {
  using folder = temporaryFolder();
  const told = (await runCommand(copyAlone(executable, folder.path), "version")) as Record<string, unknown>;
  const [processor] = cpus();
  const machine = `${cpus().length} x ${processor?.model.trim()}, ${(totalmem() / 1e9).toFixed(0)} GB, ${process.platform} ${process.arch}`;
  const day = new Date().toISOString().slice(0, 10);
  const load = `load average ${loadavg()[0]?.toFixed(1)} at the start`;
  return `${day}, version ${told.version}, commit ${told.commit}; ${machine}, ${load}. Loads last ${seconds} s and are repeated ${rounds} times; figures are medians.`;
}
