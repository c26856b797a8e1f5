// The ranks of a run of the retrieval bench, in a file, so that those of another executable can be compared with them question by
// question. Must never compare different questions.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type { QuestionSet } from "./question-sets.ts";
import type { Rank } from "./ranks.ts";
import { nameOf, type Ranking } from "./retrieval-tables.ts";

/** By the names of the sets. */
export type Run = Readonly<
  Record<string, { readonly questions: string; readonly ranks: Readonly<Record<string, readonly Rank[]>> }>
>;

export function writeRun(file: string, measured: ReadonlyMap<QuestionSet, readonly Ranking[]>): void {
  const sets = [...measured].map(([set, rankings]) => [
    set.name,
    {
      questions: digest(set),
      ranks: Object.fromEntries(rankings.map((each) => [nameOf(each), each.ranks])),
    },
  ]);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sets))}\n`);
}

export function readRun(file: string): Run {
  return JSON.parse(readFileSync(file, "utf8")) as Run;
}

/** Null: the run has no such ranking. @throws Error when it asked other questions of the set, or of other memories */
export function ranksOf(run: Run, set: QuestionSet, name: string): readonly Rank[] | null {
  const measured = run[set.name];
  if (measured === undefined) return null;
  if (measured.questions !== digest(set))
    throw new Error(`The set ${set.name} has changed since the earlier run. Run both on the same files.`);
  return measured.ranks[name] ?? null;
}

const digest = ({ pools }: QuestionSet) => createHash("sha256").update(JSON.stringify(pools)).digest("hex");
