// Owns what of an injected prompt is left with a smaller budget, so that the slider needs no call for each step. test/console/search.test.ts
// compares it with the answers of the server. Pure.

import type { Injection } from "../../../../clients/typescript/src/index.ts";

export interface PromptLine {
  readonly text: string;
  /** Position among the results of the injection; null: a rule, or a line of the form, which no budget omits. */
  readonly result: number | null;
  readonly isOmitted: boolean;
}

/**
 * The lines of the prompt with a budget. Facts and contexts are taken in the order of their scores, and each that does not fit is omitted,
 * so a shorter one after it may fit.
 * @param injection without a budget
 * @param budget in Unicode code points; null: without a limit
 * @returns lines without line feeds, and the characters of the facts and contexts that are left
 */
export function withBudget(
  { prompt, results }: Pick<Injection, "prompt" | "results">,
  budget: number | null,
): { readonly lines: readonly PromptLine[]; readonly characters: number } {
  const lines = prompt.split("\n").slice(0, -1);
  const resultAt = placeResults(lines, results);
  const omitted = new Set<number>();
  let characters = 0;
  for (const [line] of [...resultAt].sort(([, left], [, right]) => left - right)) {
    const length = [...(lines[line] ?? "")].length + 1;
    if (budget !== null && characters + length > budget) omitted.add(line);
    else characters += length;
  }
  return {
    lines: lines.map((text, at) => ({ text, result: resultAt.get(at) ?? null, isOmitted: omitted.has(at) })),
    characters,
  };
}

/** By line, the position of the result that it shows: a section has the results of its type in their order. */
function placeResults(lines: readonly string[], results: Injection["results"]): Map<number, number> {
  const places = new Map<number, number>();
  for (const [section, type] of [
    ["<facts>", "fact"],
    ["<contexts>", "context"],
  ]) {
    let line = lines.indexOf(section ?? "");
    if (line < 0) continue;
    for (const [at, { memory }] of results.entries()) {
      if (memory.memory_type !== type) continue;
      line += 1;
      places.set(line, at);
    }
  }
  return places;
}
