// Owns the threads that turn records into the rows of exports. They exist only while an export runs, because each needs memory of its own.

import { availableParallelism } from "node:os";
import { exportRowThreadsMax } from "../../../platform/limits.ts";
import type { Supervisor } from "../../../platform/threads/supervisor.ts";
import type { WorkerThread } from "../../../platform/threads/worker-thread.ts";
import type { DatabaseFile } from "../database-file/connection.ts";
import type { Piece, PieceOrder } from "./export-rows.ts";
import type { RowsInit } from "./export-rows-worker.ts";

export interface ExportRowThreads {
  /** How many orders keep all threads busy. */
  readonly ordersAhead: number;
  /** Starts a thread when none is free to take the order. @throws Refusal 1503 when the thread ended before it answered. */
  makeRows(order: PieceOrder): Promise<Piece>;
  /** Ends all threads. The next order starts new ones. */
  endAll(): Promise<void>;
}

export function createExportRowThreads(file: DatabaseFile, supervisor: Supervisor): ExportRowThreads {
  const size = Math.min(exportRowThreadsMax, availableParallelism());
  const init: RowsInit = { file };
  let threads: WorkerThread[] = [];
  let orders = 0;
  return {
    ordersAhead: 6 * size,
    makeRows(order) {
      const next = orders++ % size;
      const thread = threads[next] ?? supervisor.start("exportRows", init);
      threads[next] = thread;
      return thread.request<Piece>(order);
    },
    async endAll() {
      const ended = threads;
      threads = [];
      orders = 0;
      await Promise.all(ended.map((thread) => thread.close()));
    },
  };
}
