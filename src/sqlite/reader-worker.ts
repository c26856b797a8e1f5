// Owns the reading connection for everything that may take long: lists and searches. Never writes.

import { workerData } from "node:worker_threads";
import type { Project } from "../access/project.ts";
import type { ListQuery, MemoryPage, SearchHit, SearchQuery } from "../memory/store.ts";
import { loadOnnx } from "../native/onnx.ts";
import { type DatabaseFile, openReading } from "./connection.ts";
import { createMemoryList } from "./memory.ts";
import { createSearch } from "./search.ts";
import { answerRequests } from "./worker-client.ts";

export interface ReaderInit {
  readonly file: DatabaseFile;
  readonly dimensions: number;
  readonly searchCacheBytes: number;
}

export type ReaderRequest =
  | { readonly list: { readonly project: Project; readonly query: ListQuery } }
  | { readonly search: { readonly project: Project; readonly query: SearchQuery } };

export type ReaderReply = MemoryPage | readonly SearchHit[];

const { file, dimensions, searchCacheBytes }: ReaderInit = workerData;
const database = openReading(file);
const list = createMemoryList(database);
const search = createSearch(database, {
  onnx: loadOnnx(file.runtime),
  dimensions,
  cacheBytes: searchCacheBytes,
});

answerRequests(async (request): Promise<ReaderReply> => {
  const work = request as ReaderRequest;
  return "list" in work
    ? list(work.list.project, work.list.query)
    : search(work.search.project, work.search.query);
});
