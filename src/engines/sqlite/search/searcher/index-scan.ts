// Owns how the queries of a group are scanned over an index: a small one in the searcher, a large one by scanners, in tasks that all of them
// can share. Must never change an index.

import { rowsPerBlock } from "../../../../memory/ranking/limits.ts";
import { unpackFound } from "../../../../memory/ranking/scan/packed-found.ts";
import type { ScanFound, ScannedBlock, ScanQuery } from "../../../../memory/ranking/scan/scan-task.ts";
import { localBlocksMax, taskMs } from "../limits.ts";
import { perform } from "../scanners/scanner-tasks.ts";
import type { GroupSteps } from "../steps/turns.ts";
import type { Searcher } from "./searcher.ts";

/** A scan of a full block with one query, and what each further query adds; measured with 384 dimensions while all processors scan. */
const blockMs = 0.55;
const queryMs = 0.06;

/** For each query: what each task has found. */
export function* scanIndex(
  { scanBlocks, buffers, scanners }: Pick<Searcher, "scanBlocks" | "buffers" | "scanners">,
  dimensions: number,
  blocks: readonly ScannedBlock[],
  queries: readonly ScanQuery[],
): GroupSteps<readonly (readonly ScanFound[])[]> {
  if (blocks.length <= localBlocksMax) {
    return scanBlocks({ dimensions, blocks, queries }).map((found) => [found]);
  }
  const shared = blocks.map(({ buffer, firstSlot, rows }) => ({
    buffer: buffers.numberOf(buffer),
    firstSlot,
    rows,
  }));
  const tasks = divide(shared, queries.length, scanners);
  const results = yield* perform(
    "scan",
    { dimensions, queries },
    tasks.map((part) => ({ blocks: part })),
  );
  const found = results.map((result) => unpackFound(result, queries));
  return queries.map((_, at) => found.flatMap((ofTask) => ofTask[at] ?? []));
}

/** Parts of about the same size that take `taskMs` each at most, a multiple of the threads, so that all of them end at the same time. */
function divide<Block extends Pick<ScannedBlock, "rows">>(
  blocks: readonly Block[],
  queries: number,
  threads: number,
): Block[][] {
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
  const totalMs = (rows / rowsPerBlock) * (blockMs + (queries - 1) * queryMs);
  const count = Math.min(blocks.length, threads * Math.max(1, Math.ceil(totalMs / taskMs / threads)));
  return Array.from({ length: count }, (_, at) =>
    blocks.slice(Math.round((at * blocks.length) / count), Math.round(((at + 1) * blocks.length) / count)),
  );
}
