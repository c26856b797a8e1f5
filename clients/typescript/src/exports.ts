// Owns waiting for an export, which the server writes in the background.

import type { CallOptions, Calls } from "./calls.ts";
import { MemledgerError } from "./errors.ts";
import type { ExportDetail } from "./generated/models.ts";
import { Audit } from "./generated/operations.ts";
import type { Sleep } from "./settings.ts";

const firstPauseMs = 200;
const pauseMaxMs = 5_000;

/** The calls of the ledger, and waiting for an export. */
export class AuditLedger extends Audit {
  readonly #sleep: Sleep;

  constructor(calls: Calls, sleep: Sleep) {
    super(calls);
    this.#sleep = sleep;
  }

  /**
   * Reads the status of an export until it is completed. `options.signal` ends the wait.
   * @throws MemledgerError if the export has failed
   */
  async waitForExport(exportId: string, options: CallOptions = {}): Promise<ExportDetail> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, pauseMaxMs)) {
      const task = await this.exportStatus(exportId, options);
      if (task.status === "completed") return task;
      if (task.status === "failed")
        throw new MemledgerError(`The export ${exportId} failed: ${task.error}. Create a new one.`);
      await this.#sleep(pauseMs, options.signal);
    }
  }
}
