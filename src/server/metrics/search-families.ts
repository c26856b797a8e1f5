// Owns the metrics of the parts of a search: embedding, reranking, and the stages between.

import { injectMemories } from "../../calls/operations/search/inject.ts";
import { searchMemories } from "../../calls/operations/search/search.ts";
import { searchStages } from "../../calls/storage/statistics.ts";
import { groupSearches, rescoredMemories, stageSeconds } from "../../platform/statistics/bounds.ts";
import type { DistributionState } from "../../platform/statistics/distribution.ts";
import type { Facts } from "./facts.ts";
import { type DistributionSample, distribution, type Family, one } from "./family.ts";

const embeddingFamilies: readonly Family[] = [
  {
    name: "memledger_embedding_texts_total",
    type: "counter",
    help: "Texts that were embedded: computed by the model, shared with another call that waited for the same text, or cached.",
    labels: ["role", "result"],
    read: ({ embedding }) =>
      embedding.texts.map(({ role, result, texts }) => ({ labels: { role, result }, value: texts })),
  },
  {
    name: "memledger_embedding_duration_seconds",
    type: "histogram",
    help: "Time from the request for the vector of a text until it is there, with the wait in the queue.",
    labels: ["role"],
    bounds: stageSeconds,
    read: ({ embedding: { seconds } }) => [
      { labels: { role: "query" }, state: seconds.query },
      { labels: { role: "passage" }, state: seconds.passage },
    ],
  },
  {
    name: "memledger_embedding_batches_total",
    type: "counter",
    help: "Runs of the embedding model. A run computes a batch of one or several texts.",
    read: ({ embedding }) => one(embedding.batches),
  },
  {
    name: "memledger_embedding_busy_seconds_total",
    type: "counter",
    help: "Time in which a thread of the embedder had work. Its rate is the utilisation, from 0 to 1.",
    read: ({ embedding }) => one(embedding.busySeconds),
  },
];

const rerankFamilies: readonly Family[] = [
  {
    name: "memledger_reranks_total",
    type: "counter",
    help: "Searches and injections that were to be reranked: reranked, or not because of the deadline, because too many were waiting (refused), or because the model failed.",
    labels: ["outcome"],
    read: ({ embedding: { reranks } }) =>
      Object.entries(reranks.outcomes).map(([outcome, value]) => ({ labels: { outcome }, value })),
  },
  {
    name: "memledger_rerank_duration_seconds",
    type: "histogram",
    help: "Time of the reranking of a search that was reranked, with the wait in the queue.",
    bounds: stageSeconds,
    read: ({ embedding: { reranks } }) => [{ labels: {}, state: reranks.seconds }],
  },
  {
    name: "memledger_rerank_texts_total",
    type: "counter",
    help: "Texts of searches that were reranked: their token vectors were computed by the model, or cached.",
    labels: ["result"],
    read: ({ embedding: { reranks } }) =>
      Object.entries(reranks.texts).map(([result, value]) => ({ labels: { result }, value })),
  },
];

const searchFamilies: readonly Family[] = [
  {
    name: "memledger_search_stage_duration_seconds",
    type: "histogram",
    help: "Time of the stages of searches and injections, in their order: embed, wait, catch_up, scan, rescore (or database), read, record.",
    labels: ["stage"],
    bounds: stageSeconds,
    read: stagesOf,
  },
  {
    name: "memledger_search_group_searches",
    type: "histogram",
    help: "Searches of one project that were answered together.",
    bounds: groupSearches,
    read: ({ store }) => distribution(store.searchGroups),
  },
  {
    name: "memledger_search_task_duration_seconds",
    type: "histogram",
    help: "Time of the tasks into which searches of large projects are divided, from the moment when a thread gets a task.",
    bounds: stageSeconds,
    read: ({ store }) => distribution(store.searchTasks),
  },
  {
    name: "memledger_search_rescored_memories",
    type: "histogram",
    help: "Memories whose exact score a search needed.",
    bounds: rescoredMemories,
    read: ({ searches }) => distribution(searches?.rescored),
  },
  {
    name: "memledger_search_indexes",
    type: "gauge",
    help: "Projects with a search index in memory.",
    read: ({ searches }) => one(searches?.indexes),
  },
  {
    name: "memledger_search_index_bytes",
    type: "gauge",
    help: "Memory of all search indexes, estimated.",
    read: ({ searches }) => one(searches?.indexBytes),
  },
  {
    name: "memledger_search_index_limit_bytes",
    type: "gauge",
    help: "Limit of the memory for search indexes (search-cache-mb).",
    read: ({ searchIndexLimitBytes }) => one(searchIndexLimitBytes),
  },
];

function stagesOf({ calls, embedding, store, searches }: Facts): DistributionSample[] {
  const ofSearches = new Set<string>([searchMemories.name, injectMemories.name]);
  const records = calls.recorded.filter(({ operation }) => ofSearches.has(operation));
  const stage = (name: string, state: DistributionState | null | undefined): DistributionSample[] =>
    state === null || state === undefined ? [] : [{ labels: { stage: name }, state }];
  return [
    ...stage("embed", embedding.seconds.query),
    ...stage("wait", store.searchWaits),
    ...searchStages.flatMap((name) => stage(name, searches?.stages[name])),
    ...stage("record", sumOf(records.map(({ seconds }) => seconds))),
  ];
}

/** Of distributions with the same bounds; null: of none. */
function sumOf(states: readonly DistributionState[]): DistributionState | null {
  const [first, ...others] = states;
  if (first === undefined) return null;
  return others.reduce(
    (sum, { counts, sum: added }) => ({
      counts: sum.counts.map((count, at) => count + (counts[at] ?? 0)),
      sum: sum.sum + added,
    }),
    first,
  );
}

export const familiesOfSearches: readonly Family[] = [
  ...embeddingFamilies,
  ...rerankFamilies,
  ...searchFamilies,
];
