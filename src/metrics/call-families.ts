// Owns the metrics of calls, queues and the parts of a call: groups, embeddings, searches.

import { injectMemories } from "../memory/inject.ts";
import { searchMemories } from "../memory/search.ts";
import {
  callSeconds,
  groupCalls,
  groupSearches,
  rescoredMemories,
  stageSeconds,
} from "../statistics/bounds.ts";
import type { DistributionState } from "../statistics/distribution.ts";
import { searchStages } from "../storage/statistics.ts";
import type { Facts } from "./facts.ts";
import { type DistributionSample, distribution, type Family, one } from "./family.ts";

const callFamilies: readonly Family[] = [
  {
    name: "memledger_calls_total",
    type: "counter",
    help: "Calls that were answered, by operation, transport and code of the answer (1000 is success).",
    labels: ["operation", "transport", "code"],
    read: ({ calls }) =>
      calls.calls.map(({ operation, transport, code, calls: value }) => ({
        labels: { operation, transport, code: String(code) },
        value,
      })),
  },
  {
    name: "memledger_call_duration_seconds",
    type: "histogram",
    help: "Time from the arrival of a call to its answer, with its record.",
    labels: ["operation", "transport"],
    bounds: callSeconds,
    read: ({ calls }) =>
      calls.durations.map(({ operation, transport, seconds }) => ({
        labels: { operation, transport },
        state: seconds,
      })),
  },
  {
    name: "memledger_call_record_duration_seconds",
    type: "histogram",
    help: "Part of a call: from its preparation to the commit of its record, with the wait for the writer.",
    labels: ["operation"],
    bounds: stageSeconds,
    read: ({ calls }) =>
      calls.recorded.map(({ operation, seconds }) => ({ labels: { operation }, state: seconds })),
  },
  {
    name: "memledger_calls_running",
    type: "gauge",
    help: "Calls that have arrived and are not answered.",
    labels: [],
    read: ({ calls }) => one(calls.running),
  },
  {
    name: "memledger_requests_without_operation_total",
    type: "counter",
    help: "Requests that belong to no operation: unknown paths over HTTP, and messages of MCP that call no tool.",
    labels: ["transport", "status"],
    read: ({ calls }) =>
      calls.withoutOperation.map(({ transport, status, requests }) => ({
        labels: { transport, status: String(status) },
        value: requests,
      })),
  },
];

const queueFamilies: readonly Family[] = [
  {
    name: "memledger_queue_waiting",
    type: "gauge",
    help: "Items that wait in a queue.",
    labels: ["queue"],
    read: (facts) => queuesOf(facts).map(({ queue, waiting }) => ({ labels: { queue }, value: waiting })),
  },
  {
    name: "memledger_queue_refused_total",
    type: "counter",
    help: "Items that a full queue has refused: project_limit with 1429, total_limit with 1503.",
    labels: ["queue", "reason"],
    read: (facts) =>
      queuesOf(facts).flatMap(({ queue, refusedOfProject, refusedOfAll }) => [
        { labels: { queue, reason: "project_limit" }, value: refusedOfProject },
        { labels: { queue, reason: "total_limit" }, value: refusedOfAll },
      ]),
  },
];

const queuesOf = ({ queues, store }: Facts) => [...store.queues, ...queues];

const groupFamilies: readonly Family[] = [
  {
    name: "memledger_group_calls",
    type: "histogram",
    help: "Calls that were committed together in one transaction.",
    labels: [],
    bounds: groupCalls,
    read: ({ groups }) => distribution(groups?.calls),
  },
  {
    name: "memledger_group_duration_seconds",
    type: "histogram",
    help: "Time of the transaction of a group, with its commit.",
    labels: [],
    bounds: stageSeconds,
    read: ({ groups }) => distribution(groups?.transactionSeconds),
  },
  {
    name: "memledger_commit_duration_seconds",
    type: "histogram",
    help: "Time of a commit of the writer, with its fsync.",
    labels: [],
    bounds: stageSeconds,
    read: ({ groups }) => distribution(groups?.commitSeconds),
  },
  {
    name: "memledger_transactions_rolled_back_total",
    type: "counter",
    help: "Transactions of the writer that were rolled back.",
    labels: [],
    read: ({ groups }) => one(groups?.rolledBack),
  },
];

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
    labels: [],
    read: ({ embedding }) => one(embedding.batches),
  },
  {
    name: "memledger_embedding_busy_seconds_total",
    type: "counter",
    help: "Time in which a thread of the embedder had work. Its rate is the utilisation, from 0 to 1.",
    labels: [],
    read: ({ embedding }) => one(embedding.busySeconds),
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
    labels: [],
    bounds: groupSearches,
    read: ({ store }) => distribution(store.searchGroups),
  },
  {
    name: "memledger_search_task_duration_seconds",
    type: "histogram",
    help: "Time of the tasks into which searches of large projects are divided, from the moment when a thread gets a task.",
    labels: [],
    bounds: stageSeconds,
    read: ({ store }) => distribution(store.searchTasks),
  },
  {
    name: "memledger_search_rescored_memories",
    type: "histogram",
    help: "Memories whose exact score a search needed.",
    labels: [],
    bounds: rescoredMemories,
    read: ({ searches }) => distribution(searches?.rescored),
  },
  {
    name: "memledger_search_indexes",
    type: "gauge",
    help: "Projects with a search index in memory.",
    labels: [],
    read: ({ searches }) => one(searches?.indexes),
  },
  {
    name: "memledger_search_index_bytes",
    type: "gauge",
    help: "Memory of all search indexes, estimated.",
    labels: [],
    read: ({ searches }) => one(searches?.indexBytes),
  },
  {
    name: "memledger_search_index_limit_bytes",
    type: "gauge",
    help: "Limit of the memory for search indexes (search-cache-mb).",
    labels: [],
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

export const familiesOfCalls: readonly Family[] = [
  ...callFamilies,
  ...queueFamilies,
  ...groupFamilies,
  ...embeddingFamilies,
  ...searchFamilies,
];
