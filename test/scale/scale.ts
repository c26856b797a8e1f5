// Uses a server with many memories: the first search after a start, resident memory during mixed load with one kill, and at the end the order
// of every kind of search, from an index and from the database, compared with a naive ranking. Must never pass over a search that was not compared.

import { join } from "node:path";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import type { Target } from "../crash/load.ts";
import { type Server, temporaryFolder } from "../crash/server.ts";
import { findVerdict } from "../crash/verify.ts";
import { type ComparedSearch, compareAnswers, comparedSearches } from "./comparisons.ts";
import { createMixedLoad, shortLifeMs } from "./mixed-load.ts";
import { Place } from "./place.ts";
import { rankStored } from "./stored-ranking.ts";

export interface ScaleOptions {
  readonly memories: number;
  readonly minutes: number;
  readonly seed: number;
  /** Words before `serve`. */
  readonly command: readonly string[];
}

interface ScaleReport {
  readonly seen: string;
  readonly faults: readonly string[];
}

/** What a server may need: 900 MB with a million memories, of which the models and the load take most of the first 650. */
const residentLimitMegabytes = (memories: number) => 650 + (250 * memories) / 1e6;
/** With fewer memories the start of a busy machine decides. */
const firstSearchLimit = { memories: 1_000_000, ms: 1_500 };
/** The least that can be set; larger projects are searched in the database. */
const smallCache = ["--search-cache-mb", "16"];

export async function scale({ memories, minutes, seed, command }: ScaleOptions): Promise<ScaleReport> {
  using folder = temporaryFolder();
  const place = new Place(join(folder.path, "data"), command);
  const [large, queries] = await place.fill(memories);
  const limit = residentLimitMegabytes(memories);
  const load = createMixedLoad(seed, memories);

  // The first start has no cache files: it makes them.
  const built = await place.start();
  const target = (server: Server, key = large.key): Target => ({ url: server.url, key });
  const builtMs = await searchOnce(target(built));
  const searches = comparedSearches(
    seed,
    await place.findVectors(target(built, queries.key), queries.projectId, seed),
  );
  await place.stop(built);

  const first = await place.start();
  const firstMs = await searchOnce(target(first));
  if (memories >= firstSearchLimit.memories && firstMs > firstSearchLimit.ms)
    place.faults.push(`the first search took ${firstMs.toFixed(0)} ms, and not ${firstSearchLimit.ms}`);
  const resident: number[] = [];
  await place.use(first, load, { key: large.key, minutes: minutes / 2, resident, endsByKill: true });

  const second = await place.start();
  const secondMs = await searchOnce(target(second));
  await place.use(second, load, { key: large.key, minutes: minutes / 2, resident, endsByKill: false });
  await Bun.sleep(shortLifeMs);
  const now = Date.now();
  const current = searches.map(({ input, query }): ComparedSearch => ({ input, query: { ...query, now } }));
  const stored = rankStored(
    locate(place.dataDir).database,
    large.projectId,
    current.map(({ query }) => query),
  );
  const compare = async (server: Server, where: string) => {
    const faults = await compareAnswers(target(server), current, stored.hits);
    place.faults.push(...faults.map((fault) => `${where}: ${fault}`));
  };
  await compare(second, "index");
  await place.stop(second);
  const third = await place.start(smallCache);
  await compare(third, "database");
  await place.stop(third);
  place.judgeEnd(load);

  const most = Math.max(...resident);
  if (most > limit)
    place.faults.push(`resident memory was ${most.toFixed(0)} MB, and not at most ${limit.toFixed(0)} MB`);
  const steps = [...load.answered].map(([name, count]) => `${name} ${count}`);
  const seen = [
    `${memories.toLocaleString("en")} memories, ${minutes} minutes of mixed load, 1 kill`,
    `first search without cache files ${ms(builtMs)}, after a start ${ms(firstMs)}, after the kill ${ms(secondMs)}`,
    `resident memory at most ${most.toFixed(0)} MB (limit ${limit.toFixed(0)} MB)`,
    `answered: ${steps.join(", ")}`,
    `${load.kept.size} memories kept, ${[...load.deleted.ids].length} deleted, ${[...load.deleted.tags].length} tags emptied`,
    `${current.length} searches compared with ${stored.memories.toLocaleString("en")} memories, from the index and from the database`,
  ];
  return { seen: seen.join("; "), faults: [...place.faults, ...(await findVerdict(command, place.dataDir))] };
}

/** Milliseconds. */
async function searchOnce({ url, key }: Target): Promise<number> {
  const start = performance.now();
  const response = await fetch(`${url}/v1/memories/search`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query: "Which exports are late?" }),
  });
  await response.text();
  if (response.status !== 200) throw new Error(`the first search was answered ${response.status}`);
  return performance.now() - start;
}

const ms = (value: number) => `${value.toFixed(0)} ms`;
