// Owns authentication and authorisation: who performs a call, and whether that actor may perform the operation. Must never change data.

import { authorise, keyFault, unauthenticated } from "../access/authorise.ts";
import type { Caller } from "../access/caller.ts";
import { digestSecret, isLocalKey, isSecret } from "../access/key.ts";
import type { Plan, Plans } from "../access/plan.ts";
import { planOf } from "../access/project.ts";
import type { AccessReader } from "../access/store.ts";
import { Refusal } from "../errors.ts";
import type { InstallationOperation, Operation, ProjectOperation } from "./operation.ts";
import type { Credentials, LocalCredentials } from "./request.ts";

export interface Actor {
  /** Whose key it is, valid or not; null: administration, or a key that is missing or unknown. */
  readonly caller: Caller | null;
  /** Why the credentials are not valid; null: they are. */
  readonly invalid: Refusal | null;
}

export async function identify(access: AccessReader, credentials: Credentials, now: number): Promise<Actor> {
  if (credentials.kind === "administration") return { caller: null, invalid: null };
  if (credentials.kind === "caller") return judgeKey(credentials.caller, now);
  if (credentials.kind === "local") return identifyLocal(access, credentials, now);
  const { secret, advice } = credentials;
  if (secret === null) return { caller: null, invalid: unauthenticated(advice.missing) };
  const caller = isSecret(secret) ? await access.findCaller(digestSecret(secret)) : null;
  return caller === null ? { caller, invalid: unauthenticated(advice.unknown) } : judgeKey(caller, now);
}

/** Other keys are used with their secret only, so their records prove that the caller had it. */
async function identifyLocal(
  access: AccessReader,
  { keyId, advice }: LocalCredentials,
  now: number,
): Promise<Actor> {
  if (keyId === null) return { caller: null, invalid: unauthenticated(advice.missing) };
  const caller = await access.findCallerOfKey(keyId);
  if (caller === null || !isLocalKey(caller.key)) {
    return { caller: null, invalid: unauthenticated(advice.unknown) };
  }
  return judgeKey(caller, now);
}

function judgeKey(caller: Caller, now: number): Actor {
  return { caller, invalid: keyFault(caller, now) };
}

/** An operation and the caller that may perform it. */
export type Authority =
  | { readonly operation: InstallationOperation }
  | { readonly operation: ProjectOperation; readonly caller: Caller; readonly plan: Plan };

/** @param caller null for administration. @throws Refusal 1401, 1403, 2106, 2200 or 2202. */
export function requireAuthority(
  operation: Operation,
  caller: Caller | null,
  plans: Plans,
  now: number,
): Authority {
  if (operation.scope === "installation") {
    if (caller === null) return { operation };
    const message = `No API key may perform ${operation.name}. Run the command memledger on the machine of the server.`;
    throw new Refusal(1403, message);
  }
  const known = requireCaller(operation.name, caller);
  const plan = planOf(known.project, plans);
  authorise(operation, known, plan, now);
  return { operation, caller: known, plan };
}

/** @param action what requires a caller, as the message names it. @throws Refusal 1401 for administration */
export function requireCaller(action: string, caller: Caller | null): Caller {
  if (caller === null) throw unauthenticated(`${action} requires an API key of a project. Send one.`);
  return caller;
}

/** Whether the caller may perform the operation now, for lists of what a caller can do. */
export function isPermitted(operation: ProjectOperation, caller: Caller, plans: Plans, now: number): boolean {
  try {
    authorise(operation, caller, planOf(caller.project, plans), now);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
