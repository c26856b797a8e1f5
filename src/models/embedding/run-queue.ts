// Owns the texts that a thread of the embedder has, and which of them the model computes next. Must never let a query wait for more than
// one run of passages, nor passages for more than one run of queries, nor one of them for more than one step of a rerank.

import type { EmbeddingRole } from "../../memory/embedding.ts";
import { createTurns } from "../../platform/scheduling/turns.ts";
import { chooseRun, embedTogether, type Runs } from "./batching.ts";
import type { EmbedAnswer, EmbedRequest, RerankAnswer, RerankRequest } from "./embedder-protocol.ts";
import { runsBeforeRerank } from "./limits.ts";
import type { RerankJobs } from "./rerank-jobs.ts";
import type { Tokenize } from "./tokenizer.ts";

export interface RunQueue {
  /** @throws Error when the tokenizer or the run of this text fails */
  embed(request: EmbedRequest): Promise<EmbedAnswer>;
  /** @throws Error without a reranker, and when it fails on one of the texts */
  rerank(request: RerankRequest): Promise<RerankAnswer>;
  /** Ends after the current run. The other texts are not answered. */
  close(): void;
}

interface Text {
  readonly ids: readonly number[];
  resolve(answer: EmbedAnswer): void;
  reject(error: unknown): void;
}

/**
 * @param batching whether texts may share a run
 * @param reranks null: this thread does not rerank
 */
export function createRunQueue(
  tokenize: Tokenize,
  inference: Runs,
  dimensions: number,
  batching: boolean,
  reranks: RerankJobs | null = null,
): RunQueue {
  const waiting: Record<EmbeddingRole, Text[]> = { query: [], passage: [] };
  const nextTurn = createTurns();
  let lastRole: EmbeddingRole = "passage";
  /** Since the last step of a rerank. */
  let runs = 0;
  let isWorking = false;
  let isClosed = false;

  const next = (): readonly Text[] => {
    const { query, passage } = waiting;
    lastRole = query.length > 0 && (passage.length === 0 || lastRole === "passage") ? "query" : "passage";
    const texts = waiting[lastRole];
    const run = new Set(batching ? chooseRun(texts.map(({ ids }) => ids.length)) : [0]);
    waiting[lastRole] = texts.filter((_, at) => !run.has(at));
    return texts.filter((_, at) => run.has(at));
  };

  const work = async (): Promise<void> => {
    isWorking = true;
    // In the turn before each run, the texts that have arrived meanwhile are received.
    for (;;) {
      await nextTurn();
      const texts = waiting.query.length + waiting.passage.length;
      const isReranking = reranks?.isWaiting === true;
      if (isClosed || (texts === 0 && !isReranking)) break;
      if (texts === 0 || (isReranking && runs >= runsBeforeRerank)) {
        runs = 0;
        reranks?.step();
      } else {
        runs = isReranking ? runs + 1 : 0;
        compute(inference, dimensions, next());
      }
    }
    isWorking = false;
  };

  return {
    embed({ text, role }) {
      const ids = tokenize(text, role);
      const { promise, resolve, reject } = Promise.withResolvers<EmbedAnswer>();
      waiting[role].push({ ids, resolve, reject });
      if (!isWorking) void work();
      return promise;
    },
    rerank(request) {
      if (reranks === null) return Promise.reject(new Error("This thread has no reranker."));
      const answer = reranks.add(request);
      if (!isWorking) void work();
      return answer;
    },
    close() {
      isClosed = true;
    },
  };
}

function compute(inference: Runs, dimensions: number, run: readonly Text[]): void {
  try {
    const rows = embedTogether(
      inference,
      run.map(({ ids }) => ids),
      dimensions,
    );
    for (const [row, { resolve }] of run.entries()) {
      const vector = rows.slice(row * dimensions, (row + 1) * dimensions);
      resolve({ vector, isFirstOfRun: row === 0 });
    }
  } catch (error) {
    for (const { reject } of run) reject(error);
  }
}
