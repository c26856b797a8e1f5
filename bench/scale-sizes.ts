// Measures searches in projects of different sizes, each with a server of its own, beside the limit: the raw scan of as many vectors. Must
// never compare figures of different rounds.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { readModelConfig } from "../src/models/embedding/model.ts";
import { defaultModel } from "../src/models/embedding/model-directory.ts";
import { median, ms, perSecond } from "./figures.ts";
import { type BenchOptions, type Measure, progress, residentMegabytes, startServer } from "./harness.ts";
import type { StreamResult } from "./load-generator.ts";
import { createRawScan } from "./raw-scan.ts";
import { projectOf, type ScaleDirectory } from "./scale-directory.ts";
import { count, loadSearches, p50, rateOf, searchOnce } from "./scale-load.ts";
import { tailText } from "./tail.ts";

interface Bar {
  readonly bar: number;
  readonly aim: number;
}

/** By number of memories, in milliseconds. */
const firstSearchBars: Readonly<Record<number, Bar>> = {
  10000: { bar: 40, aim: 20 },
  100000: { bar: 200, aim: 80 },
  1000000: { bar: 1_500, aim: 500 },
};
const rawBar: Bar & { readonly from: number } = { from: 100_000, bar: 2, aim: 1 };
const growthBar: Bar & { readonly from: number; readonly to: number } = {
  from: 10_000,
  to: 1_000_000,
  bar: 20,
  aim: 12,
};
const residentBar: Bar & { readonly memories: number } = { memories: 1_000_000, bar: 900, aim: 700 };
const hybridBar = 1.3;
const clients = [1, 8, 32] as const;
const startsMax = 3;

/** The size of the project whose searches are subtracted: what a search takes beside the scan. */
export const tiny = 10;

interface Place {
  readonly executable: string;
  /** For native libraries. */
  readonly folder: string;
  readonly directory: ScaleDirectory;
}

export async function measureSizes(place: Place, options: BenchOptions): Promise<Measure[]> {
  const measures: Measure[] = [];
  const medians = new Map<number, number>();
  for (const size of options.sizes) {
    const found = await measureSize(place, size, options);
    measures.push(...found.measures);
    medians.set(size, found.p50);
  }
  const [small, large] = [medians.get(growthBar.from), medians.get(growthBar.to)];
  if (small === undefined || large === undefined) return measures;
  const ratio = large / small;
  return [
    ...measures,
    {
      what: `search p50 over ${count(growthBar.to)} memories`,
      figure: ms(large),
      comparedTo: `over ${count(growthBar.from)}: ${ms(small)}, ratio ${ratio.toFixed(1)}`,
      ...judged("ratio", ratio, growthBar),
    },
  ];
}

async function measureSize(
  place: Place,
  size: number,
  options: BenchOptions,
): Promise<{ readonly measures: Measure[]; readonly p50: number }> {
  const starts = await measureStarts(place, size, Math.min(startsMax, options.rounds));
  const loads = await measureLoads(place, size, options);
  const first = median(starts.fromFiles);
  const ratios = loads.rounds.map(({ raw, base, fresh }) => (p50([fresh]) - p50([base])) / raw);
  const [raw, base] = [
    median(loads.rounds.map((round) => round.raw)),
    p50(loads.rounds.map((round) => round.base)),
  ];
  const fresh = loads.rounds.map((round) => round.fresh);
  const hybrid = loads.rounds.map((round) => round.hybrid);
  const hybridRatio = median(loads.rounds.map((round) => p50([round.hybrid]) / p50([round.fresh])));
  const ratio = median(ratios);
  const name = `${count(size)} memories`;
  const isJudged = size >= rawBar.from;
  const measures: Measure[] = [
    {
      what: `first search over ${name} after a start`,
      figure: ms(first),
      comparedTo: `over ${tiny} memories: ${ms(median(starts.ofTiny))}; without cache files: ${ms(starts.fromDatabase)}`,
      ...judged("", first, firstSearchBars[size], ms),
    },
    {
      what: `search over ${name}, p50 (${tailText(fresh)})`,
      figure: ms(p50(fresh)),
      comparedTo: `over ${tiny} memories: ${ms(base)}; raw scan on one thread: ${ms(raw)}; ratio of the rest to it ${ratio.toFixed(2)}`,
      ...judged("ratio", ratio, isJudged ? rawBar : undefined),
    },
    {
      what: `hybrid search over ${name}, p50 (${tailText(hybrid)})`,
      figure: ms(p50(hybrid)),
      comparedTo: `by meaning alone: ${ms(p50(fresh))}, ratio ${hybridRatio.toFixed(2)}`,
      bar: `ratio ≤ ${hybridBar}`,
      reached: hybridRatio <= hybridBar,
    },
    ...clients.map((number, at) => {
      const rounds = loads.rounds.flatMap(({ rates }) => rates[at] ?? []);
      return {
        what: `searches over ${name} with ${number} ${number === 1 ? "client" : "clients"}, p50 ${ms(p50(rounds))} (${tailText(rounds)})`,
        figure: perSecond(rateOf(rounds)),
        comparedTo: `raw scans on one thread: ${perSecond(1_000 / raw)}`,
        bar: "",
        reached: null,
      };
    }),
    {
      what: `resident memory with ${name} searched`,
      figure: `${loads.megabytes.toFixed(0)} MB`,
      comparedTo: `with ${tiny} memories: ${loads.idleMegabytes.toFixed(0)} MB`,
      ...judged(
        "",
        loads.megabytes,
        size === residentBar.memories ? residentBar : undefined,
        (value) => `${value} MB`,
      ),
    },
  ];
  return { measures, p50: p50(fresh) };
}

/** The first searches of servers, with the files that the one before has left, and once without them. */
async function measureStarts({ executable, directory }: Place, size: number, rounds: number) {
  const { dataDir } = directory;
  const [project, other] = [projectOf(directory, size), projectOf(directory, tiny)];
  const start = async (key: string) => {
    await using server = await startServer(executable, dataDir);
    return await searchOnce(server.port, key);
  };
  progress(`scale: first searches over ${size}`);
  rmSync(join(dataDir, "cache"), { recursive: true, force: true });
  const fromDatabase = await start(project.key);
  const [fromFiles, ofTiny]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ofTiny.push(await start(other.key));
    fromFiles.push(await start(project.key));
  }
  return { fromDatabase, fromFiles, ofTiny };
}

interface Round {
  readonly raw: number;
  /** Searches over few memories. */
  readonly base: StreamResult;
  readonly fresh: StreamResult;
  readonly hybrid: StreamResult;
  /** For each number of clients. */
  readonly rates: readonly StreamResult[];
}

async function measureLoads({ executable, folder, directory }: Place, size: number, options: BenchOptions) {
  const { seconds } = options;
  const [{ key }, other] = [projectOf(directory, size), projectOf(directory, tiny)];
  const scan = createRawScan(folder, size, readModelConfig(defaultModel()).dimensions);
  await using server = await startServer(executable, directory.dataDir);
  const { port, pid } = server;
  await loadSearches(port, 1, { key: other.key });
  const idleMegabytes = await residentMegabytes(pid);
  await searchOnce(port, key);
  const rounds: Round[] = [];
  for (let number = 0; number <= options.rounds; number++) {
    progress(`scale: searches over ${size}, round ${number + 1}`);
    const raw = scan();
    const base = await loadSearches(port, seconds, { key: other.key });
    const fresh = await loadSearches(port, seconds, { key });
    const hybrid = await loadSearches(port, seconds, { key, mode: "hybrid" });
    const rates: StreamResult[] = [];
    for (const number of clients) {
      // The searches of one client are those above.
      rates.push(number === 1 ? fresh : await loadSearches(port, seconds, { key, clients: number }));
    }
    // The first round is the warm-up.
    if (number > 0) rounds.push({ raw, base, fresh, hybrid, rates });
  }
  return { rounds, idleMegabytes, megabytes: await residentMegabytes(pid) };
}

function judged(
  name: string,
  value: number,
  bar: Bar | undefined,
  print: (value: number) => string = String,
): Pick<Measure, "bar" | "reached"> {
  if (bar === undefined) return { bar: "", reached: null };
  return { bar: `${name} ≤ ${print(bar.bar)}, better ${print(bar.aim)}`.trim(), reached: value <= bar.bar };
}
