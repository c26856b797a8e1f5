// Owns the reading connection for everything that may take long: lists and searches. Never writes.

import { workerData } from "node:worker_threads";
import type { Gathered } from "../memory/store.ts";
import { loadOnnx } from "../native/onnx.ts";
import { yieldToOthers } from "../native/priority.ts";
import { answerStoreRequests } from "./answer-requests.ts";
import { createAuditReader } from "./audit-reader.ts";
import { type DatabaseFile, openReading } from "./connection.ts";
import { createMemoryList, createRuleReader } from "./memory-reader.ts";
import { createProver } from "./prove.ts";
import { createSearch, type Search } from "./search.ts";

export interface ReaderInit {
  readonly file: DatabaseFile;
  /** Check the signatures of the ledger's own notes. */
  readonly verifierKeys: readonly string[];
  /** Of the vectors; 0 when no search will be asked for. */
  readonly dimensions: number;
  readonly searchCacheBytes: number;
}

/** A question by its name, with the arguments of its function. */
export interface ReaderRequest {
  readonly question: keyof Questions;
  readonly values: readonly unknown[];
}

const { file, verifierKeys, dimensions, searchCacheBytes }: ReaderInit = workerData;
yieldToOthers();
const database = openReading(file);
const audit = createAuditReader(database);
const prover = createProver(database, verifierKeys);
let search: Search | undefined;

/** ONNX Runtime is loaded with the first search: commands that only administer never need it. */
function useSearch(): Search {
  search ??= createSearch(database, {
    onnx: loadOnnx(file.runtime),
    dimensions,
    cacheBytes: searchCacheBytes,
  });
  return search;
}

const searchMemories = (...question: Parameters<Search["search"]>) => useSearch().search(...question);

const rules = createRuleReader(database);

/** In one read transaction, so that a memory which changes its type meanwhile is neither missed nor there twice. */
const gatherMemories = database.transaction(
  (...[project, query]: Parameters<typeof searchMemories>): Gathered => ({
    rules: rules(project, query.now),
    hits: searchMemories(project, query),
  }),
);

const questions = {
  listMemories: createMemoryList(database),
  searchMemories,
  gatherMemories,
  neighbours: (...question: Parameters<Search["neighbours"]>) => useSearch().neighbours(...question),
  listRecords: audit.list,
  findRecord: audit.find,
  placeRecord: audit.place,
  mentions: audit.mentions,
  planProof: prover.planProof,
  proveStep: prover.proveStep,
};

export type Questions = typeof questions;

answerStoreRequests(async (request) => {
  const { question, values } = request as ReaderRequest;
  const answer = questions[question] as (...values: readonly unknown[]) => unknown;
  return answer(...values);
});
