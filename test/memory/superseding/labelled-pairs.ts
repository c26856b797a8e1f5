// Reads the labelled pairs of an older and a newer statement, and judges the rules by them. Must never print a pair of the unseen half.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { supersedes } from "../../../src/memory/superseding/superseding.ts";

export interface LabelledPair {
  readonly half: "seen" | "unseen";
  readonly isSuperseded: boolean;
  readonly older: string;
  readonly newer: string;
}

export interface Judged {
  readonly pairs: number;
  /** Pairs that the rules find, and those of them that are labelled so. */
  readonly found: number;
  readonly right: number;
  readonly labelled: number;
}

export function loadPairs(): readonly LabelledPair[] {
  const [, ...lines] = readFileSync(join(import.meta.dir, "pairs.tsv"), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => {
    const [half = "", label = "", older = "", newer = ""] = line.split("\t");
    return { half: half === "seen" ? "seen" : "unseen", isSuperseded: label === "supersedes", older, newer };
  });
}

export function isFound({ older, newer }: Pick<LabelledPair, "older" | "newer">): boolean {
  return supersedes(newer, older);
}

export function judge(pairs: readonly LabelledPair[]): Judged {
  const found = pairs.filter(isFound);
  return {
    pairs: pairs.length,
    found: found.length,
    right: found.filter(({ isSuperseded }) => isSuperseded).length,
    labelled: pairs.filter(({ isSuperseded }) => isSuperseded).length,
  };
}
