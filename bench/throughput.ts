// What 32 clients at once get out of one server, durable and audited: updates, creates, tokens and reads.

import { join } from "node:path";
import { creates } from "./creates.ts";
import { median, ms, percentile, perSecond } from "./figures.ts";
import { fill } from "./fill.ts";
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
import type { PlannedCall, Stream, StreamResult } from "./load-generator.ts";
import { reads } from "./reads.ts";
import { createRandom } from "./texts.ts";
import { tokens } from "./tokens.ts";

const clients = 32;
const memories = 5_000;

export async function throughput(options: BenchOptions): Promise<readonly Table[]> {
  const ceiling = await generatorCeiling(options);
  const measures = [
    ...(await updates(options)),
    ...(await creates(options, clients)),
    ...(await tokens(options, clients)),
    ...(await reads(options, clients, ceiling)),
  ];
  const note = `${clients} clients, each sending its next call when the last one is answered; every call durable (\`synchronous = FULL\`) with its audit record. The load generator reaches ${perSecond(ceiling)} against a server that does nothing.`;
  return [measureTable("Throughput", note, measures)];
}

/** Calls per second that the generator makes against a server that does nothing. */
async function generatorCeiling({ seconds }: BenchOptions): Promise<number> {
  progress("throughput: the load generator's own ceiling");
  const answer = JSON.stringify({ success: true, code: 1000, message: "success", data: {} });
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(answer) });
  try {
    const stream = { name: "nothing", key: "", calls: [{ method: "GET", path: "/" }], clients, repeat: true };
    return rate(await loadOne(server.port ?? 0, seconds, stream, 200));
  } finally {
    await server.stop(true);
  }
}

/** The same server twice, with and without group commit, by turns. */
async function updates({ executable, seconds, rounds }: BenchOptions): Promise<Measure[]> {
  using folder = temporaryFolder();
  const copy = copyAlone(executable, folder.path);
  const sides = [];
  await using servers = new AsyncDisposableStack();
  for (const groupCommit of ["true", "false"]) {
    const dataDir = join(folder.path, groupCommit);
    const [project] = await fill(dataDir, [memories]);
    if (project === undefined) throw new Error("Nothing was filled.");
    const server = servers.use(await startServer(copy, dataDir, "--group-commit", groupCommit));
    const random = createRandom(1);
    const calls = project.ids.map((id) => update(id, random()));
    const stream: Stream = { name: "updates", clients, key: project.key, calls, repeat: true };
    await loadOne(server.port, 1, stream, 200);
    sides.push({ port: server.port, stream, rates: [] as number[], p50: [] as number[] });
  }
  for (let round = 0; round < rounds; round++) {
    progress(`throughput: updates, round ${round + 1}`);
    for (const side of sides) {
      const result = await loadOne(side.port, seconds, side.stream, 200);
      side.rates.push(rate(result));
      side.p50.push(percentile(result.latenciesMs, 0.5));
    }
  }
  const [grouped = 0, single = 0] = sides.map(({ rates }) => median(rates));
  const [groupedMs = 0, singleMs = 0] = sides.map(({ p50 }) => median(p50));
  return [
    {
      what: `updates of importance (p50 ${ms(groupedMs)})`,
      figure: perSecond(grouped),
      comparedTo: `without group commit: ${perSecond(single)} (p50 ${ms(singleMs)}), ratio ${(grouped / single).toFixed(1)}`,
      bar: "ratio ≥ 2",
      reached: grouped >= 2 * single,
    },
  ];
}

function update(id: string, importance: number): PlannedCall {
  return { method: "PUT", path: `/v1/memories/${id}`, body: { importance } };
}

const rate = ({ calls, seconds }: StreamResult) => calls / seconds;
