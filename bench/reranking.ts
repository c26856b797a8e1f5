// How long a rerank takes: 32 candidates of two sentences, whose token vectors are computed or in memory, beside the hybrid search that finds
// them. Must never rank by itself.

import { join } from "node:path";
import { median, ms } from "./figures.ts";
import { fill } from "./fill.ts";
import {
  type BenchOptions,
  copyAlone,
  progress,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import { Connection, toRequest } from "./http-client.ts";
import { dataOf } from "./http-data.ts";
import { createRandom, question, sentence } from "./texts.ts";

const memories = 10_000;
const queries = 60;
/** Of two sentences; the setting rerank-deadline-ms has the same default. */
const barMs = 60;

/**
 * The searches of a query, in this order: the first one embeds it, the third one finds all token vectors in memory. Those with a tag are each in
 * memories of their own, so that no query finds the token vectors of another one.
 */
const searches = [
  { name: "hybrid, without reranking", rerank: "off", isTagged: false },
  { name: "reranked, token vectors computed", rerank: "on", isTagged: true },
  { name: "reranked, token vectors in memory", rerank: "on", isTagged: true },
  { name: "the same without reranking", rerank: "off", isTagged: true },
] as const;

const warmUps = 5;
const tagOf = (number: number) => `part ${number % (queries + warmUps)}`;
const twoSentences: typeof sentence = (random, number) =>
  `${sentence(random, number)} ${sentence(random, number)}`;

export async function reranking(options: BenchOptions): Promise<readonly Table[]> {
  using folder = temporaryFolder();
  const executable = copyAlone(options.executable, folder.path);
  const dataDir = join(folder.path, "data");
  const [project] = await fill(dataDir, [memories], (number) => [tagOf(number)], twoSentences);
  if (project === undefined) throw new Error("Nothing was filled.");
  progress("reranking: time");
  await using server = await startServer(executable, dataDir);
  const connection = await Connection.open(server.port);
  const random = createRandom(11);
  const times: number[][] = searches.map(() => []);
  for (let number = 0; number < queries + warmUps; number++) {
    const query = question(random, number);
    for (const [at, { rerank, isTagged }] of searches.entries()) {
      const body = {
        query,
        mode: "hybrid",
        top_k: 10,
        rerank,
        ...(isTagged ? { tags: [tagOf(number)] } : {}),
      };
      const request = toRequest("POST", "/v1/memories/search", project.key, body);
      const startMs = performance.now();
      const reply = await connection.send(request);
      const elapsedMs = performance.now() - startMs;
      const { reranked = false } = dataOf(reply, 200) as { reranked?: boolean };
      if (reranked !== (rerank === "on"))
        throw new Error(`The search of ${query} was ${rerank === "on" ? "not " : ""}reranked.`);
      // The first ones load the index and the model.
      if (number >= warmUps) times[at]?.push(elapsedMs);
    }
  }
  connection.close();
  const known = times[3] ?? [];
  const added = (at: number) => median((times[at] ?? []).map((value, turn) => value - (known[turn] ?? 0)));
  const rows = searches.map(({ name, rerank }, at) => [
    name,
    ms(median(times[at] ?? [])),
    rerank === "on" ? ms(added(at)) : "",
    rerank === "on" ? `≤ ${barMs} ms` : "",
    rerank === "on" ? (added(at) <= barMs ? "yes" : "no") : "",
  ]);
  const table: Table = {
    title: "Reranking: time",
    note: `${memories.toLocaleString("en")} memories of two sentences (about 40 tokens), \`top_k\` 10, ${queries} questions, each searched four times in the order of the rows, one after another; the last three in the memories of one tag, another one for each question, so that no token vector is known before. A rerank judges 32 candidates. Its time is the median of the differences from the last row.`,
    columns: ["search", "p50", "of it the rerank", "bar", "reached"],
    rows,
  };
  return [table];
}
