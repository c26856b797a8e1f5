// Owns the reading connection and the indexes for searches, one of which may take long. Never writes, and answers nothing else: lists
// must not wait behind a search.

import { workerData } from "node:worker_threads";
import type { InjectionCandidates, ProminentMemories } from "../../../memory/store.ts";
import { loadOnnx } from "../../../native/onnx.ts";
import { yieldToOthers } from "../../../threads/priority.ts";
import { type DatabaseFile, openReading } from "../database-file/connection.ts";
import { createProminenceReader, createRuleReader } from "../memories/memory-reader.ts";
import { createSearch } from "../search/search.ts";
import { answerNamedRequests } from "./answer-requests.ts";

export interface SearcherInit {
  readonly file: DatabaseFile;
  readonly searchCacheBytes: number;
}

const { file, searchCacheBytes }: SearcherInit = workerData;
yieldToOthers();
const database = openReading(file);
const { search, findSimilar, statistics } = createSearch(database, {
  onnx: loadOnnx(file.runtime),
  cacheBytes: searchCacheBytes,
});
const rules = createRuleReader(database);
const prominent = createProminenceReader(database);

/** In one read transaction, so that a memory whose type changes at the same time is neither missed nor returned twice. */
const readForInjection = database.transaction(
  (...[project, query]: Parameters<typeof search>): InjectionCandidates => ({
    rules: rules(project, query.now),
    hits: search(project, query),
  }),
);

const readProminent = database.transaction(
  (...[project, query]: Parameters<typeof prominent>): ProminentMemories => ({
    rules: rules(project, query.now),
    memories: prominent(project, query),
  }),
);

const handlers = { search, readForInjection, readProminent, findSimilar, statistics };

export type SearchHandlers = typeof handlers;

answerNamedRequests(handlers);
