// The embedded model beside others, through the product's own embedder in this process: how well it judges meaning, and how
// long a text takes. Must never train or tune anything.

import { existsSync, readFileSync } from "node:fs";
import { cosine } from "../src/memory/ranking/scores.ts";
import { type Embedder, startEmbedder } from "../src/models/embedding/embedder.ts";
import { readModelConfig } from "../src/models/embedding/model.ts";
import {
  defaultModel,
  type ModelSource,
  readModelDirectory,
} from "../src/models/embedding/model-directory.ts";
import { createTokenizer } from "../src/models/embedding/tokenizer.ts";
import { prepareRuntime } from "../src/platform/native/runtime.ts";
import { median, ms, perSecond } from "./figures.ts";
import { type BenchOptions, progress, type Table } from "./harness.ts";
import { readConversations, toContent } from "./locomo.ts";
import { depth, judge, qualityColumns, type Rank, rankOf } from "./ranks.ts";
import { createRandom, sentence } from "./texts.ts";

interface Candidate {
  readonly name: string;
  readonly source: ModelSource;
  readonly embedder: Embedder;
}

export async function embedding(options: BenchOptions): Promise<readonly Table[]> {
  await using parts = new AsyncDisposableStack();
  const candidates: Candidate[] = [];
  for (const directory of [null, ...options.models]) {
    const source = directory === null ? defaultModel() : readModelDirectory(directory);
    const runtime = prepareRuntime("unused");
    const embedder = await startEmbedder({ runtime, model: source, queryCacheEntries: 0 });
    parts.defer(() => embedder.close());
    candidates.push({ name: source.id, source, embedder });
  }
  const { datasets, sts, pairs, translations: bitext } = options;
  const [dataset] = datasets;
  const tables: Table[] = [];
  if (sts !== null) tables.push(await similarity(candidates, sts));
  if (dataset !== undefined) tables.push(await search(candidates, dataset));
  if (pairs !== null && existsSync(pairs)) tables.push(await thresholds(candidates, pairs));
  if (bitext !== null) tables.push(await translations(candidates, bitext));
  tables.push(await speed(candidates, options.rounds));
  return tables;
}

async function similarity(candidates: readonly Candidate[], file: string): Promise<Table> {
  const lines = readRows(file, ",").filter((row) => row.length === 3 && row[2] !== "" && Number(row[2]) >= 0);
  const rows: string[][] = [];
  for (const { name, embedder } of candidates) {
    progress(`embedding: similarity, ${name}`);
    const cosines = await cosinesOf(embedder, lines);
    const rank = spearman(
      cosines,
      lines.map(([, , score]) => Number(score)),
    );
    rows.push([name, rank.toFixed(3)]);
  }
  const note = `Spearman correlation of the cosine with people's scores on ${lines.length} pairs of sentences (STS benchmark, development part).`;
  return { title: "Embedding: similarity", note, columns: ["model", "Spearman"], rows };
}

async function search(candidates: readonly Candidate[], file: string): Promise<Table> {
  const rows: string[][] = [];
  for (const { name, embedder } of candidates) {
    progress(`embedding: search, ${name}`);
    const ranks: Rank[] = [];
    for (const { turns, questions } of readConversations(file)) {
      const memories = await embedAll(embedder, turns.map(toContent), "passage");
      for (const { question, evidence } of questions) {
        const query = await embedder.embed(question, "query");
        const scores = memories.map((memory) => cosine(memory, query));
        const best = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, depth);
        const places = best.map((at) => [turns[at]?.id ?? ""]);
        ranks.push(rankOf(places, evidence));
      }
    }
    rows.push([name, ...judge(ranks)]);
  }
  const note = "The conversations of the first data set, ranked in this process by cosine alone. In percent.";
  return { title: "Embedding: search", note, columns: ["model", ...qualityColumns], rows };
}

/** Pairs that say the same should be near; pairs in which one thing changed must stay below the duplicate threshold. */
async function thresholds(candidates: readonly Candidate[], file: string): Promise<Table> {
  const [, ...lines] = readRows(file, "\t");
  const rows: string[][] = [];
  for (const { name, embedder } of candidates) {
    progress(`embedding: pairs, ${name}`);
    const cosines = await cosinesOf(
      embedder,
      lines.map(([, , a = "", b = ""]) => [a, b]),
    );
    for (const label of ["same", "changed", "different"]) {
      const of = cosines.filter((_, at) => lines[at]?.[0] === label);
      const reaching = (threshold: number) => String(of.filter((value) => value >= threshold).length);
      rows.push([
        name,
        label,
        String(of.length),
        median(of).toFixed(3),
        Math.max(...of).toFixed(3),
        reaching(0.9),
        reaching(0.98),
      ]);
    }
  }
  const note =
    "Pairs written for the thresholds of extraction: same (paraphrases), changed (one thing differs, such as the subject, a date or a negation) and different. No pair that changed may reach 0.98.";
  const columns = ["model", "pairs", "number", "median cosine", "highest", "≥ 0.90", "≥ 0.98"];
  return { title: "Embedding: thresholds", note, columns, rows };
}

/** Translations of a source of fewer sentences say little. */
const leastSentences = 150;

/** How many translations are nearest to their own English sentence, among all of their source. */
async function translations(candidates: readonly Candidate[], file: string): Promise<Table> {
  const sources = Map.groupBy(readRows(file, "\t"), ([, , source = ""]) => source);
  const large = [...sources].filter(([, lines]) => lines.length >= leastSentences);
  const rows = large.map(([source, lines]) => [source, String(lines.length)]);
  for (const { name, embedder } of candidates) {
    progress(`embedding: translations, ${name}`);
    for (const [at, [, lines]] of large.entries()) {
      const embedColumn = (column: number) =>
        embedAll(
          embedder,
          lines.map((line) => line[column] ?? ""),
          "passage",
        );
      const [english, others] = [await embedColumn(0), await embedColumn(1)];
      const isNearest = others.filter((vector, row) => {
        const own = cosine(vector, english[row] ?? vector);
        return english.every((each, other) => other === row || cosine(vector, each) < own);
      });
      rows[at]?.push((isNearest.length / lines.length).toFixed(2));
    }
  }
  const note =
    "Share of translations whose nearest English sentence, among those of the same source, is their own. The sentences were kept out of training; others of the same sources were trained on.";
  const columns = ["language and source", "sentences", ...candidates.map(({ name }) => name)];
  return { title: "Embedding: translations", note, columns, rows };
}

async function speed(candidates: readonly Candidate[], rounds: number): Promise<Table> {
  progress("embedding: speed");
  const lengths = [8, 32, 128, 512];
  const runs = 20 * rounds;
  const times = new Map<string, number[]>();
  const keep = (key: string, value: number) => times.set(key, [...(times.get(key) ?? []), value]);
  for (const length of lengths) {
    const texts = candidates.map((candidate) => textOf(candidate, length));
    for (let run = 0; run < runs; run++) {
      for (const [at, { name, embedder }] of candidates.entries()) {
        const start = performance.now();
        await embedder.embed(`${texts[at]}`, "query");
        keep(`${name} ${length}`, performance.now() - start);
      }
    }
  }
  const random = createRandom(6);
  const many = Array.from({ length: 512 }, (_, number) => sentence(random, number));
  for (let round = 0; round < rounds; round++) {
    for (const { name, embedder } of candidates) {
      const start = performance.now();
      await embedAll(embedder, many, "passage");
      keep(`${name} many`, (1_000 * many.length) / (performance.now() - start));
    }
  }
  const [own] = candidates;
  const figure = ({ name, source }: Candidate, length: number) => {
    const value = median(times.get(`${name} ${length}`) ?? []);
    const ours = median(times.get(`${own?.name} ${length}`) ?? []);
    const { maxTokens } = readModelConfig(source);
    if (maxTokens < length) return `${ms(value)} (cut to ${maxTokens})`;
    return name === own?.name ? ms(value) : `${ms(value)} (${(value / ours).toFixed(1)} x)`;
  };
  const rows = await Promise.all(
    candidates.map(async (candidate) => [
      candidate.name,
      ...lengths.map((length) => figure(candidate, length)),
      perSecond(median(times.get(`${candidate.name} many`) ?? [])),
      (await candidate.embedder.start()).batching ? "yes" : "no",
    ]),
  );
  const columns = [
    "model",
    ...lengths.map((length) => `${length} tokens`),
    "512 memories at once",
    "batches",
  ];
  const note = `One text at a time on one thread, the way to the worker and back included; median of ${runs}, models by turns. In brackets: how many times as long as the embedded model. Batches: whether texts share a run of the model, which is allowed only where it does not change their vectors.`;
  return { title: "Embedding: speed", note, columns, rows };
}

/** A text that the model cuts into so many tokens, or a little fewer. */
function textOf({ source }: Candidate, tokens: number): string {
  const tokenize = createTokenizer(source, readModelConfig(source));
  const words = sentence(createRandom(7), 7).repeat(tokens).split(" ");
  let end = 1;
  while (
    end < words.length &&
    tokenize(words.slice(0, end + 1).join(" "), "query").length <= tokens &&
    end < tokens
  )
    end++;
  return words.slice(0, end).join(" ");
}

async function cosinesOf(embedder: Embedder, pairs: readonly (readonly string[])[]): Promise<number[]> {
  const left = await embedAll(
    embedder,
    pairs.map(([a = ""]) => a),
    "passage",
  );
  const right = await embedAll(
    embedder,
    pairs.map(([, b = ""]) => b),
    "passage",
  );
  return left.map((vector, at) => (right[at] === undefined ? 0 : cosine(vector, right[at])));
}

/** As many at a time as the embedder's queue takes. */
async function embedAll(
  embedder: Embedder,
  texts: readonly string[],
  role: "query" | "passage",
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let from = 0; from < texts.length; from += 512) {
    vectors.push(
      ...(await Promise.all(texts.slice(from, from + 512).map((text) => embedder.embed(text, role)))),
    );
  }
  return vectors;
}

/** Rows of a file with quoted fields as in RFC 4180; quotes mean nothing where tabs separate. */
function readRows(file: string, separator: "," | "\t"): string[][] {
  const lines = readFileSync(file, "utf8")
    .split(/\r?\n/)
    .filter((line) => line !== "");
  if (separator === "\t") return lines.map((line) => line.split("\t"));
  return lines.map((line) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
    ),
  );
}

/** Spearman's rank correlation; equal values share the mean of their ranks. */
function spearman(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [ranks(a), ranks(b)];
  const middle = (a.length - 1) / 2;
  let [both, left, right] = [0, 0, 0];
  for (const [at, rank] of x.entries()) {
    const other = (y[at] ?? 0) - middle;
    both += (rank - middle) * other;
    left += (rank - middle) ** 2;
    right += other ** 2;
  }
  return both / Math.sqrt(left * right);
}

function ranks(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const result: number[] = [];
  for (let from = 0; from < order.length; ) {
    const value = values[order[from] ?? 0];
    let to = from;
    while (to + 1 < order.length && values[order[to + 1] ?? 0] === value) to++;
    for (let at = from; at <= to; at++) result[order[at] ?? 0] = (from + to) / 2;
    from = to + 1;
  }
  return result;
}
