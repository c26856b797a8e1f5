// Owns who computes the exact scores of candidates: the searcher, for as many as an ordinary search has, and scanners for the rest, which
// is long when many memories are nearly equally similar. Must never score more than the bounds demand.

import type { SearchQuery } from "../../../../calls/storage/memory-store.ts";
import type { ModelBinding } from "../../../../calls/storage/model-change-store.ts";
import { ExactOrder, type Rest } from "../../../../memory/ranking/exact-order.ts";
import { rowsPerBlock } from "../../../../memory/ranking/limits.ts";
import type { ScanFound } from "../../../../memory/ranking/scan/scan-task.ts";
import type { SearchIndex } from "../index/search-index.ts";
import { localScoresMax, orderedCandidatesMax, taskScoresMax } from "../limits.ts";
import { createScorer, type Scored } from "../scanners/exact-score.ts";
import type { BlockCandidates } from "../scanners/exact-scores.ts";
import { perform } from "../scanners/scanner-tasks.ts";
import type { Pause } from "../steps/pause.ts";
import type { SharedBuffers } from "../steps/shared-buffers.ts";
import type { GroupSteps } from "../steps/turns.ts";

export interface RankingContext {
  readonly index: Pick<SearchIndex, "memoryAt" | "blocks">;
  readonly model: Pick<ModelBinding, "sha256" | "dimensions">;
  readonly buffers: Pick<SharedBuffers, "numberOf">;
  readonly pause: Pause;
  /** Reads in the transaction of the group. */
  vectorOf(serial: number): Float32Array;
}

interface ExactRanking {
  /** Best first. */
  readonly best: readonly Scored[];
  /** How many exact scores were computed. */
  readonly scored: number;
}

/** The best memories by exact score. @param found what each part of the index has found */
export function* rankExactly(
  context: RankingContext,
  query: Pick<SearchQuery, "vector" | "topK" | "minSimilarity" | "minRelevance">,
  found: readonly ScanFound[],
): GroupSteps<ExactRanking> {
  const { index, pause, vectorOf } = context;
  const order = new ExactOrder<Scored>(found, query);
  const toScored = createScorer(query.vector);
  const score = (slot: number, keyword: number | undefined): void => {
    const { serial, importance } = index.memoryAt(slot);
    order.add(toScored({ serial, importance, vector: vectorOf(serial) }, keyword));
  };
  // To bring more into order takes long, and the order is of little use if so many are nearly equal.
  while (order.waiting <= orderedCandidatesMax && order.scored < localScoresMax) {
    const next = order.next();
    if (next === null) return order;
    score(next.slot, next.keyword);
    yield* pause.ifDue();
  }
  const rest = order.takeRest();
  const floor = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)).fill(order.floor);
  const { vector, topK, minSimilarity, minRelevance = 0 } = query;
  const common = {
    query: { vector, topK, minSimilarity, minRelevance },
    modelSha256: context.model.sha256,
    floor,
  };
  const tasks = toTasks(context, rest);
  const results = yield* perform("score", { ...common, dimensions: context.model.dimensions }, tasks);
  pause.restart();
  for (const [at, { best, scored, unread }] of results.entries()) {
    order.addBest(best, scored);
    const task = tasks[at];
    for (const position of unread) {
      score((task?.firstSlot ?? 0) + (task?.rows[position] ?? 0), task?.keywords?.[position]);
      yield* pause.ifDue();
    }
  }
  return order;
}

/** The candidates of each block, a few milliseconds of reading in each task. */
function toTasks({ index, buffers }: RankingContext, { slots, uppers, keywords }: Rest) {
  const bufferAt = new Map(
    index.blocks.map(({ buffer, firstSlot }) => [firstSlot, buffers.numberOf(buffer)]),
  );
  const tasks: (BlockCandidates & { readonly buffer: number; readonly firstSlot: number })[] = [];
  for (let from = 0; from < slots.length; ) {
    const firstSlot = (slots[from] ?? 0) - ((slots[from] ?? 0) % rowsPerBlock);
    const isHere = (at: number) => at < slots.length && (slots[at] ?? 0) - firstSlot < rowsPerBlock;
    let end = from + 1;
    while (end < from + taskScoresMax && isHere(end) && (slots[end] ?? 0) > (slots[end - 1] ?? 0)) end += 1;
    tasks.push({
      buffer: bufferAt.get(firstSlot) ?? 0,
      firstSlot,
      rows: slots.slice(from, end).map((slot) => slot - firstSlot),
      uppers: uppers.slice(from, end),
      keywords: keywords?.slice(from, end) ?? null,
    });
    from = end;
  }
  return tasks;
}
