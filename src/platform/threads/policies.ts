// Owns the policies for worker threads: how long a thread may take to answer, whether it is restarted, and how it is stopped.

import type { WorkerName } from "./spawn.ts";

export interface ThreadPolicy {
  /**
   * A thread that has not answered a request for this time is replaced. Far longer than any request takes on a slow disk, because
   * replacing a thread that waits for the disk is useless.
   */
  readonly silenceMaxMs: number;
  /** What happens after a crash. */
  readonly restarts: "always" | "never";
  /**
   * Whether a new thread may start while the replaced one still runs. A thread inside a system call ends only when the call returns.
   * Never true for a thread that writes: two of them would write at once.
   */
  readonly mayOverlap: boolean;
  /**
   * Whether the thread may be terminated while it works. ONNX Runtime aborts the whole process when its thread is terminated during a
   * run. Such a thread is told to finish, and ends by itself or with the process.
   */
  readonly mayTerminate: boolean;
  /** How long the thread may take to finish and to release its resources; 0: it is terminated at once. */
  readonly closeMaxMs: number;
}

/** Without the thread that kills the process at its deadline: it answers no requests. */
export type SupervisedName = Exclude<WorkerName, "deadline">;

const writes = { restarts: "always", mayOverlap: false, mayTerminate: true } as const;
/** A thread that is terminated inside SQLite can abort the process, so it is first told to finish. */
const finishesMs = 2_000;
const reads = { restarts: "always", mayOverlap: true, mayTerminate: true, closeMaxMs: finishesMs } as const;
const computes = { restarts: "always", mayOverlap: true, mayTerminate: true, closeMaxMs: 0 } as const;
const runsOnce = {
  restarts: "never",
  mayOverlap: true,
  mayTerminate: true,
  closeMaxMs: finishesMs,
} as const;
const runsOnnx = { mayTerminate: false, closeMaxMs: finishesMs } as const;

export const threadPolicies: Readonly<Record<SupervisedName, ThreadPolicy>> = {
  // The longest request is an erasure, which may delete any number of payloads in one transaction.
  writer: { ...writes, silenceMaxMs: 600_000, closeMaxMs: 60_000 },
  // The longest step writes the file of an export to the disk (fsync).
  exporter: { ...writes, silenceMaxMs: 600_000, closeMaxMs: 10_000 },
  reader: { ...reads, silenceMaxMs: 300_000 },
  // A step takes milliseconds, the longest ones of a million memories about 0.1 s: a table that grows, rows that move to free slots.
  searcher: { ...reads, ...runsOnnx, silenceMaxMs: 60_000 },
  // A task takes milliseconds, a file or rows on a slow disk seconds.
  scanner: { ...reads, ...runsOnnx, silenceMaxMs: 60_000 },
  // The longest requests compare the files of a project of a million memories with the database, or sync a block.
  cacheWriter: { ...writes, silenceMaxMs: 600_000, closeMaxMs: 5_000 },
  exportRows: { ...reads, silenceMaxMs: 300_000 },
  // A batch takes milliseconds, a long text on a slow machine seconds. No disk is involved.
  embedder: { ...computes, ...runsOnnx, silenceMaxMs: 60_000 },
  // The first one computes the texts if this one fails.
  extraEmbedder: { ...runsOnce, ...runsOnnx, silenceMaxMs: 60_000 },
  extractor: { ...computes, silenceMaxMs: 60_000 },
  // A body of 20 MiB takes about a second.
  bodies: { ...computes, silenceMaxMs: 60_000 },
  // Reads the whole database file.
  inspector: { ...runsOnce, silenceMaxMs: 4 * 3_600_000 },
  // Copies, checks and compresses the whole database. It is told to stop before it is closed.
  backup: { ...runsOnce, mayOverlap: false, silenceMaxMs: 24 * 3_600_000, closeMaxMs: 10_000 },
  // One range of rows.
  verifier: { ...runsOnce, silenceMaxMs: 600_000 },
};

/** How long a thread may take to start: the embedder reads its model from the disk and checks it. */
export const threadStartMaxMs = 600_000;
/** How long closing waits for a thread that is starting. It takes a fraction of a second, on a slow disk seconds. */
export const closeStartMaxMs = 10_000;
/** How often the supervisor checks threads that have not answered. */
export const silenceCheckEveryMs = 1_000;
/** How long closing waits for a thread that only reads or computes. */
export const terminateMaxMs = 1_000;
/** Delay before a restart: the first time, doubled after each further failure up to the second time. */
export const restartDelayMinMs = 50;
export const restartDelayMaxMs = 10_000;
