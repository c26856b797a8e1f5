// Owns how the console sends requests: with the session's cookie, its request token and the project they are for. When the session has
// ended, it asks the person to sign in again and repeats the request, so nothing that was typed is lost. Must never repeat a request that
// the server may have performed.

import { requireSession } from "../session.ts";
import { reportConnection } from "./connection.ts";
import { projectHeader, tokenHeader } from "./request-headers.ts";
import type { SessionDetail } from "./session-calls.ts";

const unauthenticated = 401;
const forged = 1403;

/**
 * A `fetch` for requests to this server.
 * @param project id of the project that the requests are for; null: the whole installation
 */
export function sessionFetch(project: string | null): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const first = await send(url, init, project, await requireSession("current"));
    if (!(await isOfEndedSession(first))) return first;
    // Both refusals are made before anything is done.
    const renewed = await requireSession("renewed");
    return renewed === null ? first : send(url, init, project, renewed);
  };
}

async function send(
  url: string,
  init: RequestInit,
  project: string | null,
  session: SessionDetail | null,
): Promise<Response> {
  const headers = new Headers(init.headers);
  if (session !== null) headers.set(tokenHeader, session.request_token);
  if (project !== null) headers.set(projectHeader, project);
  try {
    const response = await fetch(url, { ...init, headers, credentials: "same-origin" });
    reportConnection(true);
    return response;
  } catch (error) {
    if (init.signal?.aborted !== true) reportConnection(false);
    throw error;
  }
}

/** Another tab may have signed in again, so the token may be that of a session that no longer exists. */
async function isOfEndedSession(response: Response): Promise<boolean> {
  if (response.status === unauthenticated) return true;
  if (response.status !== 403) return false;
  const envelope: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return typeof envelope === "object" && envelope !== null && Reflect.get(envelope, "code") === forged;
}
