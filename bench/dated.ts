// Questions about a time, asked over HTTP of memories that differ only by their dates: how often the right one is the first. Must never rank
// by itself, but to say what the period adds.

import { signWeights } from "../src/ranking/signs.ts";
import { loadDatedQuestions } from "../test/memory/dated/dated-questions.ts";
import { mean, ms, percent, percentile } from "./figures.ts";
import {
  type BenchOptions,
  copyAlone,
  createProject,
  progress,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import { Connection, toRequest } from "./http-client.ts";
import { dataOf } from "./http-data.ts";

/** As many memories as are judged again. */
const depth = 32;
/** By which the sum of relevance, MaxSim and signs is divided, less 0.5 (API.md). */
const divisor = 1.75;

interface Result {
  readonly memory: { readonly content: string };
  readonly final_score: number;
  readonly score_details: { readonly rerank?: { readonly period: number } };
}

interface Asked {
  readonly results: readonly Result[];
  readonly latencyMs: number;
  /** What the memory that answers the question contains. */
  readonly answer: string;
}

export async function dated({ executable }: BenchOptions): Promise<readonly Table[]> {
  progress("dated: questions about a time");
  using folder = temporaryFolder();
  const copy = copyAlone(executable, folder.path);
  const dataDir = `${folder.path}/data`;
  await using server = await startServer(copy, dataDir);
  const { key } = await createProject(copy, dataDir, "dated");
  const connection = await Connection.open(server.port);
  const post = async (path: string, body: object) =>
    dataOf(await connection.send(toRequest("POST", path, key, body)), 200, 201);
  const { memories, questions } = loadDatedQuestions(Date.now());
  for (const { content } of memories) await post("/v1/memories", { content, memory_type: "fact" });
  const ask = async (rerank: string): Promise<readonly Asked[]> => {
    const asked: Asked[] = [];
    for (const { question: query, answer } of questions) {
      const body = { query, mode: "hybrid", rerank, top_k: depth };
      const start = performance.now();
      const { results } = (await post("/v1/memories/search", body)) as { results: Result[] };
      asked.push({ results, answer, latencyMs: performance.now() - start });
    }
    return asked;
  };
  await ask("on");
  const [plain, judged] = [await ask("off"), await ask("on")];
  connection.close();
  const unaided = judged.map(({ results, ...asked }) => ({ ...asked, results: withoutPeriod(results) }));
  const table: Table = {
    title: "Retrieval: questions about a time",
    note: `${questions.length} questions such as "Where did we have dinner three weeks ago?" over ${memories.length} memories with dates, in one project; those of a series differ only by their dates and by what is asked for (test/memory/dated; its author has also written the rules that read dates). \`POST /v1/memories/search\` in the mode hybrid, \`top_k\` ${depth}. Without the period: its part is subtracted from the scores, and the results are ordered again. The texts were judged before once. In percent.`,
    columns: ["ranking", "hit@1", "hit@5", "hit@32", "p50", "p95"],
    rows: [
      row("hybrid, `rerank` off", plain),
      row("`rerank` on, without the period", unaided).with(-2, "").with(-1, ""),
      row("`rerank` on", judged),
    ],
  };
  return [table];
}

function withoutPeriod(results: readonly Result[]): readonly Result[] {
  const scoreOf = ({ final_score: score, score_details: details }: Result) =>
    score - (0.7 * signWeights.period * (details.rerank?.period ?? 0)) / divisor;
  return results.toSorted((a, b) => scoreOf(b) - scoreOf(a));
}

function row(name: string, asked: readonly Asked[]): string[] {
  const hit = (depthOfHit: number) =>
    mean(
      asked.map(({ results, answer }) =>
        results.slice(0, depthOfHit).some(({ memory }) => memory.content.includes(answer)) ? 1 : 0,
      ),
    );
  const times = asked.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  return [
    name,
    ...[1, 5, depth].map((k) => percent(hit(k))),
    ...[0.5, 0.95].map((p) => ms(percentile(times, p))),
  ];
}
