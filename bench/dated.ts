// Questions about a time, asked over HTTP of memories that differ only by their dates: how often the right one is the first. Must never rank
// by itself, but to say what the period adds.

import { periodWeight, rerankedDivisor } from "../src/memory/ranking/reranking.ts";
import { type DatedQuestions, loadDatedQuestions } from "../test/memory/dated/dated-questions.ts";
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

/** As many memories as are reranked. */
const depth = 32;

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
  const set = loadDatedQuestions(Date.now());
  const { key, plain, judged } = await askOften(copy, dataDir, set);
  const late = await askWithoutTime(copy, dataDir, key, set);
  const unaided = judged.map(({ results, ...asked }) => ({ ...asked, results: withoutPeriod(results) }));
  const { memories, questions } = set;
  const table: Table = {
    title: "Retrieval: questions about a time",
    note: `${questions.length} questions such as "Where did we have dinner three weeks ago?" over ${memories.length} memories with dates, in one project; those of a series differ only by their dates and by what is asked for (test/memory/dated; its author has also written the rules that read dates). \`POST /v1/memories/search\` in the mode hybrid, \`top_k\` ${depth}. Without the period: its part is subtracted from the scores, and the results are ordered again. The texts were judged before once. Too late: \`rerank-deadline-ms\` is 1. In percent.`,
    columns: ["ranking", "hit@1", "hit@5", "hit@32", "p50", "p95"],
    rows: [
      row("hybrid, `rerank` off", plain),
      row("`rerank` on, without the period", unaided).with(-2, "").with(-1, ""),
      row("`rerank` on", judged),
      row("`rerank` auto, too late for nearly all", late),
    ],
  };
  return [table];
}

/** Stores the memories, and asks with the texts in memory of the reranker. */
async function askOften(executable: string, dataDir: string, { memories, questions }: DatedQuestions) {
  await using server = await startServer(executable, dataDir);
  const { key } = await createProject(executable, dataDir, "dated");
  const connection = await Connection.open(server.port);
  for (const { content } of memories) {
    const body = { content, memory_type: "fact" };
    dataOf(await connection.send(toRequest("POST", "/v1/memories", key, body)), 201);
  }
  await askAll(connection, key, "on", questions);
  const plain = await askAll(connection, key, "off", questions);
  const judged = await askAll(connection, key, "on", questions);
  connection.close();
  return { key, plain, judged };
}

async function askWithoutTime(
  executable: string,
  dataDir: string,
  key: string,
  { questions }: DatedQuestions,
): Promise<readonly Asked[]> {
  await using server = await startServer(executable, dataDir, "--rerank-deadline-ms", "1");
  const connection = await Connection.open(server.port);
  const asked = await askAll(connection, key, "auto", questions);
  connection.close();
  return asked;
}

async function askAll(
  connection: Connection,
  key: string,
  rerank: string,
  questions: DatedQuestions["questions"],
): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  for (const { question: query, answer } of questions) {
    const body = { query, mode: "hybrid", rerank, top_k: depth };
    const start = performance.now();
    const reply = await connection.send(toRequest("POST", "/v1/memories/search", key, body));
    const latencyMs = performance.now() - start;
    const { results } = dataOf(reply, 200) as { results: Result[] };
    asked.push({ results, answer, latencyMs });
  }
  return asked;
}

function withoutPeriod(results: readonly Result[]): readonly Result[] {
  const scoreOf = ({ final_score: score, score_details: details }: Result) =>
    score - (0.7 * periodWeight * (details.rerank?.period ?? 0)) / rerankedDivisor;
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
