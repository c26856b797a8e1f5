// Owns who performs a call that presents a session of the console or a sign-in link. Must never change data: it only says which key is
// missing, and perform.ts has it created.

import { unauthenticated } from "../../access/authorise.ts";
import { consoleKeyName, digestSecret } from "../../access/key.ts";
import {
  isLinkSecret,
  isSessionSecret,
  type KnownSession,
  linkFault,
  type Session,
  sessionFault,
} from "../../access/session.ts";
import { Refusal } from "../../platform/errors.ts";
import type { LinkCredentials, SessionCredentials } from "../contract/request.ts";
import { chooseConsoleKey, consoleKeyEnded } from "../operations/access/console-key.ts";
import { isValid } from "../operations/access/key-without-secret.ts";
import { unknownProject } from "../operations/access/require-project.ts";
import type { AccessReader } from "../storage/access-store.ts";
import { type Actor, anonymous } from "./actor.ts";

const unknownSession = "The session is unknown or was closed. Sign in to the console again.";
const unknownLink =
  'The sign-in link is unknown. Copy the whole link, or run "memledger console" on the machine of the server for a new one.';

export async function identifySession(
  access: AccessReader,
  { secret, project }: SessionCredentials,
  now: number,
): Promise<Actor> {
  const known = isSessionSecret(secret) ? await access.findSession(digestSecret(secret)) : null;
  if (known === null) return { ...anonymous, invalid: unauthenticated(unknownSession) };
  const { session, caller } = known;
  const fault = sessionFault(known, now) ?? projectFault(known, project);
  if (fault !== null || caller !== null) return { ...anonymous, session, caller, invalid: fault };
  if (project === null) return { ...anonymous, session };
  return identifyAdministrator(access, session, project, now);
}

/** A key has one project, so a page that names another one is outdated. */
function projectFault({ caller }: KnownSession, project: string | null): Refusal | null {
  if (caller === null || project === null || project === caller.project.id) return null;
  return new Refusal(
    1403,
    `The session belongs to a key of the project "${caller.project.name}", and the header Memledger-Project names another project. Sign in with a key of that project, or as an administrator.`,
  );
}

async function identifyAdministrator(
  access: AccessReader,
  session: Session,
  project: string,
  now: number,
): Promise<Actor> {
  const caller = chooseConsoleKey(await access.findCallersNamed(project, consoleKeyName), now);
  if (caller === null) return { ...anonymous, session, lacksKeyOf: project };
  if (caller.isProjectDeleted) return { ...anonymous, session, caller, invalid: unknownProject(project) };
  const invalid = isValid(caller.key, now) ? null : consoleKeyEnded(caller.project);
  return { ...anonymous, session, caller, invalid };
}

export async function identifyLink(
  access: AccessReader,
  { secret }: LinkCredentials,
  now: number,
): Promise<Actor> {
  const link = isLinkSecret(secret) ? await access.findSignInLink(digestSecret(secret)) : null;
  if (link === null) return { ...anonymous, invalid: unauthenticated(unknownLink) };
  return { ...anonymous, link, invalid: linkFault(link, now) };
}
