// Owns the removal of the answer cache that earlier versions kept in the data directory. It may contain texts that are erased now.

import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Logger } from "../../platform/log/logger.ts";

/** Never throws: the folder is of no use, but a server can run beside it. */
export function removePreviousAnswers(database: string, logger: Logger): void {
  const folder = join(dirname(database), "cache", "answers");
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    logger.error("the answer cache of an earlier version cannot be removed; remove the folder", {
      folder,
      error,
    });
  }
}
