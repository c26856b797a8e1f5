// Owns the cancellation of work whose caller no longer waits. Must never decide that itself: an AbortSignal says so.

import { type Refusal, unavailable } from "../errors.ts";

/** 1503: the client does not receive it, but the audit record keeps it. */
export function cancelled(): Refusal {
  return unavailable(
    "The client closed the connection, or the server is shutting down. Nothing was stored. Retry the call.",
  );
}

/**
 * Returns the result of `work`, or throws cancelled() as soon as `signal` is aborted. Only `leave` can stop the work itself.
 * @throws Refusal 1503
 */
export function unlessCancelled<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  leave: () => void = () => {},
): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const stop = () => {
    leave();
    reject(cancelled());
  };
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return promise;
}
