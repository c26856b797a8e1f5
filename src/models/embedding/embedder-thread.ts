// Owns one thread of the embedder: how many texts it was sent and has not answered, and how busy it is. Must never decide which text it gets.

import type { EmbeddingRole } from "../../memory/embedding.ts";
import type { WorkerThread } from "../../platform/threads/worker-thread.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type {
  EmbedAnswer,
  EmbedderReady,
  EmbedRequest,
  RerankAnswer,
  RerankRequest,
} from "./embedder-protocol.ts";
import type { SentTexts } from "./embedding-queue.ts";

/** Of the built-in model on an ordinary processor. */
const msPerCharacterAtFirst = 0.01;
const weightOfLatest = 0.05;

export class EmbedderThread {
  readonly #thread: WorkerThread<EmbedderReady>;
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #sent: Record<EmbeddingRole, SentTexts>;
  readonly #unanswered = new Set<Promise<EmbedAnswer>>();
  /** Time with passages since the last question for it, and the beginning of the part that has not ended. */
  #busyMs = 0;
  #busySinceMs = 0;
  #askedAtMs: number;
  /** Of passages, from the time when one is sent until it is answered, divided by the characters that the thread has then. */
  #msPerCharacter = msPerCharacterAtFirst;

  constructor(thread: WorkerThread<EmbedderReady>, clock: Pick<Clock, "elapsed">) {
    this.#thread = thread;
    this.#clock = clock;
    this.#askedAtMs = clock.elapsed();
    const none: SentTexts = { texts: 0, characters: 0 };
    this.#sent = { query: none, passage: none };
  }

  get ready(): Promise<EmbedderReady> {
    return this.#thread.ready;
  }

  /** @throws Refusal 1503 unless the thread accepts texts */
  requireUp(): void {
    this.#thread.requireUp();
  }

  sent(role: EmbeddingRole): SentTexts {
    return this.#sent[role];
  }

  /** The share of the time since the last call of this function in which the thread had passages, 0..1. */
  takeBusyShare(): number {
    const nowMs = this.#clock.elapsed();
    this.#countBusy(nowMs);
    const share = this.#busyMs / Math.max(1, nowMs - this.#askedAtMs);
    this.#busyMs = 0;
    this.#askedAtMs = nowMs;
    return share;
  }

  /** How long a character of a passage takes, of the passages that were answered last. */
  get msPerCharacter(): number {
    return this.#msPerCharacter;
  }

  /** How long a passage of this many characters will probably take, after those that were sent before. */
  expectedMs(characters: number): number {
    return (this.#sent.passage.characters + characters) * this.#msPerCharacter;
  }

  /** @throws Refusal 1503 when the thread stopped; Error when the model failed */
  async compute({ text, role }: EmbedRequest): Promise<EmbedAnswer> {
    this.#count(role, 1, text.length);
    const { characters } = this.#sent[role];
    const startedAtMs = performance.now();
    const answer = this.#thread.request<EmbedAnswer>({ text, role } satisfies EmbedRequest);
    this.#unanswered.add(answer);
    try {
      await answer;
      if (role === "passage") this.#learn((performance.now() - startedAtMs) / Math.max(1, characters));
      return await answer;
    } finally {
      this.#unanswered.delete(answer);
      this.#count(role, -1, -text.length);
    }
  }

  /** @throws as `compute` */
  rerank({ project, query, texts }: RerankRequest): Promise<RerankAnswer> {
    return this.#thread.request<RerankAnswer>({ project, query, texts } satisfies RerankRequest);
  }

  /** Resolves when every text that was sent is answered or refused. */
  async whenIdle(): Promise<void> {
    await Promise.allSettled(this.#unanswered);
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  /** An additional thread, which has a low priority, is slow while other programs need the processors. */
  #learn(msPerCharacter: number): void {
    this.#msPerCharacter += (msPerCharacter - this.#msPerCharacter) * weightOfLatest;
  }

  #count(role: EmbeddingRole, texts: number, characters: number): void {
    if (role === "passage") this.#countBusy(this.#clock.elapsed());
    const sent = this.#sent[role];
    this.#sent[role] = { texts: sent.texts + texts, characters: sent.characters + characters };
  }

  #countBusy(nowMs: number): void {
    if (this.#sent.passage.texts > 0) this.#busyMs += nowMs - this.#busySinceMs;
    this.#busySinceMs = nowMs;
  }
}
