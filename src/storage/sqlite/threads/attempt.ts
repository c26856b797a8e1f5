// Owns how work between transactions fails: it is logged and left for another time, without harm to any call.

import { createLogRepeats } from "../../../log/log-repeats.ts";
import type { Logger } from "../../../log/logger.ts";
import { explainDiskFailure } from "../database-file/disk-failure.ts";

const isToBeLogged = createLogRepeats();

/** @returns undefined when `work` failed. */
export function attempt<Result>(logger: Logger, work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    const found = explainDiskFailure(error);
    // Calls start it as well: on a disk that is full it fails as often as they do.
    if (isToBeLogged(found?.cause ?? String(error))) {
      logger.error("housekeeping failed and is tried again later", { ...found, error });
    }
    return undefined;
  }
}
