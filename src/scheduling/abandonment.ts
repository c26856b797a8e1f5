// Owns what becomes of work whose caller is gone. Must never decide who is gone: an AbortSignal says so.

import { type Refusal, unavailable } from "../errors.ts";

/** The answer that nobody reads, and that the audit record keeps: 1503. */
export function abandoned(): Refusal {
  return unavailable(
    "The client closed the connection, or the server is shutting down. Nothing was stored. Send the call again.",
  );
}

/**
 * The result of `work`, or abandoned() as soon as `signal` is aborted. The work itself goes on, except for what `leave` stops.
 * @throws Refusal 1503
 */
export function unlessAbandoned<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  leave: () => void = () => {},
): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const stop = () => {
    leave();
    reject(abandoned());
  };
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return promise;
}
