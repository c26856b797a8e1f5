// Owns the indexes for searches and the connections of their groups: answers groups in short steps, and has scanners perform what takes
// long. Never writes, and answers nothing else: lists must not wait behind a search.

import { workerData } from "node:worker_threads";
import type { SearchStatistics } from "../../../calls/storage/statistics.ts";
import { unavailable } from "../../../platform/errors.ts";
import { loadOnnx } from "../../../platform/native/onnx.ts";
import { yieldToOthers } from "../../../platform/threads/priority.ts";
import { type DatabaseFile, openReading } from "../database-file/connection.ts";
import { createGarbageCollection } from "../search/scanners/garbage.ts";
import { warmScan } from "../search/scanners/warm-scan.ts";
import { createGroupSearch } from "../search/searcher/group-search.ts";
import { createOpenGroups } from "../search/searcher/open-groups.ts";
import { createSearchStatements } from "../search/searcher/search-statements.ts";
import { createSearcher } from "../search/searcher/searcher.ts";
import type { GroupMessage, SearcherAnswer, Step, ToSearcher } from "../search/steps/group-steps.ts";
import { cacheFolderOf } from "../search-cache/project-files.ts";
import { answerStoreRequests } from "./answer-requests.ts";

export interface SearcherInit {
  readonly file: DatabaseFile;
  readonly searchCacheBytes: number;
  /** Threads that perform tasks. */
  readonly scanners: number;
  /** Of the vectors; null: not known yet. */
  readonly dimensions: number | null;
}

const { file, searchCacheBytes, scanners, dimensions }: SearcherInit = workerData;
yieldToOthers();
const searcher = createSearcher({
  onnx: loadOnnx(file.runtime),
  cacheBytes: searchCacheBytes,
  scanners,
  folder: cacheFolderOf(file.path),
  connect: () => openReading(file),
});
const { indexes, counts, buffers, copies } = searcher;
warmScan(searcher.scanBlocks, dimensions);
const groups = createOpenGroups(() => {
  const database = openReading(file);
  return {
    database,
    ...createGroupSearch(searcher, createSearchStatements(database, searcher)),
  };
});
const collectGarbage = createGarbageCollection();

answerStoreRequests((request) => {
  // Only searches.ts sends requests here.
  const message = request as ToSearcher;
  if ("statistics" in message)
    return {
      ...counts.read(),
      indexes: indexes.size,
      indexBytes: indexes.byteLength,
    } satisfies SearchStatistics;
  if ("copy" in message) return copies.handle(message.copy);
  if ("end" in message) return groups.end(message.end);
  const step = nextStep(message);
  collectGarbage();
  return { step, buffers: buffers.takeChanges() } satisfies SearcherAnswer;
});

function nextStep(message: GroupMessage): Step {
  if ("begin" in message) return groups.begin(message.begin, message.project, message.requests);
  if ("preload" in message) return groups.preload(message.preload, message.project, message.bytes);
  return groups.continue(message.continue, message.results) ?? refuseUnknown();
}

function refuseUnknown(): Step {
  throw unavailable("The thread that searches was restarted. Send the call again.");
}
