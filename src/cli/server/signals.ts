// Owns the signals of a running server: which of them end it, and what SIGHUP means. Must never end a service at SIGHUP: only a closed
// terminal, and one in which nothing can be reloaded, do.

import { createLogger, type LogLevel } from "../../platform/log/logger.ts";
import { hasTerminal, isHangupIgnored } from "../../platform/native/hangup.ts";
import { endWithin } from "../../platform/threads/process-deadline.ts";
import { exitCodes } from "../exit-codes.ts";

export interface Signals {
  /** Resolves with the name of the first signal that ends the server, also during the start. */
  readonly end: Promise<string>;
  /** Calls `reload` at each SIGHUP that asks for it from now on, and at once if there was one. */
  onReload(reload: () => void): void;
}

/** Some terminals and supervisors send a signal to the process and to its group: it arrives twice within this time. */
const duplicateSignalMs = 100;

/**
 * From the first signal that ends the server on, the process ends before its deadline. A second signal stops it at once.
 * @param hasReload whether SIGHUP has something to reload
 * @param deadlineMs how long the process may take to end
 */
export function listenForSignals(logLevel: LogLevel, hasReload: boolean, deadlineMs: number): Signals {
  const { promise: end, resolve } = Promise.withResolvers<string>();
  let firstAtMs: number | null = null;
  const stop = (signal: string) => {
    const nowMs = performance.now();
    if (firstAtMs !== null) {
      if (nowMs - firstAtMs < duplicateSignalMs) return;
      createLogger(logLevel).warn("server stopped at once: second signal", { cause: signal });
      process.exit(exitCodes.forced);
    }
    firstAtMs = nowMs;
    endWithin({ afterMs: deadlineMs, logLevel });
    resolve(signal);
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);

  let reload: (() => void) | null = null;
  let wasAsked = false;
  const hangUp = createHangup(hasReload, {
    stop,
    reload() {
      wasAsked = true;
      reload?.();
    },
    ignore: () => createLogger(logLevel).info("SIGHUP was ignored; there is no TLS certificate to reload"),
  });
  if (hangUp !== null) process.on("SIGHUP", hangUp);
  return {
    end,
    onReload(next) {
      reload = next;
      if (wasAsked) next();
    },
  };
}

interface HangupActions {
  stop(signal: string): void;
  reload(): void;
  ignore(): void;
}

/** Null: no listener, because SIGHUP is ignored (nohup) and there is nothing to reload. */
function createHangup(
  hasReload: boolean,
  { stop, reload, ignore }: HangupActions,
): ((signal: string) => void) | null {
  if (isHangupIgnored()) return hasReload ? reload : null;
  const isStartedInTerminal = hasTerminal();
  return (signal) => {
    if (isStartedInTerminal && !(hasReload && hasTerminal())) stop(signal);
    else if (hasReload) reload();
    else ignore();
  };
}
