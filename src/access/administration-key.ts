// Owns administration keys: what they are, and when one is no longer valid. Programs provision projects and API keys with them over HTTP.
// Commands on the machine of the server create and revoke them, so that a stolen one cannot create others. Must never change data.

import type { Refusal } from "../platform/errors.ts";
import { unauthenticated } from "./authorise.ts";

export interface AdministrationKey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Accurate to the minute; null: never. */
  readonly lastUsedAt: number | null;
}

/** Why the key is no longer valid; null: it is valid. */
export function administrationKeyFault(
  { revokedAt, expiresAt }: AdministrationKey,
  now: number,
): Refusal | null {
  if (revokedAt !== null)
    return unauthenticated("The administration key was revoked. Ask the operator for a new one.");
  if (expiresAt !== null && expiresAt <= now)
    return unauthenticated("The administration key has expired. Ask the operator for a new one.");
  return null;
}
