// Measures what other projects notice of a large one: their searches and lists while it is searched, and while its index is built from
// nothing. Must never leave the building out of the measured time.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { ms } from "./figures.ts";
import {
  type BenchOptions,
  expectStatuses,
  type Measure,
  progress,
  startLoad,
  startServer,
} from "./harness.ts";
import type { Stream, StreamResult } from "./load-generator.ts";
import { projectOf, type ScaleDirectory } from "./scale-directory.ts";
import { count, searchCall, searches, searchOnce, steady } from "./scale-load.ts";
import { tailOf } from "./tail.ts";

const bar = { ratio: 5, aim: 3 };
const everyMs = 40;
const warmUpSeconds = 2;
const searchingClients = 4;
const buildsMax = 3;
const buildLimitSeconds = 300;

const probed = ["searches", "lists"] as const;
type Probes = Readonly<Record<(typeof probed)[number], StreamResult[]>>;

export async function measureOthers(
  executable: string,
  directory: ScaleDirectory,
  sizes: { readonly probed: number; readonly busy: number },
  options: BenchOptions,
): Promise<Measure[]> {
  const { key } = projectOf(directory, sizes.probed);
  const large = projectOf(directory, sizes.busy);
  const probes = (seconds: number): Stream[] => [
    steady("searches", key, everyMs, searches(seconds / 2)),
    steady("lists", key, everyMs, [{ method: "GET", path: "/v1/memories?page_size=50" }]),
  ];
  const run = async (
    into: Probes,
    port: number,
    plan: { seconds: number; streams: Stream[]; until?: string },
  ) => {
    const results = await startLoad({ port, ...plan });
    for (const result of results) expectStatuses(result, 200);
    for (const name of probed) into[name].push(...results.filter((result) => result.name === name));
    return results;
  };
  const empty = (): Probes => ({ searches: [], lists: [] });
  const searched = { idle: empty(), busy: empty() };
  {
    await using server = await startServer(executable, directory.dataDir);
    const { port } = server;
    await searchOnce(port, large.key);
    await run(empty(), port, { seconds: warmUpSeconds, streams: probes(warmUpSeconds) });
    for (let round = 0; round < options.rounds; round++) {
      progress(`scale: others while ${sizes.busy} are searched, round ${round + 1}`);
      const { seconds } = options;
      const calls = searches(seconds);
      const load: Stream = { name: "load", clients: searchingClients, key: large.key, repeat: false, calls };
      await run(searched.idle, port, { seconds, streams: probes(seconds) });
      await run(searched.busy, port, { seconds, streams: [...probes(seconds), load] });
    }
  }
  const indexed = { idle: empty(), busy: empty() };
  for (let round = 0; round < Math.min(buildsMax, options.rounds); round++) {
    progress(`scale: others while ${sizes.busy} are indexed, round ${round + 1}`);
    rmSync(join(directory.dataDir, "cache"), { recursive: true, force: true });
    await using server = await startServer(executable, directory.dataDir);
    const { port } = server;
    const { seconds } = options;
    await run(empty(), port, { seconds: warmUpSeconds, streams: probes(warmUpSeconds) });
    await run(indexed.idle, port, { seconds, streams: probes(seconds) });
    const first: Stream = { name: "first", clients: 1, key: large.key, repeat: false, calls: [searchCall()] };
    const streams = [...probes(30), first];
    await run(indexed.busy, port, { seconds: buildLimitSeconds, streams, until: first.name });
  }
  const told = `in a project of ${count(sizes.probed)}`;
  return [
    ...compare(
      `${told} while one of ${count(sizes.busy)} is searched by ${searchingClients} clients`,
      searched,
    ),
    ...compare(`${told} while one of ${count(sizes.busy)} is indexed from nothing`, indexed),
  ];
}

function compare(what: string, { idle, busy }: { readonly idle: Probes; readonly busy: Probes }): Measure[] {
  return probed.map((kind) => {
    const { name, values } = tailOf(idle[kind], busy[kind]);
    const [before = Number.NaN, during = Number.NaN] = values;
    const ratio = during / before;
    const worst = Math.max(...busy[kind].map(({ latenciesMs }) => latenciesMs.at(-1) ?? 0));
    return {
      what: `${kind} ${what}, ${name} (longest ${ms(worst)})`,
      figure: ms(during),
      comparedTo: `idle ${name} ${ms(before)}, ratio ${ratio.toFixed(1)}`,
      bar: `ratio ≤ ${bar.ratio}, better ${bar.aim}`,
      reached: ratio <= bar.ratio,
    };
  });
}
