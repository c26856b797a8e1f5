// Owns the exact scores of many candidates, which scanners compute: it reads stored vectors on a connection of its own, whose state may be
// newer than that of the search. Must never score a vector that the search would not see.

import type { SearchQuery } from "../../../../calls/storage/memory-store.ts";
import { ExactOrder } from "../../../../memory/ranking/exact-order.ts";
import type { RowBlock } from "../../../../memory/ranking/scan/row-block.ts";
import type { Database } from "../../../../platform/native/sqlite.ts";
import { toVector } from "../../memories/memory-row.ts";
import { createModelLookup } from "../../schema/model-binding.ts";
import { createScorer, type Scored } from "./exact-score.ts";

export interface ExactScoresQuery {
  readonly query: Pick<SearchQuery, "vector" | "topK" | "minSimilarity" | "minRelevance">;
  /** Of the model whose vectors the search compares. */
  readonly modelSha256: string;
  /**
   * In shared memory, [1]: a score that the last result reaches at least. All tasks raise it. They may do so at once, and the lower value
   * may stay, which is still true.
   */
  readonly floor: Float64Array;
}

/** Candidates of one block. */
export interface BlockCandidates {
  /** Rows of the block. */
  readonly rows: Uint32Array;
  /** Of their scores. */
  readonly uppers: Float64Array;
  /** Exact keyword scores; null when the query has no words. */
  readonly keywords: Float64Array | null;
}

export interface BestCandidates {
  /** The best `topK`, best first. */
  readonly best: readonly Scored[];
  /** How many exact scores were computed. */
  readonly scored: number;
  /** Positions in the candidates: their memories have changed meanwhile, so the search must read them in its own transaction. */
  readonly unread: Uint32Array;
}

/** A range of serials is read as a whole when at least one memory in so many is wanted. */
const rangePerWanted = 4;
/** Candidates that are read at once; the floor may rise after each time. */
const readMax = 256;

type StoredRow = readonly [serial: number, contentRevision: number, embedding: Uint8Array];

export function createExactScores(database: Database) {
  const bound = createModelLookup(database);
  // One range of both tables, so that neighbours are on the same pages, and each costs no call.
  const stored = database
    .prepare<[number, number], StoredRow>(
      `SELECT m.serial, m.content_revision, v.embedding FROM memory m JOIN memory_vector v ON v.memory = m.serial
       WHERE m.serial BETWEEN ? AND ?`,
    )
    .raw();

  const readAll = (ascending: readonly number[]): readonly StoredRow[] => {
    const first = ascending[0] ?? 0;
    const last = ascending.at(-1) ?? -1;
    if (last - first < rangePerWanted * ascending.length) return stored.all(first, last);
    return ascending.flatMap((serial) => stored.all(serial, serial));
  };

  const score = (
    { query, modelSha256, floor }: ExactScoresQuery,
    block: RowBlock,
    { rows, uppers, keywords }: BlockCandidates,
  ): BestCandidates => {
    if (bound()?.sha256 !== modelSha256) {
      return { best: [], scored: 0, unread: Uint32Array.from(rows.keys()) };
    }
    const order = new ExactOrder<Scored>([], query);
    const toScored = createScorer(query.vector);
    const unread: number[] = [];
    const serialOf = (position: number) => block.serials[rows[position] ?? 0] ?? 0;
    const positions = Uint32Array.from(rows.keys()).sort((a, b) => serialOf(a) - serialOf(b));
    for (let from = 0; from < positions.length; from += readMax) {
      const least = Math.max(order.floor, floor[0] ?? order.floor);
      const wanted = [...positions.subarray(from, from + readMax)].filter((at) => (uppers[at] ?? 0) >= least);
      const found = readAll(wanted.map(serialOf));
      let next = 0;
      for (const position of wanted) {
        const serial = serialOf(position);
        while ((found[next]?.[0] ?? serial) < serial) next += 1;
        const row = rows[position] ?? 0;
        const [foundSerial, contentRevision, embedding] = found[next] ?? [];
        if (
          foundSerial !== serial ||
          contentRevision !== block.contentRevisions[row] ||
          embedding === undefined
        ) {
          unread.push(position);
          continue;
        }
        const candidate = { serial, importance: block.importances[row] ?? 0, vector: toVector(embedding) };
        order.add(toScored(candidate, keywords?.[position]));
      }
      if (order.floor > (floor[0] ?? order.floor)) floor[0] = order.floor;
    }
    return { best: order.best, scored: order.scored, unread: Uint32Array.from(unread) };
  };
  return database.transaction(score);
}
