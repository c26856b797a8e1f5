// Owns which headers pass in each direction. Must never pass on a credential of this service, and no header about one connection
// (RFC 9110, section 7.6.1).

import { hasSecret, isOwnCredential } from "../access/key.ts";
import type { UpstreamKind } from "./upstream.ts";

/** The key of a client for the upstream. It is not stored, logged or recorded. */
export const upstreamKeyHeader = "memledger-upstream-key";

const ofConnection = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

const notToUpstream: ReadonlySet<string> = new Set([
  ...ofConnection,
  "host",
  "content-length",
  "expect",
  // For this service.
  "cookie",
  "x-audit-metadata",
  // Replaced, because the answer is read, too.
  "accept-encoding",
  // What proxies in front of this service have said about the network of the client.
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-real-ip",
  // A page is allowed by this service, and a provider refuses requests with an origin.
  "origin",
  "referer",
]);

const notToClient: ReadonlySet<string> = new Set([
  ...ofConnection,
  "content-length",
  // Statements about the host of the upstream, which a client would apply to this one.
  "set-cookie",
  "alt-svc",
  "strict-transport-security",
  "clear-site-data",
  "nel",
  "report-to",
  "www-authenticate",
  // What a browser may do with the answer: this service says it (transports/http/security-headers.ts).
  "x-content-type-options",
  "x-frame-options",
  "referrer-policy",
  "permissions-policy",
  "reporting-endpoints",
  "service-worker-allowed",
  "refresh",
]);

/** Of the rules for pages of other hosts, those of this service apply. */
const prefixesNotToClient = ["access-control-", "content-security-policy", "cross-origin-", "memledger-"];

/** In which clients send a key of this service; the other one may have a credential of the client for the upstream. */
const ofClient: ReadonlySet<string> = new Set(["authorization", "x-api-key"]);
const credentials = [...ofClient, "api-key", "x-goog-api-key"];

export interface UpstreamAuthorisation {
  readonly kind: UpstreamKind;
  /** Null: the upstream has none. */
  readonly key: string | null;
  /** Whether a credential of the client is passed on where there is no key. */
  readonly passesCredentials?: boolean;
}

export function headersToUpstream(
  received: Headers,
  { kind, key, passesCredentials = false }: UpstreamAuthorisation,
): Headers {
  const named = namedByConnection(received);
  const headers = new Headers();
  for (const [name, value] of received) {
    if (notToUpstream.has(name) || named.has(name) || name.startsWith("memledger-")) continue;
    const passes = ofClient.has(name)
      ? passesCredentials && key === null && !isOwnCredential(value)
      : !hasSecret(value);
    if (!passes) continue;
    headers.append(name, value);
  }
  headers.set("accept-encoding", "identity");
  if (key !== null && kind === "openai") headers.set("authorization", `Bearer ${key}`);
  if (key !== null && kind === "anthropic") headers.set("x-api-key", key);
  return headers;
}

/** The credentials in a request to an upstream, without their schemes. */
export function secretsIn(headers: Headers): readonly string[] {
  return credentials.flatMap((name) => headers.get(name)?.replace(/^\w+ +/, "") ?? []);
}

/** The content length is left to the transport, which knows whether bytes were removed. */
export function headersToClient(received: Headers): Headers {
  const named = namedByConnection(received);
  const headers = new Headers();
  for (const [name, value] of received) {
    const isLeftOut = prefixesNotToClient.some((prefix) => name.startsWith(prefix));
    if (notToClient.has(name) || named.has(name) || isLeftOut) continue;
    headers.append(name, value);
  }
  return headers;
}

/** The status of an answer that is a redirect, which is never followed: it could send the key and the conversation elsewhere. */
export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

function namedByConnection(headers: Headers): ReadonlySet<string> {
  const names = (headers.get("connection") ?? "").split(",");
  return new Set(names.map((name) => name.trim().toLowerCase()));
}
