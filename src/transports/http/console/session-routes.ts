// Owns the routes by which a person signs in to the console, is told who is signed in, and signs out. Must never show the secret of a
// session but in the cookie.

import type { ShowSession } from "../../../calls/arrival/signed-in.ts";
import { type Answer, dataOf, toData } from "../../../calls/contract/answer.ts";
import type { Credentials, KeyAdvice, RequestOrigin } from "../../../calls/contract/request.ts";
import { closeSession, openSession } from "../../../calls/operations/access/session-operations.ts";
import type { SignedIn } from "../../../calls/operations/access/signed-in.ts";
import type { Perform, Performed } from "../../../calls/perform.ts";
import { Refusal, successCode } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { respondTo } from "../answered-call.ts";
import type { CallLog } from "../call-log.ts";
import type { Handler } from "../handler.ts";
import { readReported } from "../request.ts";
import { printSessionCookie } from "./cookie.ts";
import { requireOwnOrigin, requireToken } from "./forgery-check.ts";
import { requestTokenOf } from "./request-token.ts";
import { type ConsoleListener, readCookie, requireConsoleHost } from "./session-sender.ts";
import { readProof } from "./sign-in-body.ts";

/** Where a request of the console arrives. */
export interface ConsolePlace {
  readonly perform: Perform;
  readonly showSession: ShowSession;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly calls: CallLog;
  readonly listener: ConsoleListener;
  readonly addressOf: (request: Request) => string | null;
}

const path = "/console/api/session";

/** The data of the answers of GET and POST /console/api/session. */
export interface SignedInWithToken extends SignedIn {
  /** To be sent as the header Memledger-Request-Token with every request of this session. */
  readonly request_token: string;
}

/**
 * POST /console/api/session signs in. The body is {"link": "mlk_..."} of a sign-in link, or {"key": "ml_..."}: an API key. 201 with
 * SignedInWithToken and the cookie of a new session. 1401: the link was used, has expired or is unknown; the key is not valid. 1429: too
 * many failed sign-ins. A session that the browser has already is closed.
 *
 * GET says who is signed in: 200 with SignedInWithToken, or 1401. It needs the cookie only.
 *
 * DELETE signs out: 204, and the browser deletes the cookie. It needs the cookie and the header Memledger-Request-Token. 1401 if the
 * session had ended already; the browser deletes the cookie then, too.
 *
 * All of them: 1403 if a page of another origin may have made the request; 1400 for a malformed one.
 */
export function sessionRoutes(place: ConsolePlace): readonly (readonly [string, string, Handler])[] {
  return [
    ["POST", path, ({ request }) => signIn(place, request)],
    ["GET", path, ({ request }) => show(place, request)],
    ["DELETE", path, ({ request }) => signOut(place, request)],
  ];
}

async function signIn(place: ConsolePlace, request: Request): Promise<Response> {
  const { clock, perform, listener } = place;
  requireConsoleHost(request, listener);
  requireOwnOrigin(request, listener.schemeOf(request));
  const arrivedAt = clock.elapsed();
  const previous = readCookie(request, listener);
  const credentials = toCredentials(await readProof(request));
  const origin = originOf(place, request);
  const call = { credentials, input: noInput, origin, arrivedAt, signal: request.signal };
  const performed = await perform(openSession, call);
  const { secret, ...signedIn } = dataOf(performed.answer);
  if (performed.answer.code !== successCode || typeof secret !== "string")
    return respond(place, request, openSession.name, performed, arrivedAt);
  // Nobody can close it any more when the browser has the cookie of the new one.
  if (previous !== null) await perform(closeSession, { ...call, credentials: sessionOf(previous) });
  const answer = withToken(performed.answer, signedIn, secret);
  const response = await respond(place, request, openSession.name, { ...performed, answer }, arrivedAt);
  return withCookie(place, request, response, secret);
}

async function show(place: ConsolePlace, request: Request): Promise<Response> {
  const { clock, listener, showSession } = place;
  requireConsoleHost(request, listener);
  requireOwnOrigin(request, listener.schemeOf(request));
  const secret = readCookie(request, listener);
  if (secret === null) throw notSignedIn;
  const arrivedAt = clock.elapsed();
  const found = await showSession({ credentials: sessionOf(secret), origin: originOf(place, request) });
  const answer = found.code === successCode ? withToken(found, dataOf(found), secret) : found;
  return respond(place, request, "session.show", { answer, caller: null }, arrivedAt);
}

async function signOut(place: ConsolePlace, request: Request): Promise<Response> {
  const { clock, perform, listener } = place;
  requireConsoleHost(request, listener);
  requireOwnOrigin(request, listener.schemeOf(request));
  const secret = readCookie(request, listener);
  if (secret === null) throw notSignedIn;
  requireToken(request, secret);
  const arrivedAt = clock.elapsed();
  const performed = await perform(closeSession, {
    credentials: sessionOf(secret),
    input: noInput,
    origin: originOf(place, request),
    arrivedAt,
    signal: request.signal,
  });
  const response = await respond(place, request, closeSession.name, performed, arrivedAt);
  const { code } = performed.answer;
  return code === successCode || code === 1401 ? withCookie(place, request, response, null) : response;
}

const noInput = { kind: "object", fields: {} } as const;
const notSignedIn = new Refusal(1401, "Nobody is signed in. Sign in to the console at /console/sign-in.");

const keyAdvice: KeyAdvice = {
  missing: "The API key is missing. Send one.",
  unknown: "The API key is unknown or malformed. Send the whole key, as it was shown when it was created.",
};

function toCredentials(proof: { readonly link: string } | { readonly key: string }): Credentials {
  if ("link" in proof) return { kind: "link", secret: proof.link };
  return { kind: "key", secret: proof.key, advice: keyAdvice };
}

function sessionOf(secret: string): Credentials {
  return { kind: "session", secret, project: null };
}

function originOf({ addressOf }: ConsolePlace, request: Request): RequestOrigin {
  const { userAgent } = readReported(request.headers);
  return { transport: "console", ip: addressOf(request), userAgent, client: null, metadata: null };
}

function withToken(answer: Answer, signedIn: JsonObject, secret: string): Answer {
  return { ...answer, data: toData({ ...signedIn, request_token: requestTokenOf(secret) }) };
}

function respond(
  place: ConsolePlace,
  request: Request,
  operation: string,
  performed: Performed,
  arrivedAt: number,
): Promise<Response> {
  const call = { request, path, operation, ip: place.addressOf(request), arrivedAt };
  return respondTo(place, call, performed);
}

/** @param secret null: the browser deletes the cookie */
function withCookie(
  { listener }: ConsolePlace,
  request: Request,
  response: Response,
  secret: string | null,
): Response {
  const isSecure = listener.schemeOf(request) === "https";
  response.headers.append("Set-Cookie", printSessionCookie(request, isSecure, secret));
  return response;
}
