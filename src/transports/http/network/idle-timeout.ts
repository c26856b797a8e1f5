// Owns when the idle timeout of a connection does not apply: while an operation runs that may take minutes.

import type { Operation } from "../../../calls/contract/operation.ts";
import { idleTimeoutSeconds } from "../../../platform/limits.ts";

/** @param setIdleTimeout closes the connection after this time without traffic; 0: never */
export async function withoutIdleTimeout<Result>(
  operation: Operation,
  setIdleTimeout: (seconds: number) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!mayRunLong(operation)) return work();
  setIdleTimeout(0);
  try {
    return await work();
  } finally {
    setIdleTimeout(idleTimeoutSeconds);
  }
}

export function mayRunLong(operation: Operation): boolean {
  return operation.scope === "project" && operation.mayRunLong === true;
}
