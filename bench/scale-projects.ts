// Measures searches in many small projects in turn, beside one of them alone. Must never search a project twice before all the others.

import { median, ms, percentile } from "./figures.ts";
import {
  type BenchOptions,
  loadOne,
  type Measure,
  progress,
  residentMegabytes,
  startServer,
} from "./harness.ts";
import type { StreamResult } from "./load-generator.ts";
import type { ScaleDirectory } from "./scale-directory.ts";
import { count, p50, searchCall } from "./scale-load.ts";
import { tailText } from "./tail.ts";

/** Memories of each. */
export const projectSize = 1_000;
const bar = { ratio: 3, aim: 1.5 };
const callsOfOne = 1_000;

export async function measureProjects(
  executable: string,
  { dataDir, projects }: ScaleDirectory,
  { rounds }: BenchOptions,
): Promise<Measure[]> {
  const all = projects.filter(({ size }) => size === projectSize);
  const [one] = all;
  if (one === undefined) throw new Error("There is no project.");
  {
    // So that there are cache files of all of them.
    await using server = await startServer(executable, dataDir);
    await searchAll(server.port, all);
  }
  await using server = await startServer(executable, dataDir);
  const { port, pid } = server;
  const afterStart = await searchAll(port, all);
  const [inTurn, alone]: [StreamResult[], StreamResult[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    progress(`scale: ${all.length} projects in turn, round ${round + 1}`);
    inTurn.push(await searchAll(port, all));
    alone.push(
      await searchAll(
        port,
        Array.from({ length: Math.min(callsOfOne, all.length) }, () => one),
      ),
    );
  }
  const ratio = median(inTurn.map((result, at) => p50([result]) / p50(alone.slice(at, at + 1))));
  const megabytes = await residentMegabytes(pid);
  return [
    {
      what: `search in ${count(all.length)} projects of ${count(projectSize)} memories in turn, p50 (${tailText(inTurn)})`,
      figure: ms(p50(inTurn)),
      comparedTo: `in one of them: ${ms(p50(alone))}, ratio ${ratio.toFixed(2)}; resident memory ${megabytes.toFixed(0)} MB`,
      bar: `ratio ≤ ${bar.ratio}, better ${bar.aim}`,
      reached: ratio <= bar.ratio,
    },
    {
      what: "the first search in each of them after a start, p50",
      figure: ms(percentile(afterStart.latenciesMs, 0.5)),
      comparedTo: `the later ones: ${ms(p50(inTurn))}`,
      bar: "",
      reached: null,
    },
  ];
}

/** One client. */
function searchAll(port: number, projects: readonly { readonly key: string }[]): Promise<StreamResult> {
  const calls = projects.map(({ key }) => searchCall("semantic", { Authorization: `Bearer ${key}` }));
  return loadOne(port, 600, { name: "searches in turn", clients: 1, key: "", repeat: false, calls }, 200);
}
