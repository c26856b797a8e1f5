// Owns how a long command is stopped by Ctrl+C, a supervisor or a closed terminal: it removes what it has begun, then it ends with an
// error. A second signal ends it at once.

import { isHangupIgnored } from "../../platform/native/hangup.ts";
import { exitCodes } from "../exit-codes.ts";

/** Some terminals send a signal to the process and to its group: it arrives twice within this time. */
const duplicateSignalMs = 100;

/** Runs `work` with a signal that is aborted by SIGINT, SIGTERM or SIGHUP. `what` completes "Stopped by SIGINT. ..." */
export async function untilStopped<Result>(
  what: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  let firstAtMs: number | null = null;
  const listener = (name: string): void => {
    const nowMs = performance.now();
    if (firstAtMs === null) {
      firstAtMs = nowMs;
      controller.abort(new Error(`Stopped by ${name}. ${what}`));
    } else if (nowMs - firstAtMs > duplicateSignalMs) process.exit(exitCodes.forced);
  };
  const names = ["SIGINT", "SIGTERM", ...(isHangupIgnored() ? [] : ["SIGHUP"])];
  for (const name of names) process.on(name, listener);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of names) process.off(name, listener);
  }
}
