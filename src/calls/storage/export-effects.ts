// Owns the effects of committed calls that concern exports. They are the same with every engine, because files of exports are in the
// data directory. Knows no SQL.

import { outcomeUnknown } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log/logger.ts";
import { type Answer, toRefusalAnswer } from "../contract/answer.ts";
import type { AnsweredCall } from "./after-commit.ts";
import type { ExportRunner } from "./export-runner.ts";

/** @returns the answer of the call; 1503 when an effect failed that its caller relies on. */
export async function performExportEffects(
  { answer, after }: AnsweredCall,
  exports: Pick<ExportRunner, "wake" | "removeExpired">,
  logger: Logger,
): Promise<Answer> {
  const effects = new Set(after.map(({ effect }) => effect));
  if (effects.has("start_export")) exports.wake();
  if (!effects.has("remove_expired_exports")) return answer;
  try {
    await exports.removeExpired();
    return answer;
  } catch (error) {
    logger.error("files of exports with erased records could not be removed; retrying", {
      error,
    });
    return toRefusalAnswer(stillInFiles);
  }
}

/** Not that nothing was done: the erasure is committed. */
const stillInFiles = outcomeUnknown(
  "The payloads were erased, but files of exports that contain them could not be removed. They cannot be downloaded any more. The log of the server has the reason. Make the folder of exports writable, and run the erasure again.",
);
