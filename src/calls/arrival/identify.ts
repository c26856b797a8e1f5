// Owns authentication and authorisation: who performs a call, and whether that actor may perform the operation. Must never change data.

import { administrationKeyFault } from "../../access/administration-key.ts";
import { authorise, unauthenticated } from "../../access/authorise.ts";
import { type Caller, callerFor } from "../../access/caller.ts";
import { digestSecret, isAdministrationSecret, isLocalKey, isSecret, isToken } from "../../access/key.ts";
import type { Plan, Plans } from "../../access/plan.ts";
import { planOf } from "../../access/project.ts";
import type { Session } from "../../access/session.ts";
import { Refusal } from "../../platform/errors.ts";
import type {
  InstallationOperation,
  Operation,
  ProjectOperation,
  SessionOperation,
} from "../contract/operation.ts";
import type { Credentials, KeyCredentials, LocalCredentials, TaskCredentials } from "../contract/request.ts";
import type { AccessReader } from "../storage/access-store.ts";
import { type Actor, actorOfKey, administration, anonymous } from "./actor.ts";
import { administrationKeyOperations } from "./administration-key-operations.ts";
import { consoleOperations } from "./console-operations.ts";
import { identifyLink, identifySession } from "./identify-session.ts";
import { identifyToken, type TokenReaders } from "./identify-token.ts";

export async function identify(readers: TokenReaders, credentials: Credentials, now: number): Promise<Actor> {
  const { access } = readers.store;
  switch (credentials.kind) {
    case "administration":
      return administration;
    case "caller":
      return { ...actorOfKey(credentials.caller, now), session: credentials.session };
    case "task":
      return identifyTask(access, credentials, now);
    case "local":
      return identifyLocal(access, credentials, now);
    case "session":
      return identifySession(access, credentials, now);
    case "link":
      return identifyLink(access, credentials, now);
    case "key":
      return identifyKey(readers, credentials, now);
  }
}

async function identifyKey(
  readers: TokenReaders,
  { secret, advice }: KeyCredentials,
  now: number,
): Promise<Actor> {
  if (secret === null) return { ...anonymous, invalid: unauthenticated(advice.missing) };
  const { access } = readers.store;
  if (isToken(secret)) return identifyToken(readers, secret, advice, now);
  if (isAdministrationSecret(secret)) {
    const key = await access.findAdministrationKey(digestSecret(secret));
    if (key === null) return { ...anonymous, invalid: unauthenticated(advice.unknown) };
    return { ...anonymous, administrationKey: key, invalid: administrationKeyFault(key, now) };
  }
  const caller = isSecret(secret) ? await access.findCaller(digestSecret(secret)) : null;
  return caller === null
    ? { ...anonymous, invalid: unauthenticated(advice.unknown) }
    : actorOfKey(caller, now);
}

async function identifyTask(
  access: AccessReader,
  { keyId, subject, conversation }: TaskCredentials,
  now: number,
): Promise<Actor> {
  const caller = await access.findCallerOfKey(keyId);
  if (caller === null) return { ...anonymous, invalid: unauthenticated("The API key no longer exists.") };
  return actorOfKey(callerFor(caller, subject, conversation), now);
}

/** Other keys are used with their secret only, so their records prove that the caller had it. */
async function identifyLocal(
  access: AccessReader,
  { keyId, advice }: LocalCredentials,
  now: number,
): Promise<Actor> {
  if (keyId === null) return { ...anonymous, invalid: unauthenticated(advice.missing) };
  const caller = await access.findCallerOfKey(keyId);
  if (caller === null || !isLocalKey(caller.key)) {
    return { ...anonymous, invalid: unauthenticated(advice.unknown) };
  }
  return actorOfKey(caller, now);
}

/** An operation, and the caller that may perform it. */
export type Authority =
  | { readonly kind: "installation"; readonly operation: InstallationOperation }
  | { readonly kind: "session"; readonly operation: SessionOperation }
  | {
      readonly kind: "project";
      readonly operation: ProjectOperation;
      readonly caller: Caller;
      readonly plan: Plan;
      readonly session: Session | null;
    };

/** @throws Refusal 1400, 1401, 1403, 2106, 2200 or 2202. */
export function requireAuthority(operation: Operation, actor: Actor, plans: Plans, now: number): Authority {
  const { caller, administrationKey, session, link } = actor;
  if (operation.scope === "session") {
    // The console is for the whole project, and a session would outlive a token.
    if (caller !== null && caller.key.subject !== null && session === null)
      throw new Refusal(1403, "Permission denied: the API key is for subjects only. Use another key.");
    if (caller !== null || session !== null || link !== null) return { kind: "session", operation };
    throw unauthenticated(`${operation.name} is for people who sign in to the console.`);
  }
  if (link !== null) throw unauthenticated("A sign-in link only opens a session. Sign in with it first.");
  if (operation.scope === "installation") {
    requireAdministration(operation, actor);
    return { kind: "installation", operation };
  }
  if (caller === null && session !== null) throw noProject(operation.name);
  if (administrationKey !== null)
    throw new Refusal(
      1403,
      `No administration key may perform ${operation.name}. Send an API key of the project.`,
    );
  const known = requireCaller(operation.name, caller);
  const plan = planOf(known.project, plans);
  authorise(operation, known, plan, now);
  return { kind: "project", operation, caller: known, plan, session };
}

/** @throws Refusal 1400, 1401 or 1403 */
function requireAdministration({ name }: InstallationOperation, actor: Actor): void {
  const { isAdministration, caller, administrationKey, session } = actor;
  const onServer = "Run the command memledger on the machine of the server.";
  if (administrationKey !== null) {
    if (administrationKeyOperations.has(name)) return;
    throw new Refusal(1403, `No administration key may perform ${name}. ${onServer}`);
  }
  if (session !== null) {
    if (session.keyId !== null)
      throw new Refusal(1403, `Only an administrator may perform ${name}. ${onServer}`);
    if (!consoleOperations.has(name))
      throw new Refusal(1403, `${name} cannot be performed in the console. ${onServer}`);
    if (caller !== null)
      throw new Refusal(1400, `${name} belongs to no project. Send it without the header Memledger-Project.`);
    return;
  }
  if (caller !== null) throw new Refusal(1403, `No API key may perform ${name}. ${onServer}`);
  if (!isAdministration) throw unauthenticated(`${name} requires an administrator. ${onServer}`);
}

function noProject(action: string): Refusal {
  return new Refusal(
    1400,
    `${action} needs a project. Send the header Memledger-Project with the id of one.`,
  );
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
