// Owns when the idle timeout of a connection does not apply: while an operation runs that may take minutes.

import type { ProjectOperation } from "../../calls/operation.ts";
import { idleTimeoutSeconds } from "../../limits.ts";

/** @param setIdleTimeout closes the connection after this time without traffic; 0: never */
export async function withoutIdleTimeout<Result>(
  { mayRunLong = false }: Pick<ProjectOperation, "mayRunLong">,
  setIdleTimeout: (seconds: number) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!mayRunLong) return work();
  setIdleTimeout(0);
  try {
    return await work();
  } finally {
    setIdleTimeout(idleTimeoutSeconds);
  }
}
