// The tables of the retrieval bench: the measures of each set and of each kind of question, and the differences that decide between
// rankings, with their intervals. Pure.

import { compare, toPoints } from "./bootstrap.ts";
import { ms, percentile } from "./figures.ts";
import type { Table } from "./harness.ts";
import type { QuestionSet } from "./question-sets.ts";
import { depth, hit, judge, qualityColumns, type Rank, reciprocal } from "./ranks.ts";

/** How the questions of a set were answered by one order of one model. */
export interface Ranking {
  readonly model: string;
  /** Null: the ranking has no other order. */
  readonly order: string | null;
  /** Of each question of the set, in order. */
  readonly ranks: readonly Rank[];
  /** Ascending. */
  readonly latenciesMs: readonly number[];
}

/** Two rankings of the same questions. */
interface Comparison {
  readonly set: QuestionSet;
  readonly what: string;
  readonly ranks: readonly Rank[];
  readonly base: readonly Rank[];
}

const measures: readonly (readonly [string, (rank: Rank) => number])[] = [
  [`MRR@${depth}`, reciprocal],
  ["hit@10", (rank) => hit(rank, 10)],
];

export const nameOf = ({ model, order }: Ranking) => (order === null ? model : `${model}, ${order}`);

export function qualityTable(set: QuestionSet, rankings: readonly Ranking[]): Table {
  const [first] = rankings;
  const base = first === undefined ? "" : nameOf(first);
  const memories = set.pools.reduce((sum, pool) => sum + pool.memories.length, 0);
  const rows = rankings.map((ranking) => [
    nameOf(ranking),
    ...judge(ranking.ranks),
    ...(ranking === first ? measures.map(() => "") : difference(ranking.ranks, first?.ranks ?? [])),
    ...[0.5, 0.95].map((p) =>
      ranking.latenciesMs.length === 0 ? "" : ms(percentile(ranking.latenciesMs, p)),
    ),
  ]);
  const note = `${memories.toLocaleString("en")} memories in ${set.pools.length} projects, ${questionsOf(set).length} questions. Differences from \`${base}\` with 95 % intervals.`;
  const columns = ["ranking", ...qualityColumns, ...measures.map(([name]) => `${name} - ${base}`)];
  return { title: `Retrieval: ${set.name}`, note, columns: [...columns, "p50", "p95"], rows };
}

export function kindsTable(set: QuestionSet, rankings: readonly Ranking[]): Table {
  const questions = questionsOf(set);
  const kinds = [...new Set(questions.map(({ kind }) => kind))];
  const rows = kinds.map((kind) => {
    const cells = rankings.map(({ ranks }) => {
      const [hit1, hit5, hit10, , reciprocalRank] = judge(
        ranks.filter((_, at) => questions[at]?.kind === kind),
      );
      return [hit1, hit5, hit10, reciprocalRank].join(" / ");
    });
    return [kind, String(questions.filter((question) => question.kind === kind).length), ...cells];
  });
  const needingAll = [...new Set(questions.filter(({ needsAll }) => needsAll).map(({ kind }) => kind))];
  const all = needingAll.map(
    (kind) => ` For ${kind}, the last memory of a question counts, since it needs all.`,
  );
  const note = `hit@1 / hit@5 / hit@10 / MRR@${depth} of each kind of question.${all.join("")}`;
  const columns = ["kind", "questions", ...rankings.map(nameOf)];
  return { title: `Retrieval: ${set.name}, by kind`, note, columns, rows };
}

/**
 * Each order with the one before it, each other model with the first one, and each ranking with its own of an earlier run.
 * `earlier`: the ranks of a ranking with this name; null: it was not in that run.
 */
export function comparisonsOf(
  set: QuestionSet,
  rankings: readonly Ranking[],
  earlier: (name: string) => readonly Rank[] | null,
): Comparison[] {
  const own = rankings[0]?.model;
  return rankings.flatMap((ranking, at) => {
    const before = rankings[at - 1];
    const bases: [string, readonly Rank[] | null | undefined][] = [
      [before?.order ?? "", before?.model === ranking.model ? before.ranks : null],
      [
        own ?? "",
        ranking.model === own
          ? null
          : rankings.find(({ model, order }) => model === own && order === ranking.order)?.ranks,
      ],
      ["the earlier run", earlier(nameOf(ranking))],
    ];
    return bases.flatMap(([name, base]) =>
      base == null ? [] : [{ set, what: `${nameOf(ranking)} - ${name}`, ranks: ranking.ranks, base }],
    );
  });
}

export function differencesTable(comparisons: readonly Comparison[]): Table {
  const together = [...Map.groupBy(comparisons, ({ what }) => what).values()].flat();
  const rows = together.map(({ set, what, ranks, base }) => [
    what,
    set.name,
    String(ranks.length),
    ...difference(ranks, base),
  ]);
  const note =
    "In points, with 95 % percentile intervals of a paired bootstrap over the questions (10,000 resamples, seeded). A difference whose interval contains 0 is no reason to choose.";
  const columns = ["difference", "set", "questions", ...measures.map(([name]) => name)];
  return { title: "Retrieval: differences", note, columns, rows };
}

function difference(ranks: readonly Rank[], base: readonly Rank[]): string[] {
  return measures.map(([, measure]) => toPoints(compare(ranks.map(measure), base.map(measure))));
}

const questionsOf = ({ pools }: QuestionSet) => pools.flatMap(({ questions }) => questions);
