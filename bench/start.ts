// How long the executable takes from its start to the first answered call, and how much memory it holds when idle.

import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { median, ms } from "./figures.ts";
import {
  type BenchOptions,
  copyAlone,
  measureTable,
  progress,
  residentMegabytes,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import { Connection, toRequest } from "./http-client.ts";

const settleMs = 2_000;

export async function start(options: BenchOptions): Promise<readonly Table[]> {
  using folder = temporaryFolder();
  const executable = copyAlone(options.executable, folder.path);
  const dataDir = join(folder.path, "data");
  const first: Start[] = [];
  const later: Start[] = [];
  const filled: Start[] = [];
  const firstTexts: number[] = [];
  for (let round = 0; round < options.rounds; round++) {
    progress(`start: round ${round + 1}`);
    rmSync(dataDir, { recursive: true, force: true });
    const one = await measure(executable, dataDir, null);
    first.push(one);
    later.push(await measure(executable, dataDir, one.key));
    firstTexts.push(await storeFirst(executable, dataDir, one.key));
    filled.push(await measure(executable, dataDir, one.key));
  }
  const firstMs = median(first.map(({ answeredMs }) => answeredMs));
  const laterMs = median(later.map(({ answeredMs }) => answeredMs));
  const bare = median(await bareStarts(executable, options.rounds));
  const firstMegabytes = median(first.map(({ megabytes }) => megabytes));
  const laterMegabytes = median(later.map(({ megabytes }) => megabytes));
  const note = `Median of ${options.rounds} starts with a warm page cache, from the start of the process to the answer to an authenticated, recorded \`GET /v1/memories\`. Memory is resident memory ${settleMs / 1_000} s after that answer.`;
  const filledMs = median(filled.map(({ answeredMs }) => answeredMs));
  const filledMegabytes = median(filled.map(({ megabytes }) => megabytes));
  const against = `\`memledger version\`: ${ms(bare)}`;
  return [
    measureTable("Start", note, [
      {
        what: "first start (unpacks its libraries)",
        figure: ms(firstMs),
        comparedTo: against,
        bar: "< 1 s",
        reached: firstMs < 1_000,
      },
      {
        what: "later starts",
        figure: ms(laterMs),
        comparedTo: against,
        bar: "≤ 300 ms",
        reached: laterMs <= 300,
      },
      {
        what: "idle memory after a first start, without memories",
        figure: megabytes(firstMegabytes),
        comparedTo: "",
        bar: "≤ 200 MB",
        reached: firstMegabytes <= 200,
      },
      {
        what: "idle memory after a later start, without memories",
        figure: megabytes(laterMegabytes),
        comparedTo: "",
        bar: "≤ 200 MB",
        reached: laterMegabytes <= 200,
      },
      {
        what: "the first memory of a server without memories, which loads the model",
        figure: ms(median(firstTexts)),
        comparedTo: "",
        bar: "",
        reached: null,
      },
      {
        what: "a start with a memory, which loads the model",
        figure: ms(filledMs),
        comparedTo: `without: ${ms(laterMs)}`,
        bar: "",
        reached: null,
      },
      {
        what: "idle memory after a start with a memory",
        figure: megabytes(filledMegabytes),
        comparedTo: `without: ${megabytes(laterMegabytes)}`,
        bar: "",
        reached: null,
      },
      {
        what: "size of the executable",
        figure: megabytes(statSync(executable).size / 1e6),
        comparedTo: "",
        bar: "",
        reached: null,
      },
    ]),
  ];
}

interface Start {
  readonly answeredMs: number;
  readonly megabytes: number;
  readonly key: string;
}

async function measure(executable: string, dataDir: string, knownKey: string | null): Promise<Start> {
  await using server = await startServer(executable, dataDir);
  const key = knownKey ?? server.firstKey;
  if (key === null) throw new Error("The first start printed no key.");
  const start = performance.now();
  const connection = await Connection.open(server.port);
  const { status } = await connection.send(toRequest("GET", "/v1/memories", key));
  const answeredMs = server.readyMs + performance.now() - start;
  connection.close();
  if (status !== 200) throw new Error(`The first call was answered with ${status}.`);
  await Bun.sleep(settleMs);
  return { answeredMs, megabytes: await residentMegabytes(server.pid), key };
}

/** @returns how long the first create takes, in ms */
async function storeFirst(executable: string, dataDir: string, key: string): Promise<number> {
  await using server = await startServer(executable, dataDir);
  const connection = await Connection.open(server.port);
  const body = { content: "Deploys happen on Thursdays.", memory_type: "fact" };
  const start = performance.now();
  const { status } = await connection.send(toRequest("POST", "/v1/memories", key, body));
  const took = performance.now() - start;
  connection.close();
  if (status !== 201) throw new Error(`The first memory was answered with ${status}.`);
  return took;
}

/** What the process alone costs, before it opens anything. */
async function bareStarts(executable: string, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await Bun.spawn([executable, "version"], { stdout: "ignore" }).exited;
    times.push(performance.now() - start);
  }
  return times;
}

const megabytes = (value: number) => `${value.toFixed(0)} MB`;
