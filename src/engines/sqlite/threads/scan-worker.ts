// Performs the tasks of searches of all projects, on memory that the searcher shares. Never writes to the database, and never answers a
// search.

import { workerData } from "node:worker_threads";
import { createBlockScan } from "../../../memory/ranking/scan/block-scan.ts";
import { packFound } from "../../../memory/ranking/scan/packed-found.ts";
import { viewRowBlock } from "../../../memory/ranking/scan/row-block.ts";
import { loadOnnx } from "../../../platform/native/onnx.ts";
import { yieldToOthers } from "../../../platform/threads/priority.ts";
import { type DatabaseFile, openReading } from "../database-file/connection.ts";
import { createBlockReader } from "../search/scanners/block-reader.ts";
import { createExactScores } from "../search/scanners/exact-scores.ts";
import type { TaskKinds } from "../search/scanners/scanner-tasks.ts";
import {
  type CountGarbage,
  createTaskPerformer,
  type FindBuffer,
} from "../search/scanners/task-performer.ts";
import { warmScan } from "../search/scanners/warm-scan.ts";
import type { ToScanner } from "../search/steps/group-steps.ts";
import { tryReadingBlock } from "../search-cache/project-files.ts";
import { answerStoreRequests } from "./answer-requests.ts";

export interface ScannerInit {
  readonly file: DatabaseFile;
  /** Of the vectors; null: not known yet. */
  readonly dimensions: number | null;
}

type Handlers = {
  readonly [Kind in keyof TaskKinds]: (
    common: TaskKinds[Kind]["common"],
    task: TaskKinds[Kind]["task"],
  ) => TaskKinds[Kind]["result"];
};

const { file, dimensions }: ScannerInit = workerData;
// As the searcher and the embedder: a project has one group at a time, so its other searches wait for the scan, and not for embeddings.
yieldToOthers();
const scan = createBlockScan(loadOnnx(file.runtime));
warmScan(scan, dimensions);

/** What reads the database. The connection is opened with the first task that needs it. */
let connected: ReturnType<typeof connect> | null = null;

function connect() {
  const database = openReading(file);
  return { exactScores: createExactScores(database), readBlock: createBlockReader(database) };
}

/** A stored vector becomes two copies: that of SQLite's driver, and the numbers. */
const garbageOf = (vectors: number, dimensions: number) =>
  vectors * dimensions * 2 * Float32Array.BYTES_PER_ELEMENT;

const createHandlers = (findBuffer: FindBuffer, countGarbage: CountGarbage): Handlers => ({
  scan: ({ dimensions, queries }, { blocks }) =>
    packFound(
      scan({
        dimensions,
        queries,
        blocks: blocks.map(({ buffer, firstSlot, rows }) => ({
          buffer: findBuffer(buffer),
          firstSlot,
          rows,
        })),
      }),
    ),
  score: ({ dimensions, ...query }, { buffer, ...candidates }) => {
    connected ??= connect();
    countGarbage(garbageOf(candidates.rows.length, dimensions));
    return connected.exactScores(query, viewRowBlock(findBuffer(buffer), dimensions), candidates);
  },
  read: ({ dimensions, ...common }, { buffer, ...range }) => {
    connected ??= connect();
    const read = connected.readBlock({ ...common, ...range }, viewRowBlock(findBuffer(buffer), dimensions));
    countGarbage(garbageOf(read?.rows ?? 0, dimensions));
    return read;
  },
  load: (_, { place, buffer }) => tryReadingBlock(place, new Uint8Array(findBuffer(buffer))),
});
const perform = createTaskPerformer(createHandlers);

// Only scanners.ts sends requests here.
answerStoreRequests((request) => perform(request as ToScanner));
