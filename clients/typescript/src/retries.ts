// Owns whether and when a call is sent again. Must never repeat what would change something twice.

import { ApiError, ConnectionFailedError, RateLimitError, UnavailableError } from "./errors.ts";

/** Upper bound of the random delay before the first retry. It doubles with each retry. */
export const firstDelayMaxMs = 500;
export const delayMaxMs = 8_000;
/** A longer Retry-After is left to the caller. */
export const retryAfterMaxSeconds = 60;

interface Attempted {
  readonly isIdempotent: boolean;
  /** How often the call was sent again already. */
  readonly retries: number;
  readonly random: () => number;
}

/** The delay before the call is sent again; null: it is not. */
export function retryDelayMs(error: unknown, { isIdempotent, retries, random }: Attempted): number | null {
  if (!(isRefusedUndone(error) || (isIdempotent && isTransient(error)))) return null;
  const retryAfterSeconds = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0;
  if (retryAfterSeconds > retryAfterMaxSeconds) return null;
  const spreadMs = random() * Math.min(firstDelayMaxMs * 2 ** retries, delayMaxMs);
  return Math.ceil(retryAfterSeconds * 1_000 + spreadMs);
}

/** Nothing was done, and the server invites another attempt. 2103: the language model did not answer. */
function isRefusedUndone(error: unknown): boolean {
  if (error instanceof RateLimitError) return true;
  if (error instanceof UnavailableError) return !error.isOutcomeUnknown;
  return error instanceof ApiError && error.code === 2103 && error.retryAfterSeconds !== null;
}

/** The call may have been performed. A timeout is not among them: a second attempt would double the wait. */
function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionFailedError) return true;
  return error instanceof ApiError && [502, 503, 504].includes(error.status);
}
