// Owns the queue of texts that wait for the embedder, and the choice of the next batch. Must never let one role or project delay
// another by more than one round.

import type { EmbeddingRole } from "../memory/embedding.ts";
import { FairQueue, type QueueCounts, type Queued, type QueueLimits } from "../scheduling/fair-queue.ts";

/** A text whose vector is needed by calls of one project. */
export interface Waiting extends Queued {
  /** Id of the project. */
  readonly project: string;
  readonly text: string;
  readonly role: EmbeddingRole;
  resolve(vector: Float32Array): void;
  fail(error: Error): void;
}

/** Small batches: a new query waits for those that were sent, and the writer can work at the same time as the embedder. */
const batchMaxTexts = 8;
const sentMaxCharacters = 2_000;

/**
 * Queries come before passages, because a user waits for a search. After each project with a query has had a turn, a batch of passages
 * is next, so that passages do not wait forever. Projects take turns within a batch.
 */
export class EmbeddingQueue {
  readonly #waiting: Readonly<Record<EmbeddingRole, FairQueue<Waiting>>>;
  /** Queries that come before the next passages. */
  #queriesFirst = 1;

  /** The limits apply to each role separately, so that passages never cause a query to be refused. */
  constructor(limits: QueueLimits) {
    this.#waiting = { query: new FairQueue(limits), passage: new FairQueue(limits) };
  }

  /** @throws Refusal 1429 or 1503, as FairQueue.add */
  add(item: Waiting): void {
    this.#waiting[item.role].add(item.project, item);
  }

  /** @returns false when the text is already being computed */
  remove(item: Waiting): boolean {
    return this.#waiting[item.role].remove(item.project, item);
  }

  /**
   * Removes the next batch; all its texts have the same role. `characters`: those of the batches that were sent and are not answered.
   * Empty when no text waits, or when the next text is too long to be sent together with others.
   */
  take(characters: number): readonly Waiting[] {
    const { query, passage } = this.#waiting;
    const isPassagesTurn = query.size === 0 || (passage.size > 0 && this.#queriesFirst <= 0);
    const batch = takeBatch(isPassagesTurn ? passage : query, characters);
    if (batch.length === 0) return batch;
    this.#queriesFirst = isPassagesTurn ? Math.max(1, query.projects) : this.#queriesFirst - batch.length;
    return batch;
  }

  counts(role: EmbeddingRole): QueueCounts {
    return this.#waiting[role].counts;
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
  const fits = ({ text }: Waiting) => characters === 0 || characters + text.length <= sentMaxCharacters;
  const first = from.peek();
  // The next text must not be delayed by shorter texts that still fit.
  if (first === undefined || !fits(first)) return batch;
  while (batch.length < batchMaxTexts) {
    const next = from.take((_, item) => fits(item));
    if (next === undefined) break;
    batch.push(next);
    characters += next.text.length;
  }
  return batch;
}
