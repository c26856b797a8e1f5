// Search quality and latency on real conversations, through the executable's HTTP API: each turn one memory, each question
// one search or injection. Must never rank by itself, but for the baseline.

import { readModelDirectory } from "../src/embedding/model-directory.ts";
import { createBm25 } from "./bm25.ts";
import { type Answered, FilledServer, type Mode } from "./conversations.ts";
import { mean, ms, percent, percentile } from "./figures.ts";
import { type BenchOptions, type Measure, measureTable, progress, type Table } from "./harness.ts";
import {
  type Conversation,
  hitRate,
  judge,
  meanReciprocalRank,
  qualityColumns,
  type Ranking,
  readConversations,
  toContent,
} from "./locomo.ts";
import { rerankTimes } from "./reranking.ts";
import { createRandom } from "./texts.ts";

const depth = 20;
/** Share by which words and meaning together have to find more than words alone. */
const lead = 0.03;

const search = "/v1/memories/search";
const semantic: Mode = { name: "semantic", path: search, fields: {} };
const inject = "/v1/memories/inject";
const hybrid: Mode = { name: "hybrid", path: search, fields: { mode: "hybrid", rerank: "off" } };
const reranked: Mode = { name: "hybrid, reranked", path: search, fields: { mode: "hybrid", rerank: "on" } };
const injection: Mode = { name: "injection", path: inject, fields: { rerank: "off" } };
const rerankedInjection: Mode = { name: "injection, reranked", path: inject, fields: { rerank: "on" } };
const ownModes = [semantic, hybrid, reranked, injection, rerankedInjection];

/** Questions that people ask an assistant and that no conversation of friends answers. */
const unrelated = [
  "How do I configure an nginx reverse proxy with TLS?",
  "Why does the TypeScript compiler complain about optional chaining?",
  "Write a SQL query that joins orders and customers.",
  "What is the capital of Australia?",
  "Explain the difference between TCP and UDP.",
  "How does garbage collection work in Go?",
  "Refactor this function to use async iterators.",
  "What is the boiling point of nitrogen?",
  "Fix the failing unit test in the parser module.",
  "Which port does PostgreSQL listen on?",
  "Summarise the quarterly revenue report.",
  "Generate a regular expression for e-mail addresses.",
  "What does HTTP 409 mean?",
  "When was the French Revolution?",
  "Draft an e-mail declining a vendor's offer.",
  "How can I speed up a Docker build?",
  "What is the square root of 1764?",
  "Which tax form do freelancers file?",
];

export async function retrieval(options: BenchOptions): Promise<readonly Table[]> {
  if (options.dataset === null) throw new Error("Name the conversations: --dataset FILE (LoCoMo format).");
  const conversations = readConversations(options.dataset);
  const words = rankByWords(conversations);
  const rows = [["BM25 (words only)", ...judge(words), "", ""]];
  using own = await FilledServer.fill(options.executable, conversations, null);
  const answers = new Map<Mode, Answered>();
  for (const mode of ownModes) {
    progress(`retrieval: ${mode.name}`);
    const answered = await own.ask(mode, depth);
    answers.set(mode, answered);
    rows.push([`embedded model, ${mode.name}`, ...figures(answered)]);
  }
  for (const model of options.models) {
    const name = readModelDirectory(model).id;
    using filled = await FilledServer.fill(options.executable, conversations, model);
    for (const mode of [semantic, hybrid]) {
      progress(`retrieval: ${name}, ${mode.name}`);
      rows.push([`${name}, ${mode.name}`, ...figures(await filled.ask(mode, depth))]);
    }
  }
  const turns = conversations.reduce((sum, each) => sum + each.turns.length, 0);
  const questions = conversations.reduce((sum, each) => sum + each.questions.length, 0);
  const note = `${conversations.length} conversations, one project each; ${turns} turns, each a fact \`[date] text\` of the same importance; ${questions} questions with \`top_k\` ${depth}, one after another: \`POST /v1/memories/search\` in both modes, and \`POST /v1/memories/inject\`, which leaves out what is below its floor; hybrid searches and injections without and with \`rerank\`, without a deadline. The server is started anew for each row. hit@k: any evidence turn among the first k; recall@k: share of them. In percent. BM25 is computed by the bench on the same texts. The ranking was tuned on these questions (docs/ARCHITECTURE.md), so the figures say how well it fits them; expect less on other conversations.`;
  const columns = ["ranking", ...qualityColumns, "p50", "p95"];
  return [
    { title: "Retrieval", note, columns, rows },
    bars(words, answers),
    await importance(own, answers),
    await rerankTimes(options),
  ];
}

function figures({ rankings, latenciesMs }: Answered): string[] {
  return [...judge(rankings), ...[0.5, 0.95].map((p) => ms(percentile(latenciesMs, p)))];
}

function bars(words: readonly Ranking[], answers: ReadonlyMap<Mode, Answered>): Table {
  const found = answers.get(hybrid)?.rankings ?? [];
  const measures = [5, 10].map((k) => {
    const [figure, comparedTo] = [hitRate(found, k), hitRate(words, k)];
    return {
      what: `hit@${k} of hybrid search`,
      figure: percent(figure),
      comparedTo: `BM25 ${percent(comparedTo)}`,
      bar: `≥ BM25 + ${percent(lead)}`,
      reached: figure >= comparedTo + lead,
    };
  });
  const note =
    "Words and meaning together have to find more than words alone. Reranking has to reach what was set as its aim before it was made.";
  return measureTable("Retrieval: bars", note, [...measures, ...rerankBars(found, answers)]);
}

function rerankBars(plain: readonly Ranking[], answers: ReadonlyMap<Mode, Answered>): Measure[] {
  const found = answers.get(reranked)?.rankings ?? [];
  const measures: readonly (readonly [string, (rankings: readonly Ranking[]) => number, number])[] = [
    ["MRR@20", meanReciprocalRank, 0.61],
    ["hit@5", (rankings) => hitRate(rankings, 5), 0.74],
    ["hit@10", (rankings) => hitRate(rankings, 10), 0.81],
  ];
  return measures.map(([name, measure, bar]) => ({
    what: `${name} of hybrid search, reranked`,
    figure: percent(measure(found)),
    comparedTo: `hybrid ${percent(measure(plain))}`,
    bar: `≥ ${percent(bar)}`,
    reached: measure(found) >= bar,
  }));
}

/** What importance does to search and to injection: it is drawn at random, so it knows nothing of the questions. */
async function importance(filled: FilledServer, same: ReadonlyMap<Mode, Answered>): Promise<Table> {
  progress("retrieval: importances at random");
  await filled.weigh(createRandom(9));
  const rows: string[][] = [];
  for (const mode of ownModes) {
    const before = same.get(mode)?.rankings ?? [];
    const after = (await filled.ask(mode, depth)).rankings;
    const inVain = await filled.askInVain(mode, unrelated, 10);
    rows.push([
      mode.name,
      ...[before, after].flatMap((rankings) => [5, 10].map((k) => percent(hitRate(rankings, k)))),
      mean(inVain).toFixed(1),
      percent(mean(inVain.map((count) => (count === 0 ? 1 : 0)))),
    ]);
  }
  const note = `The same questions after every memory got an importance at random in 0..1 (seeded). Then ${unrelated.length} questions that the conversations have nothing about, with \`top_k\` 10: a search always returns the nearest and most important memories there are; an injection leaves out what is below its floor, before importance counts.`;
  const columns = ["ranking", "hit@5, importances equal", "hit@10", "hit@5, at random", "hit@10"];
  return {
    title: "Retrieval: importance",
    note,
    columns: [...columns, "memories for an unrelated question", "unrelated questions without any, %"],
    rows,
  };
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
