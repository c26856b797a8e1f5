// Decides what happens when work between transactions fails: it is logged and tried again later. Calls are not affected.

import { createLogRepeats } from "../../../platform/log/log-repeats.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import { explainDiskFailure } from "../database-file/disk-failure.ts";

const isToBeLogged = createLogRepeats();

/** @returns undefined when `work` failed. */
export function attempt<Result>(logger: Logger, work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    const found = explainDiskFailure(error);
    // Calls start this work, too: on a full disk it fails as often as they do.
    if (isToBeLogged(found?.cause ?? String(error))) {
      logger.error("housekeeping failed and is tried again later", { ...found, error });
    }
    return undefined;
  }
}
