// Owns reading the files that a person gives for a verification, and what is said when one cannot be read. Must never write a file.

import { UnusableInput } from "../../audit/verify/verdict.ts";
import { RefusedFile, readRegularBytes } from "../../platform/files/regular-file.ts";
import { explainSystemError } from "../../platform/files/system-error.ts";
import { evidenceFileMaxBytes } from "../../platform/limits.ts";

/** @throws UnusableInput when the file is not a regular file, is too large or cannot be read */
export function readBytes(path: string): Buffer {
  return orUnusable(path, () => readRegularBytes(path, evidenceFileMaxBytes));
}

/** @throws UnusableInput with the reason when `read` fails */
export function orUnusable<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof RefusedFile) throw new UnusableInput(cause.message, { cause });
    const found = explainSystemError(cause);
    const reason = found === null ? "." : `: ${found.cause}. ${found.remedy}`;
    throw new UnusableInput(`${path} cannot be read${reason}`, { cause });
  }
}
