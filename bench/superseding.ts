// What the rules of superseding find of labelled pairs of statements. Must never print a pair of the unseen half.

import { type Judged, judge, loadPairs } from "../test/memory/superseding/labelled-pairs.ts";
import { percent } from "./figures.ts";
import { type Measure, measureTable, type Table } from "./harness.ts";

const leastPrecision = 0.95;
const leastRecall = 0.5;

export function superseding(): Table {
  const pairs = loadPairs();
  const half = (name: string) => judge(pairs.filter((pair) => pair.half === name));
  return measureTable(
    "Superseding: quality",
    "Pairs of an older and a newer statement (test/memory/superseding/pairs.tsv), half of which are labelled as superseding. Their author did not know the rules. The seen half was visible while the rules were improved; of the unseen half only these figures were.",
    [...measures("seen", half("seen")), ...measures("unseen", half("unseen"))],
  );
}

function measures(name: string, { pairs, found, right, labelled }: Judged): Measure[] {
  const measure = (what: string, part: number, whole: number, least: number) => ({
    what: `${name}: ${what}`,
    figure: `${percent(part / whole)} %`,
    comparedTo: `${part} of ${whole}, ${pairs} pairs`,
    bar: `≥ ${percent(least)} %`,
    reached: part / whole >= least,
  });
  return [
    measure("precision", right, found, leastPrecision),
    measure("recall", right, labelled, leastRecall),
  ];
}
