// Owns the metrics of the health of the server: readiness, threads, the sources of metrics, the process.

import { delaySeconds } from "../../platform/statistics/bounds.ts";
import { distribution, type Family, one, time } from "./family.ts";

const healthFamilies: readonly Family[] = [
  {
    name: "memledger_ready",
    type: "gauge",
    help: "1 if calls can be performed now, as /health/ready answers, else 0.",
    read: ({ readiness }) => one(readiness === null ? null : Number(readiness.ready)),
  },
  {
    name: "memledger_thread_restarts_total",
    type: "counter",
    help: "How often a thread was started again after it had ended or was replaced.",
    labels: ["thread"],
    read: ({ restarts }) => {
      const counts = new Map<string, number>();
      for (const { thread, restarts: count } of restarts)
        counts.set(thread, (counts.get(thread) ?? 0) + count);
      return [...counts].map(([thread, value]) => ({ labels: { thread }, value }));
    },
  },
  {
    name: "memledger_event_loop_delay_seconds",
    type: "histogram",
    help: "How late a timer of the main thread was, measured once per second.",
    bounds: delaySeconds,
    read: ({ eventLoopDelays }) => distribution(eventLoopDelays),
  },
  {
    name: "memledger_certificate_expiry_timestamp_seconds",
    type: "gauge",
    help: "When the TLS certificate in use expires. Absent without TLS.",
    read: ({ certificateEndsAt }) => time(certificateEndsAt),
  },
  {
    name: "memledger_build_info",
    type: "gauge",
    help: "Always 1; the labels say which program runs with which model.",
    labels: ["version", "commit", "format", "model", "extractor"],
    read: ({ build: { version, commit, format, model, extractor } }) => [
      { labels: { version, commit, format: String(format), model, extractor }, value: 1 },
    ],
  },
  {
    name: "memledger_source_up",
    type: "gauge",
    help: "1 if the source has answered this scrape; 0: its metrics have the last values, or are absent.",
    labels: ["source"],
    read: ({ sources }) =>
      sources.map(({ source, isCurrent }) => ({ labels: { source }, value: Number(isCurrent) })),
  },
  {
    name: "memledger_source_age_seconds",
    type: "gauge",
    help: "Age of the values of a source. Absent if it has never answered.",
    labels: ["source"],
    read: ({ sources }) =>
      sources.flatMap(({ source, ageSeconds }) =>
        ageSeconds === null ? [] : [{ labels: { source }, value: ageSeconds }],
      ),
  },
];

/** Under the names that all Prometheus clients use. */
const processFamilies: readonly Family[] = [
  {
    name: "process_cpu_seconds_total",
    type: "counter",
    help: "CPU time of the process, of all threads.",
    read: ({ process }) => one(process?.cpuSeconds),
  },
  {
    name: "process_resident_memory_bytes",
    type: "gauge",
    help: "Resident memory of the process.",
    read: ({ process }) => one(process?.residentBytes),
  },
  {
    name: "process_open_fds",
    type: "gauge",
    help: "Open file descriptors. Linux only.",
    read: ({ process }) => one(process?.openFiles),
  },
  {
    name: "process_max_fds",
    type: "gauge",
    help: "Maximum number of open file descriptors. Linux only.",
    read: ({ process }) => one(process?.openFilesMax),
  },
  {
    name: "process_start_time_seconds",
    type: "gauge",
    help: "When the process was started.",
    read: ({ process }) => time(process?.startedAt),
  },
];

export const familiesOfHealth: readonly Family[] = [...healthFamilies, ...processFamilies];
