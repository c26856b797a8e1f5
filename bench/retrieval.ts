// Search quality and latency on real conversations, through the executable's HTTP API: each turn one memory, each question
// one search. Must never rank by itself, but for the baseline.

import { readModelDirectory } from "../src/embedding/model-directory.ts";
import { createBm25 } from "./bm25.ts";
import {
  type BenchOptions,
  copyAlone,
  createProject,
  ms,
  percentile,
  progress,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import { Connection, type HttpReply, toRequest } from "./http-client.ts";
import {
  type Conversation,
  judge,
  qualityColumns,
  type Ranking,
  readConversations,
  toContent,
} from "./locomo.ts";

const depth = 20;

export async function retrieval(options: BenchOptions): Promise<readonly Table[]> {
  if (options.dataset === null) throw new Error("Name the conversations: --dataset FILE (LoCoMo format).");
  const conversations = readConversations(options.dataset);
  const rows = [["BM25 (words only)", ...judge(rankByWords(conversations)), "", "", ""]];
  for (const model of [null, ...options.models]) {
    const name = model === null ? "embedded model" : readModelDirectory(model).id;
    progress(`retrieval: ${name}`);
    const { rankings, latenciesMs } = await ask(options.executable, conversations, model);
    const latencies = [0.5, 0.95, 0.99].map((p) => ms(percentile(latenciesMs, p)));
    rows.push([name, ...judge(rankings), ...latencies]);
  }
  const turns = conversations.reduce((sum, each) => sum + each.turns.length, 0);
  const questions = conversations.reduce((sum, each) => sum + each.questions.length, 0);
  const note = `${conversations.length} conversations, one project each; ${turns} turns, each a fact \`[date] text\` of the same importance; ${questions} questions, each one \`POST /v1/memories/search\` with \`top_k\` ${depth}, one after another. hit@k: any evidence turn among the first k; recall@k: share of them. In percent. BM25 is computed by the bench on the same texts.`;
  const columns = ["ranking", ...qualityColumns, "p50", "p95", "p99"];
  return [{ title: "Retrieval", note, columns, rows }];
}

function rankByWords(conversations: readonly Conversation[]): Ranking[] {
  return conversations.flatMap(({ turns, questions }) => {
    const rank = createBm25(turns.map(toContent));
    return questions.map(({ question, evidence }) => {
      const best = rank(question).slice(0, depth);
      return { places: best.map((at) => [turns[at]?.id ?? ""]), evidence };
    });
  });
}

async function ask(executable: string, conversations: readonly Conversation[], model: string | null) {
  using folder = temporaryFolder();
  const copy = copyAlone(executable, folder.path);
  const dataDir = `${folder.path}/data`;
  const flags = model === null ? [] : ["--model", model];
  await using server = await startServer(copy, dataDir, ...flags);
  const rankings: Ranking[] = [];
  const latenciesMs: number[] = [];
  for (const conversation of conversations) {
    const { key } = await createProject(copy, dataDir, conversation.id);
    const turnsOf = await remember(server.port, key, conversation);
    const connection = await Connection.open(server.port);
    for (const { question, evidence } of conversation.questions) {
      const request = toRequest("POST", "/v1/memories/search", key, { query: question, top_k: depth });
      const start = performance.now();
      const reply = await connection.send(request);
      latenciesMs.push(performance.now() - start);
      const { results } = dataOf(reply, 200) as { results: { memory: { id: string } }[] };
      rankings.push({ places: results.map(({ memory }) => turnsOf.get(memory.id) ?? []), evidence });
    }
    connection.close();
  }
  return { rankings, latenciesMs: latenciesMs.sort((a, b) => a - b) };
}

/** Creates the memories; returns the turns that each one stands for, since turns of the same text share one. */
async function remember(
  port: number,
  key: string,
  { turns }: Conversation,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const turnsOf = new Map<string, string[]>();
  const connection = await Connection.open(port);
  for (const turn of turns) {
    const body = { content: toContent(turn), memory_type: "fact", importance: 0.5 };
    const reply = await connection.send(toRequest("POST", "/v1/memories", key, body));
    const { id, memory_id = id } = dataOf(reply, 201, 409) as { id?: string; memory_id?: string };
    if (memory_id === undefined) throw new Error("A created memory has no id.");
    turnsOf.set(memory_id, [...(turnsOf.get(memory_id) ?? []), turn.id]);
  }
  connection.close();
  return turnsOf;
}

function dataOf({ status, body }: HttpReply, ...expected: readonly number[]): unknown {
  const text = Buffer.from(body).toString("utf8");
  if (!expected.includes(status)) throw new Error(`The server answered ${status}: ${text}`);
  return (JSON.parse(text) as { data: unknown }).data;
}
