// Search quality on sets of memories with questions, through the executable's HTTP API: every set, model and order. Must never rank by
// itself, but for the baseline.

import { readModelDirectory } from "../src/models/embedding/model-directory.ts";
import { createBm25 } from "./bm25.ts";
import { FilledServer, type Mode, type Model } from "./filled-server.ts";
import { type BenchOptions, progress, type Table } from "./harness.ts";
import { injections } from "./injections.ts";
import { type QuestionSet, readEveryday, readSets } from "./question-sets.ts";
import { depth, judge, type Rank, rankOf } from "./ranks.ts";
import {
  comparisonsOf,
  differencesTable,
  kindsTable,
  qualityTable,
  type Ranking,
} from "./retrieval-tables.ts";
import { ranksOf, readRun, writeRun } from "./runs.ts";

const search = (name: string, fields: Mode["fields"]): Mode => ({
  name,
  path: "/v1/memories/search",
  fields: { ...fields, top_k: depth },
});
const orders = [
  search("semantic", { mode: "semantic" }),
  search("hybrid", { mode: "hybrid", rerank: "off" }),
  search("hybrid + rerank", { mode: "hybrid", rerank: "on" }),
];

export async function retrieval(options: BenchOptions): Promise<readonly Table[]> {
  const sets = readSets(options.datasets, options.sets);
  const earlier = options.against?.endsWith(".json") ? readRun(options.against) : {};
  const models: Model[] = [
    { name: "embedded", directory: null },
    ...options.models.map((directory) => ({ name: readModelDirectory(directory).id, directory })),
  ];
  const measured = new Map<QuestionSet, readonly Ranking[]>();
  const tables: Table[] = [];
  for (const set of sets) {
    const rankings: Ranking[] = [];
    for (const model of models) rankings.push(...(await rank(options.executable, set, model)));
    rankings.push({ model: "BM25", order: null, ranks: rankByWords(set), latenciesMs: [] });
    measured.set(set, rankings);
    // At once, so that an interruption loses the rest only.
    if (options.output !== null) writeRun(options.output, measured);
    tables.push(qualityTable(set, rankings), kindsTable(set, rankings));
  }
  const comparisons = [...measured].flatMap(([set, rankings]) =>
    comparisonsOf(set, rankings, (name) => ranksOf(earlier, set, name)),
  );
  tables.push(differencesTable(comparisons));
  if (sets.some(({ name }) => name === "everyday"))
    tables.push(await injections(options.executable, readEveryday(), models));
  return tables;
}

/** Without the order that the model has no reranker for. */
async function rank(executable: string, set: QuestionSet, model: Model): Promise<Ranking[]> {
  progress(`retrieval: ${set.name}, ${model.name}: storing the memories`);
  using filled = await FilledServer.fill(executable, set.pools, model);
  const rankings: Ranking[] = [];
  for (const order of orders) {
    const { found, latenciesMs } = await filled.ask(order);
    if (order.fields.rerank === "on" && !found.some(({ reranked }) => reranked)) continue;
    const ranks = found.map((each) => each.rank);
    progress(`retrieval: ${set.name}, ${model.name}, ${order.name}: ${judge(ranks).join(" / ")}`);
    rankings.push({ model: model.name, order: order.name, ranks, latenciesMs });
  }
  return rankings;
}

function rankByWords({ pools }: QuestionSet): Rank[] {
  return pools.flatMap(({ memories, questions }) => {
    const rank = createBm25(memories.map(({ content }) => content));
    return questions.map(({ text, evidence, needsAll }) => {
      const best = rank(text).slice(0, depth);
      return rankOf(
        best.map((at) => [memories[at]?.id ?? ""]),
        evidence,
        needsAll,
      );
    });
  });
}
