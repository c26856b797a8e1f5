// What the retrieval bench compares: orders of one model, models in one order, and a run with an earlier one, always question by question.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../bench/harness.ts";
import type { QuestionSet } from "../../bench/question-sets.ts";
import { comparisonsOf, differencesTable, kindsTable, type Ranking } from "../../bench/retrieval-tables.ts";
import { ranksOf, readRun, writeRun } from "../../bench/runs.ts";

const question = (text: string, kind: string) => ({
  text,
  kind,
  evidence: ["1"],
  needsAll: kind === "twostep",
});
const set: QuestionSet = {
  name: "small",
  pools: [
    {
      id: "one",
      memories: [{ id: "1", content: "The port is 7443." }],
      questions: [question("Which port?", "direct"), question("port and host", "twostep")],
    },
  ],
};
const ranking = (model: string, order: string | null, ...ranks: (number | null)[]): Ranking => ({
  model,
  order,
  ranks,
  latenciesMs: [],
});
const rankings = [
  ranking("embedded", "semantic", 2, null),
  ranking("embedded", "hybrid", 1, null),
  ranking("other", "semantic", 2, 1),
  ranking("other", "hybrid", 1, 1),
  ranking("BM25", null, null, null),
];

test("an order is compared with the one before it, and another model with the embedded one", () => {
  const { rows } = differencesTable(comparisonsOf(set, rankings, () => null));
  expect(rows.map(([what, name, questions, reciprocal]) => [what, name, questions, reciprocal])).toEqual([
    ["embedded, hybrid - semantic", "small", "2", "+25.0 (+0.0 to +50.0)"],
    ["other, semantic - embedded", "small", "2", "+50.0 (+0.0 to +100.0)"],
    ["other, hybrid - semantic", "small", "2", "+25.0 (+0.0 to +50.0)"],
    ["other, hybrid - embedded", "small", "2", "+50.0 (+0.0 to +100.0)"],
  ]);
});

test("each kind of question has its own figures", () => {
  const { rows, note } = kindsTable(set, rankings.slice(0, 2));
  expect(rows).toEqual([
    ["direct", "1", "0.0 / 100.0 / 100.0 / 50.0", "100.0 / 100.0 / 100.0 / 100.0"],
    ["twostep", "1", "0.0 / 0.0 / 0.0 / 0.0", "0.0 / 0.0 / 0.0 / 0.0"],
  ]);
  expect(note).toContain("For twostep, the last memory of a question counts");
});

test("a run is compared with an earlier one that asked the same, and with no other", () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "run.json");
  writeRun(file, new Map([[set, rankings]]));
  const earlier = readRun(file);
  const better = [ranking("embedded", "semantic", 1, 1)];
  const { rows } = differencesTable(comparisonsOf(set, better, (name) => ranksOf(earlier, set, name)));
  expect(rows).toEqual([
    [
      "embedded, semantic - the earlier run",
      "small",
      "2",
      "+75.0 (+50.0 to +100.0)",
      "+50.0 (+0.0 to +100.0)",
    ],
  ]);
  const other: QuestionSet = { ...set, pools: set.pools.map((pool) => ({ ...pool, memories: [] })) };
  expect(() => ranksOf(earlier, other, "embedded, semantic")).toThrow("has changed since the earlier run");
  expect(ranksOf(earlier, { ...other, name: "new" }, "embedded, semantic")).toBeNull();
});
