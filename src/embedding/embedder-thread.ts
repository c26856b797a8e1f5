// Owns one thread of the embedder, and how many texts it was sent and has not answered. Must never decide which text it gets.

import type { EmbeddingRole } from "../memory/embedding.ts";
import type { WorkerThread } from "../threads/worker-thread.ts";
import type { EmbedAnswer, EmbedderReady, EmbedRequest } from "./embedder-protocol.ts";
import type { SentTexts } from "./embedding-queue.ts";

export class EmbedderThread {
  readonly #thread: WorkerThread<EmbedderReady>;
  readonly #sent: Record<EmbeddingRole, SentTexts>;

  constructor(thread: WorkerThread<EmbedderReady>) {
    this.#thread = thread;
    const none: SentTexts = { texts: 0, characters: 0 };
    this.#sent = { query: none, passage: none };
  }

  /** @throws Refusal 1503 unless the thread accepts texts */
  requireUp(): void {
    this.#thread.requireUp();
  }

  sent(role: EmbeddingRole): SentTexts {
    return this.#sent[role];
  }

  /** @throws Refusal 1503 when the thread stopped; Error when the model failed */
  async compute({ text, role }: EmbedRequest): Promise<EmbedAnswer> {
    this.#count(role, 1, text.length);
    try {
      return await this.#thread.request<EmbedAnswer>({ text, role } satisfies EmbedRequest);
    } finally {
      this.#count(role, -1, -text.length);
    }
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  #count(role: EmbeddingRole, texts: number, characters: number): void {
    const sent = this.#sent[role];
    this.#sent[role] = { texts: sent.texts + texts, characters: sent.characters + characters };
  }
}
