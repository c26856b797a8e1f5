// Holds the texts that wait for the embedder's worker and chooses the next batch. Must never decide how many may wait: its
// owner counts those being computed too.

import type { EmbeddingRole } from "./model.ts";

/** A text someone waits for. Several calls may share it. */
export type Waiting = Readonly<{
  text: string;
  role: EmbeddingRole;
  resolve: (vector: Float32Array) => void;
  reject: (error: Error) => void;
}>;

/** A query that comes meanwhile waits for the batches on their way, and small ones keep the writer busy beside the embedder. */
const batchTexts = 8;
const batchCharacters = 2_000;
/** After so many batches of queries in a row a batch of waiting passages goes first, or they could wait for ever. */
const queryBatchesInARow = 8;

/** First in, first out for each role; queries before passages, because somebody waits for a search. */
export class EmbeddingQueue {
  readonly #waiting: Readonly<Record<EmbeddingRole, Waiting[]>> = { query: [], passage: [] };
  #queryBatches = 0;

  add(item: Waiting): void {
    this.#waiting[item.role].push(item);
  }

  /** Removes the next batch: at least one text if any waits, all of one role. */
  take(): readonly Waiting[] {
    const { query, passage } = this.#waiting;
    const passagesTurn =
      query.length === 0 || (passage.length > 0 && this.#queryBatches >= queryBatchesInARow);
    this.#queryBatches = passagesTurn ? 0 : this.#queryBatches + 1;
    const from = passagesTurn ? passage : query;
    let characters = 0;
    const end = from.findIndex(({ text }, index) => {
      characters += text.length;
      return index === batchTexts || (index > 0 && characters > batchCharacters);
    });
    return from.splice(0, end < 0 ? from.length : end);
  }

  /** Removes everything. */
  drain(): readonly Waiting[] {
    return [...this.#waiting.query.splice(0), ...this.#waiting.passage.splice(0)];
  }
}
