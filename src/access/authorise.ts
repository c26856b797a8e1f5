// Owns the check whether a caller may perform an operation. It runs twice for each call: on arrival, and again inside the transaction,
// because keys, plans and subscriptions may have changed meanwhile.

import { Refusal } from "../platform/errors.ts";
import type { Caller } from "./caller.ts";
import type { Permission } from "./key.ts";
import type { Feature, Plan } from "./plan.ts";

/** What a caller needs for an operation. */
interface Requirement {
  readonly permission: Permission;
  readonly feature: Feature;
  readonly forSubjects?: true | "known";
}

/** @throws Refusal 1401, 1403, 2106, 2200 or 2202 */
export function authorise(required: Requirement, caller: Caller, plan: Plan, now: number): void {
  const { key, project } = caller;
  const invalid = keyFault(caller, now);
  if (invalid !== null) throw invalid;
  if (!key.permissions.includes(required.permission)) {
    throw new Refusal(
      1403,
      `Permission denied: the API key does not have the permission ${required.permission}. Use a key that has it.`,
      {
        permission: required.permission,
      },
    );
  }
  if (key.subject !== null && required.forSubjects === undefined) {
    throw new Refusal(
      1403,
      "Permission denied: the API key is for subjects only, and this operation is for the whole project. Use another key.",
    );
  }
  // Every plan includes it. The memory that is put into requests is the feature of another call.
  if (required.feature === "gateway") return;
  if (required.feature === "memory") {
    if (plan.memoryLimit === 0) {
      throw new Refusal(
        2106,
        `The ${project.plan} plan does not include memories. Ask the operator for the basic plan or a larger one.`,
      );
    }
    return;
  }
  if (project.subscription !== "active") {
    throw new Refusal(2200, "The subscription of the project has expired. Ask the operator to renew it.");
  }
  if (required.feature === "export" && !plan.export) {
    throw new Refusal(
      2202,
      `The ${project.plan} plan does not include exports. Ask the operator for the pro plan or a larger one.`,
    );
  }
}

/** Why the key, or the token of it, is no longer valid; null: it is valid. Keys of a deleted project are revoked with it. */
export function keyFault({ key, token, isProjectDeleted }: Caller, now: number): Refusal | null {
  if (isProjectDeleted) {
    return unauthenticated("The project of this API key was deleted. Use a key of another project.");
  }
  if (key.revokedAt !== null)
    return unauthenticated("The API key was revoked. Ask the operator for a new one.");
  if (key.expiresAt !== null && key.expiresAt <= now) {
    return unauthenticated("The API key has expired. Ask the operator for a new one.");
  }
  if (token === undefined) return null;
  if (token.epoch !== key.tokenEpoch) return unauthenticated("The token was revoked. Get a new one.");
  return token.expiresAt <= now ? unauthenticated("The token has expired. Get a new one.") : null;
}

export function unauthenticated(message: string): Refusal {
  return new Refusal(1401, message);
}
