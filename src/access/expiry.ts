// Owns the expiry time of a key, as it is given when the key is created.

import { fieldRefusal } from "../platform/errors.ts";
import { fromTimestamp } from "../platform/time/timestamp.ts";

/** Null: the key does not expire. @throws Refusal 1400 for a time in the past */
export function readExpiry(given: string | null | undefined, now: number): number | null {
  const expiresAt = typeof given === "string" ? fromTimestamp(given) : null;
  if (expiresAt === null || expiresAt > now) return expiresAt;
  const reason = "is in the past, so the key could never be used; send a later time";
  throw fieldRefusal("expires_at", reason);
}
