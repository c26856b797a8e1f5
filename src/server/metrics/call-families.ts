// Owns the metrics of calls, queues and the groups in which calls are committed.

import { callSeconds, groupCalls, stageSeconds } from "../../platform/statistics/bounds.ts";
import type { Facts } from "./facts.ts";
import { distribution, type Family, one } from "./family.ts";

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
  {
    name: "memledger_gateway_memory_total",
    type: "counter",
    help: "Requests of the gateway by what became of their memory: found, or not looked for (off, present, not_permitted), or missing (late, failed).",
    labels: ["outcome"],
    read: ({ memoryOutcomes }) =>
      Object.entries(memoryOutcomes).map(([outcome, value]) => ({ labels: { outcome }, value })),
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
    bounds: groupCalls,
    read: ({ groups }) => distribution(groups?.calls),
  },
  {
    name: "memledger_group_duration_seconds",
    type: "histogram",
    help: "Time of the transaction of a group, with its commit.",
    bounds: stageSeconds,
    read: ({ groups }) => distribution(groups?.transactionSeconds),
  },
  {
    name: "memledger_commit_duration_seconds",
    type: "histogram",
    help: "Time of a commit of the writer, with its fsync.",
    bounds: stageSeconds,
    read: ({ groups }) => distribution(groups?.commitSeconds),
  },
  {
    name: "memledger_transactions_rolled_back_total",
    type: "counter",
    help: "Transactions of the writer that were rolled back.",
    read: ({ groups }) => one(groups?.rolledBack),
  },
];

export const familiesOfCalls: readonly Family[] = [...callFamilies, ...queueFamilies, ...groupFamilies];
