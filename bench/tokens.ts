// How fast tokens are issued, each for a subject that nobody knew before, and what each of them takes on the disk with its record.

import { statSync } from "node:fs";
import { join } from "node:path";
import { ms, percentile, perSecond } from "./figures.ts";
import {
  type BenchOptions,
  copyAlone,
  loadOne,
  type Measure,
  progress,
  startServer,
  temporaryFolder,
} from "./harness.ts";
import type { Stream, StreamResult } from "./load-generator.ts";

const count = 10_000;
const rateMin = 2_000;
const bytesMax = 2_500;
/** All tokens must be issued, however slow the machine is. */
const limitSeconds = 600;

export async function tokens({ executable }: BenchOptions, clients: number): Promise<Measure[]> {
  progress("throughput: tokens");
  using folder = temporaryFolder();
  const copy = copyAlone(executable, folder.path);
  const dataDir = join(folder.path, "data");
  const { key, known } = await withServer(copy, dataDir, async ({ port, firstKey }) => {
    if (firstKey === null) throw new Error("The first start printed no key.");
    return { key: firstKey, known: await issue(port, firstKey, clients, () => "user") };
  });
  const before = bytesOf(dataDir);
  const issued = await withServer(copy, dataDir, ({ port }) =>
    issue(port, key, clients, (at) => `user:${at}`),
  );
  const bytes = (bytesOf(dataDir) - before) / count;
  const rate = rateOf(issued);
  return [
    {
      what: `tokens issued, each for a new subject (p99 ${ms(percentile(issued.latenciesMs, 0.99))})`,
      figure: perSecond(rate),
      comparedTo: `all for one subject: ${perSecond(rateOf(known))}`,
      bar: `≥ ${perSecond(rateMin)}`,
      reached: rate >= rateMin,
    },
    {
      what: "disk for one of these tokens, with its subject and its record",
      figure: `${Math.round(bytes)} bytes`,
      comparedTo: "",
      bar: `≤ ${bytesMax} bytes`,
      reached: bytes <= bytesMax,
    },
  ];
}

async function withServer<Result>(
  executable: string,
  dataDir: string,
  work: (server: Awaited<ReturnType<typeof startServer>>) => Promise<Result>,
): Promise<Result> {
  await using server = await startServer(executable, dataDir);
  return await work(server);
}

async function issue(
  port: number,
  key: string,
  clients: number,
  subjectOf: (at: number) => string,
): Promise<StreamResult> {
  const calls = Array.from({ length: count }, (_, at) => ({
    method: "POST",
    path: "/v1/keys",
    body: { subject: subjectOf(at) },
  }));
  const stream: Stream = { name: "tokens", clients, key, calls, repeat: false };
  const result = await loadOne(port, limitSeconds, stream, 201);
  if (result.calls !== count) throw new Error(`Only ${result.calls} tokens were issued.`);
  return result;
}

function rateOf({ calls, seconds }: StreamResult): number {
  return calls / seconds;
}

/** While no server runs, so that no write-ahead log is left. */
function bytesOf(dataDir: string): number {
  return statSync(join(dataDir, "memledger.db")).size;
}
