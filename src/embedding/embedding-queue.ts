// Holds the texts that wait for the embedder's worker and chooses the next batch. Must never let one role or one project keep
// another waiting for more than a round.

import type { EmbeddingRole } from "../memory/embedding.ts";
import { FairQueue, type Queued, type QueueLimits } from "../scheduling/fair-queue.ts";

/** A text that calls of one project wait for. */
export interface Waiting extends Queued {
  /** Serial. */
  readonly project: string;
  readonly text: string;
  readonly role: EmbeddingRole;
  resolve(vector: Float32Array): void;
  fail(error: Error): void;
}

/** A query that comes meanwhile waits for what is on its way, and small batches keep the writer busy beside the embedder. */
const batchTexts = 8;
const charactersOnTheirWay = 2_000;

/**
 * Queries before passages, because somebody waits for a search. When each project with a query has had a turn, a batch of passages
 * goes, or they could wait for ever. Projects take turns within a batch.
 */
export class EmbeddingQueue {
  readonly #waiting: Readonly<Record<EmbeddingRole, FairQueue<Waiting>>>;
  /** Queries that go before the next passages. */
  #queriesFirst = 1;

  /** The limits hold for each role: passages never keep a query out. */
  constructor(limits: QueueLimits) {
    this.#waiting = { query: new FairQueue(limits), passage: new FairQueue(limits) };
  }

  /** @throws Refusal 1429 or 1503, as FairQueue.add. */
  add(item: Waiting): void {
    this.#waiting[item.role].add(item.project, item);
  }

  /** @returns false when the text is being computed already. */
  remove(item: Waiting): boolean {
    return this.#waiting[item.role].remove(item.project, item);
  }

  /**
   * Removes the next batch, all of one role, beside the characters of the batches on their way. Empty when no text waits, or when the
   * next one is too long to be on its way beside others: it goes alone.
   */
  take(characters: number): readonly Waiting[] {
    const { query, passage } = this.#waiting;
    const isPassagesTurn = query.size === 0 || (passage.size > 0 && this.#queriesFirst <= 0);
    const batch = takeBatch(isPassagesTurn ? passage : query, characters);
    if (batch.length === 0) return batch;
    this.#queriesFirst = isPassagesTurn ? Math.max(1, query.projects) : this.#queriesFirst - batch.length;
    return batch;
  }

  /** Removes all texts and refuses them. */
  drain(...[reason]: Parameters<FairQueue<Waiting>["drain"]>): void {
    this.#waiting.query.drain(reason);
    this.#waiting.passage.drain(reason);
  }
}

function takeBatch(from: FairQueue<Waiting>, charactersBefore: number): readonly Waiting[] {
  const batch: Waiting[] = [];
  let characters = charactersBefore;
  const fits = ({ text }: Waiting) => characters === 0 || characters + text.length <= charactersOnTheirWay;
  const first = from.peek();
  // Whose turn it is may not be passed over for long by shorter texts.
  if (first === undefined || !fits(first)) return batch;
  while (batch.length < batchTexts) {
    const next = from.take((_, item) => fits(item));
    if (next === undefined) break;
    batch.push(next);
    characters += next.text.length;
  }
  return batch;
}
