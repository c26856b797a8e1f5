// How long one client waits: while others keep the server busy, in large projects, and during the largest bulk delete.

import { join } from "node:path";
import { callsBesideBatches } from "./beside-batches.ts";
import { median, ms, percentile } from "./figures.ts";
import { type FilledProject, fill } from "./fill.ts";
import {
  type BenchOptions,
  copyAlone,
  expectStatuses,
  loadOne,
  type Measure,
  measureTable,
  progress,
  type Server,
  startLoad,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import type { PlannedCall, Stream, StreamResult } from "./load-generator.ts";
import { tailOf, tailText } from "./tail.ts";
import { createRandom, question, sentence } from "./texts.ts";

const small = 10_000;
const large = 100_000;
const deleted = 200_000;

export async function latency(options: BenchOptions): Promise<readonly Table[]> {
  using folder = temporaryFolder();
  const executable = copyAlone(options.executable, folder.path);
  const dataDir = join(folder.path, "data");
  const [ten, hundred, doomed, sender] = await fill(dataDir, [small, large, deleted, 1], tagsOf);
  if (ten === undefined || hundred === undefined || doomed === undefined || sender === undefined)
    throw new Error("Nothing was filled.");
  await using server = await startServer(executable, dataDir);
  const measures = [
    ...(await firstSearch(server, hundred)),
    ...(await firstSearch(server, doomed)),
    ...(await searches(server, ten, options)),
    ...(await searches(server, hundred, options)),
    ...(await readsBesideWork(server, hundred, options)),
    ...(await callsBesideBatches(server, ten, sender, options)),
    ...(await bulkDelete(server, ten, doomed)),
  ];
  const note = `Projects of ${count(small)}, ${count(large)} and ${count(deleted)} memories in one server, all with random unit vectors instead of embedded texts (embedding them would take minutes; searching them takes the same time). Idle: nobody else calls.`;
  return [measureTable("Latency", note, measures)];
}

/** One tag that all memories have, and one that a quarter of them has. */
const commonTag = "common";
const quarterTag = "team 0";
const tagsOf = (number: number) => [commonTag, `team ${number % 4}`];

/** The index in memory is built from the database by the first search after a start. */
async function firstSearch({ port }: Server, { key, ids }: FilledProject): Promise<Measure[]> {
  const stream = { name: "first search", clients: 1, key, repeat: false, calls: [search("Who?")] };
  const [first, second] = [await loadOne(port, 60, stream, 200), await loadOne(port, 60, stream, 200)];
  return [
    {
      what: `first search over ${count(ids.length)} memories after a start`,
      figure: ms(at(1)(first)),
      comparedTo: `the second: ${ms(at(1)(second))}`,
      bar: "",
      reached: null,
    },
  ];
}

/**
 * One client, one search after another: by meaning, again with queries that were asked before, these with tags, and by meaning and words.
 * Words are at their most expensive: every word of a question but one is in many memories, some in all of them.
 */
async function searches(
  { port }: Server,
  project: FilledProject,
  { rounds }: BenchOptions,
): Promise<Measure[]> {
  const size = count(project.ids.length);
  const random = createRandom(3);
  const { key } = project;
  const stream = { name: "searches", clients: 1, key, repeat: false };
  const kinds = ["fresh", "known", "common", "quarter", "hybrid"] as const;
  const runs: Record<(typeof kinds)[number], StreamResult[]> = {
    fresh: [],
    known: [],
    common: [],
    quarter: [],
    hybrid: [],
  };
  for (let round = 0; round <= rounds; round++) {
    progress(`latency: searches over ${size}, round ${round + 1}`);
    const questions = Array.from({ length: 200 }, (_, at) => question(random, round * 400 + at));
    const fresh = questions.map((query) => search(query));
    const hybrid = make(200, (at) => search(question(random, round * 400 + 200 + at), "hybrid"));
    const calls = {
      fresh,
      known: fresh,
      common: questions.map((query) => searchTagged(query, commonTag)),
      quarter: questions.map((query) => searchTagged(query, quarterTag)),
      hybrid,
    };
    for (const kind of kinds) {
      const result = await loadOne(port, 600, { ...stream, calls: calls[kind] }, 200);
      if (round > 0) runs[kind].push(result);
    }
  }
  const middle = (results: readonly StreamResult[]) => ({
    p50: median(results.map(at(0.5))),
    tail: tailText(results),
  });
  const [fresh, known, hybrid] = [middle(runs.fresh), middle(runs.known), middle(runs.hybrid)];
  const [common, quarter] = [middle(runs.common), middle(runs.quarter)];
  const ratio = hybrid.p50 / fresh.p50;
  const tagRow = (name: string, found: typeof common): Measure => ({
    what: `search over ${size} memories with a tag that ${name} of them have, p50 (${found.tail})`,
    figure: ms(found.p50),
    comparedTo: `the same queries without a tag, between the same rounds: ${ms(known.p50)}, ratio ${(found.p50 / known.p50).toFixed(2)}`,
    bar: "ratio ≤ 1.1",
    reached: found.p50 <= 1.1 * known.p50,
  });
  const isSmall = project.ids.length === small;
  return [
    {
      what: `search over ${size} memories, p50 (${fresh.tail})`,
      figure: ms(fresh.p50),
      comparedTo: `queries asked before: ${ms(known.p50)} (${known.tail})`,
      bar: isSmall ? "≤ 15 ms" : "",
      reached: isSmall ? fresh.p50 <= 15 : null,
    },
    tagRow("all", common),
    tagRow("a quarter", quarter),
    {
      what: `hybrid search over ${size} memories, p50 (${hybrid.tail})`,
      figure: ms(hybrid.p50),
      comparedTo: `by meaning alone, between the same rounds: ${ms(fresh.p50)}, ratio ${ratio.toFixed(2)}`,
      bar: isSmall ? "ratio ≤ 2, better 1.3" : "",
      reached: isSmall ? ratio <= 2 : null,
    },
  ];
}

/** Reads at a steady pace, alone and beside eight clients that search and create in the same project. */
async function readsBesideWork(
  { port }: Server,
  { key, ids }: FilledProject,
  { seconds, rounds }: BenchOptions,
): Promise<Measure[]> {
  const probe = reading(key, ids);
  const random = createRandom(4);
  const idle: StreamResult[] = [];
  const busy: (readonly StreamResult[])[] = [];
  for (let round = 0; round <= rounds; round++) {
    progress(`latency: reads beside searches and creates, round ${round + 1}`);
    const work = [
      {
        name: "searches",
        clients: 4,
        key,
        repeat: false,
        calls: make(2_000 * seconds, (n) => search(question(random, n))),
      },
      {
        name: "creates",
        clients: 4,
        key,
        repeat: false,
        calls: make(2_000 * seconds, (n) => create(`${round} ${sentence(random, n)}`)),
      },
    ];
    const alone = await loadOne(port, seconds, probe, 200);
    const beside = await startLoad({ port, seconds, streams: [probe, ...work] });
    if (round === 0) continue; // warm-up
    idle.push(alone);
    busy.push(beside);
  }
  const p50 = (results: readonly StreamResult[]) => median(results.map(at(0.5)));
  const probes = busy.flatMap(([first]) => first ?? []);
  const rates = [1, 2].map((at) => median(busy.map((results) => (results[at]?.calls ?? 0) / seconds)));
  const { name, values } = tailOf(idle, probes);
  const [idleTail = 0, busyTail = 0] = values;
  return [
    {
      what: `read by id, ${name} beside ${rates[0]?.toFixed(0)} searches/s and ${rates[1]?.toFixed(0)} creates/s over ${count(large)} memories (p50 ${ms(p50(probes))})`,
      figure: ms(busyTail),
      comparedTo: `idle ${name} ${ms(idleTail)} (p50 ${ms(p50(idle))}), ratio ${(busyTail / idleTail).toFixed(1)}`,
      bar: "ratio < 10",
      reached: busyTail < 10 * idleTail,
    },
  ];
}

/** One call deletes everything of a project while others read, update, create and search, there and in another project. */
async function bulkDelete({ port }: Server, other: FilledProject, doomed: FilledProject): Promise<Measure[]> {
  progress("latency: bulk delete");
  const random = createRandom(5);
  const others = (run: string): Stream[] => [
    reading(other.key, other.ids),
    steady(
      "updates",
      other.key,
      20,
      make(2_000, (n) => update(other.ids[n] ?? "", random())),
    ),
    steady(
      "creates",
      other.key,
      20,
      make(2_000, (n) => create(`${run} ${sentence(random, n)}`)),
    ),
    steady(
      "searches",
      other.key,
      20,
      make(2_000, (n) => search(question(random, n))),
    ),
    steady(
      "searches in the emptied project",
      doomed.key,
      100,
      make(500, (n) => search(question(random, n))),
    ),
  ];
  const seconds = 20;
  await startLoad({ port, seconds: 2, streams: others("warm-up") });
  const before = await startLoad({ port, seconds: 5, streams: others("before") });
  const removal: Stream = {
    name: "delete",
    clients: 1,
    key: doomed.key,
    repeat: false,
    afterMs: 1_000,
    calls: [{ method: "DELETE", path: "/v1/memories", body: {} }],
  };
  const results = await startLoad({ port, seconds, streams: [removal, ...others("during")] });
  const [removed, ...meanwhile] = results;
  if (removed === undefined) throw new Error("The bulk delete was not answered.");
  expectStatuses(removed, 200);
  const answer = at(1)(removed);
  const worst = (of: readonly StreamResult[]) =>
    of.map((result) => ({ name: result.name, delay: at(1)(result) })).sort((a, b) => b.delay - a.delay)[0];
  const [worstBefore, worstDuring] = [worst(before), worst(meanwhile)];
  return [
    {
      what: `bulk delete of ${count(deleted)} memories, answered`,
      figure: ms(answer),
      comparedTo: "",
      bar: "≤ 1 s",
      reached: answer <= 1_000,
    },
    {
      what: `worst call of others from then until ${seconds - 1} s later (${worstDuring?.name})`,
      figure: ms(worstDuring?.delay ?? 0),
      comparedTo: `in 5 s before: ${ms(worstBefore?.delay ?? 0)} (${worstBefore?.name})`,
      bar: "≤ 100 ms",
      reached: (worstDuring?.delay ?? 0) <= 100,
    },
  ];
}

function reading(key: string, ids: readonly string[]): Stream {
  const calls = ids.slice(0, 5_000).map((id) => ({ method: "GET", path: `/v1/memories/${id}` }));
  return steady("reads", key, 10, calls);
}

/** Calls at a steady pace, however long the answers take: enough clients that one is free. */
function steady(name: string, key: string, everyMs: number, calls: readonly PlannedCall[]): Stream {
  return { name, clients: 16, key, repeat: true, everyMs, calls };
}

/** Without reranking, which does not depend on the number of memories (bench/reranking.ts measures it). */
const search = (query: string, mode: "semantic" | "hybrid" = "semantic"): PlannedCall => ({
  method: "POST",
  path: "/v1/memories/search",
  body: { query, mode, rerank: "off" },
});
const searchTagged = (query: string, tag: string): PlannedCall => ({
  method: "POST",
  path: "/v1/memories/search",
  body: { query, tags: [tag] },
});
const create = (content: string): PlannedCall => ({
  method: "POST",
  path: "/v1/memories",
  body: { content, memory_type: "fact" },
});
const update = (id: string, importance: number): PlannedCall => ({
  method: "PUT",
  path: `/v1/memories/${id}`,
  body: { importance },
});

function make(length: number, call: (number: number) => PlannedCall): PlannedCall[] {
  return Array.from({ length }, (_, number) => call(number));
}

const at =
  (p: number) =>
  ({ latenciesMs }: StreamResult): number =>
    percentile(latenciesMs, p);
const count = (value: number) => value.toLocaleString("en");
