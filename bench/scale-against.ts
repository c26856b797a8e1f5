// Compares the rate of searches with that of another executable, by turns in one sitting. Each has its own data directory, because formats
// differ: the other one is filled through its API, and then given the same kind of vectors. Must never change an own data directory.

import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readModelConfig } from "../src/models/embedding/model.ts";
import { defaultModel } from "../src/models/embedding/model-directory.ts";
import { median, ms, perSecond } from "./figures.ts";
import {
  type BenchOptions,
  createProject,
  type Measure,
  progress,
  runCommand,
  startServer,
} from "./harness.ts";
import { Connection, toRequest } from "./http-client.ts";
import type { StreamResult } from "./load-generator.ts";
import { projectOf, type ScaleDirectory } from "./scale-directory.ts";
import { count, loadSearches, p50, rateOf, searchOnce } from "./scale-load.ts";
import { createRandom } from "./texts.ts";
import { unitVector } from "./unit-vector.ts";

const bar = { ratio: 6, aim: 12 };
const clients = 8;
const fillers = 32;

interface Side {
  readonly port: number;
  readonly key: string;
  readonly rounds: StreamResult[];
}

/** @param folder keeps the data directory of the other executable */
export async function compareWith(
  other: string,
  folder: string,
  own: { readonly executable: string; readonly directory: ScaleDirectory; readonly size: number },
  { seconds, rounds }: BenchOptions,
): Promise<Measure[]> {
  const { version } = (await runCommand(other, "version")) as { version: string };
  const filled = await openOther(other, folder, own.size);
  await using servers = new AsyncDisposableStack();
  const start = async (executable: string, dataDir: string, key: string): Promise<Side> => {
    const { port } = servers.use(await startServer(executable, dataDir));
    await searchOnce(port, key);
    return { port, key, rounds: [] };
  };
  const mine = await start(own.executable, own.directory.dataDir, projectOf(own.directory, own.size).key);
  const theirs = await start(other, filled.dataDir, filled.key);
  for (let round = 0; round <= rounds; round++) {
    progress(`scale: compared with version ${version}, round ${round + 1}`);
    for (const { port, key, rounds: results } of [mine, theirs]) {
      const result = await loadSearches(port, seconds, { key, clients });
      if (round > 0) results.push(result); // The first one is the warm-up.
    }
  }
  const ratio = median(
    mine.rounds.map((result, at) => rateOf([result]) / rateOf(theirs.rounds.slice(at, at + 1))),
  );
  return [
    {
      what: `searches over ${count(own.size)} memories with ${clients} clients, compared with version ${version} (p50 ${ms(p50(mine.rounds))})`,
      figure: perSecond(rateOf(mine.rounds)),
      comparedTo: `${perSecond(rateOf(theirs.rounds))} (p50 ${ms(p50(theirs.rounds))}), ratio ${ratio.toFixed(1)}`,
      bar: `ratio ≥ ${bar.ratio}, better ${bar.aim}`,
      reached: ratio >= bar.ratio,
    },
  ];
}

async function openOther(executable: string, folder: string, size: number) {
  const [dataDir, keys] = [join(folder, "data"), join(folder, "keys.json")];
  if (existsSync(keys)) {
    const kept = JSON.parse(readFileSync(keys, "utf8")) as { readonly key: string; readonly size: number };
    if (kept.size === size) return { dataDir, key: kept.key };
    throw new Error(`${folder} has ${kept.size} memories. Remove the folder, or name another one.`);
  }
  if (existsSync(dataDir)) throw new Error(`${dataDir} was not filled completely. Remove it.`);
  mkdirSync(folder, { recursive: true });
  const key = await createMemories(executable, dataDir, size);
  randomiseVectors(join(dataDir, "memledger.db"));
  writeFileSync(keys, `${JSON.stringify({ key, size })}\n`, { mode: 0o600 });
  return { dataDir, key };
}

/** Short texts, because the server embeds each. */
async function createMemories(executable: string, dataDir: string, size: number): Promise<string> {
  await using server = await startServer(executable, dataDir);
  const { key } = await createProject(executable, dataDir, "compared");
  const random = createRandom(14);
  let next = 0;
  const work = async () => {
    const connection = await Connection.open(server.port);
    while (next < size) {
      const number = next++;
      if (number % 10_000 === 0) progress(`filling the other data directory, ${number} of ${size}`);
      const body = { content: `ticket ${number}`, memory_type: "fact", importance: random() };
      const reply = await connection.send(toRequest("POST", "/v1/memories", key, body));
      if (reply.status !== 201) throw new Error(`A memory could not be created: ${Buffer.from(reply.body)}`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: fillers }, work));
  return key;
}

/** Embeddings of such texts are all alike, which no scan likes: both sides search random vectors. */
function randomiseVectors(file: string): void {
  const { dimensions } = readModelConfig(defaultModel());
  const random = createRandom(15);
  const database = new Database(file);
  try {
    const serials = database.query<{ memory: number }, []>("SELECT memory FROM memory_vector").all();
    const update = database.prepare<unknown, [Uint8Array, number]>(
      "UPDATE memory_vector SET embedding = ? WHERE memory = ?",
    );
    database.transaction(() => {
      for (const { memory } of serials)
        update.run(new Uint8Array(unitVector(random, dimensions).buffer), memory);
    })();
  } finally {
    database.close();
  }
}
