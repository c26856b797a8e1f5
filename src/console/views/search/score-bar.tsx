// Shows how similarity, words and importance make a score: as lengths, and as numbers for those who do not see them.

import type { SearchResult } from "../../../../clients/typescript/src/index.ts";
import type { Parts } from "./comparison.ts";

const titles: Readonly<Record<keyof Parts, string>> = {
  similarity: "similarity",
  words: "words",
  importance: "importance",
};
const names = ["similarity", "words", "importance"] as const;

export function ScoreBar({ parts }: { readonly parts: Parts }) {
  return (
    <span class="score-bar" aria-hidden="true">
      {names.map((name) => (
        <span key={name} data-part={name} style={{ width: `${100 * parts[name]}%` }} />
      ))}
    </span>
  );
}

/** The measures that were weighted, 0 to 1. */
export function Measures({ hit }: { readonly hit: SearchResult }) {
  const values: Readonly<Record<keyof Parts, number | null>> = {
    similarity: hit.similarity,
    words: hit.score_details?.keyword ?? null,
    importance: hit.memory.importance,
  };
  return (
    <span class="measures">
      {names.map((name) => {
        const value = values[name];
        return (
          value !== null && (
            <span key={name} data-part={name}>
              {titles[name]} <b>{scoreText(value)}</b>
            </span>
          )
        );
      })}
    </span>
  );
}

export function scoreText(value: number): string {
  return value.toFixed(3);
}
