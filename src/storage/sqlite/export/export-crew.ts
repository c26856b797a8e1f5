// Owns the threads that make the rows of exports. They live only while there is work, since each takes its share of memory.

import { availableParallelism } from "node:os";
import { exportRowThreadsMax } from "../../../limits.ts";
import type { Logger } from "../../../log/logger.ts";
import { spawnWorker } from "../../../native/worker.ts";
import { WorkerClient } from "../../../native/worker-client.ts";
import type { DatabaseFile } from "../database-file/connection.ts";
import type { Piece, PieceOrder } from "./export-rows.ts";
import type { RowsInit } from "./export-rows-worker.ts";

export interface ExportCrew {
  /** How many orders keep everybody busy. */
  readonly ordersAhead: number;
  /** @throws Refusal 1503 when the thread that worked on it died. */
  ask(order: PieceOrder): Promise<Piece>;
  /** Ends the threads; the next order starts others. */
  rest(): Promise<void>;
}

export function createExportCrew(file: DatabaseFile, logger: Logger): ExportCrew {
  const size = Math.min(exportRowThreadsMax, availableParallelism());
  const init: RowsInit = { file };
  let members: WorkerClient[] = [];
  let turn = 0;
  return {
    ordersAhead: 6 * size,
    ask(order) {
      const place = turn++ % size;
      const member =
        members[place] ?? new WorkerClient("exportRows", () => spawnWorker("exportRows", init), logger);
      members[place] = member;
      return member.request(order) as Promise<Piece>;
    },
    async rest() {
      const all = members;
      members = [];
      turn = 0;
      await Promise.all(all.map((member) => member.close()));
    },
  };
}
