// Owns the queue of texts that wait for the embedder, and which of them is sent next. Must never let one project delay another by more than
// one text of each.

import type { EmbeddingRole } from "../../memory/embedding.ts";
import {
  FairQueue,
  type QueueCounts,
  type Queued,
  type QueueLimits,
} from "../../platform/scheduling/fair-queue.ts";
import { sentMaxCharacters, sentMaxTexts } from "./limits.ts";

/** A text whose vector is needed by calls of one project. */
export interface Waiting extends Queued {
  /** Id of the project. */
  readonly project: string;
  readonly text: string;
  readonly role: EmbeddingRole;
  /** A thread gets the text. */
  sent(): void;
  resolve(vector: Float32Array): void;
  fail(error: Error): void;
}

/** Texts that a thread was sent and has not answered. */
export interface SentTexts {
  readonly texts: number;
  readonly characters: number;
}

/** The limits apply to each role separately, so that passages never cause a query to be refused or to wait in this queue. */
export class EmbeddingQueue {
  readonly #waiting: Readonly<Record<EmbeddingRole, FairQueue<Waiting>>>;

  constructor(limits: QueueLimits) {
    this.#waiting = { query: new FairQueue(limits), passage: new FairQueue(limits) };
  }

  /** @throws Refusal 1429 or 1503, as FairQueue.add */
  add(item: Waiting): void {
    this.#waiting[item.role].add(item.project, item);
  }

  /** @returns false when the text was already sent */
  remove(item: Waiting): boolean {
    return this.#waiting[item.role].remove(item.project, item);
  }

  /** The text of a role whose turn it is. Undefined when none waits. */
  next(role: EmbeddingRole): Waiting | undefined {
    return this.#waiting[role].peek();
  }

  /**
   * Removes the next text of a role for a thread that has these texts of the role. Undefined when no text waits, or when the next one
   * must wait until the thread has answered others. Shorter texts do not overtake it.
   */
  take(role: EmbeddingRole, sent: SentTexts): Waiting | undefined {
    const next = this.next(role);
    if (next === undefined || !hasRoom(sent, next)) return undefined;
    return this.#waiting[role].take();
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

/** A thread without texts gets one of any length. */
function hasRoom({ texts, characters }: SentTexts, { text }: Waiting): boolean {
  if (texts === 0) return true;
  return texts < sentMaxTexts && characters + text.length <= sentMaxCharacters;
}
