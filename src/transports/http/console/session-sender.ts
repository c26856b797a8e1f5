// Owns who sends a request of the console: the session of its cookie, after the checks against forged requests. Must never decide whether
// the session is valid.

import type { SessionCredentials } from "../../../calls/contract/request.ts";
import { Refusal } from "../../../platform/errors.ts";
import { readSessionCookie } from "./cookie.ts";
import { requireOwnOrigin, requireToken } from "./forgery-check.ts";

/** What the console must know of the socket that a request came through. */
export interface ConsoleListener {
  /** As the browser sees it: of the socket, or of a trusted proxy that says so (X-Forwarded-Proto). */
  schemeOf(request: Request): "http" | "https";
  /** Why the header Host is no name of this server, and what to do; null: nothing speaks against it. */
  hostFault(request: Request): string | null;
}

export const projectHeader = "Memledger-Project";

/**
 * For routes of the API and of the console. The header Authorization replaces a cookie.
 * @returns null if the request has no cookie of a session
 * @throws Refusal 1400, 1403 or 1421 if the request may be forged; nothing of it may be read then
 */
export function readSession(request: Request, listener: ConsoleListener): SessionCredentials | null {
  if (request.headers.has("authorization")) return null;
  const secret = readCookie(request, listener);
  if (secret === null) return null;
  requireConsoleHost(request, listener);
  requireOwnOrigin(request, listener.schemeOf(request));
  requireToken(request, secret);
  return { kind: "session", secret, project: request.headers.get(projectHeader) };
}

/** Without any check, for the routes that begin, show and end a session. */
export function readCookie(request: Request, listener: ConsoleListener): string | null {
  return readSessionCookie(request, listener.schemeOf(request) === "https");
}

/** @throws Refusal 1421 */
export function requireConsoleHost(request: Request, listener: ConsoleListener): void {
  const fault = listener.hostFault(request);
  if (fault !== null) throw new Refusal(1421, fault);
}
