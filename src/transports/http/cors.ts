// Owns which web pages of other origins may read answers in a browser (Fetch standard, "CORS protocol"). Without configured origins there are
// none. Must never allow credentials of the browser, such as cookies: an API key is in a header that the page sets itself.

import { sessionHeader } from "../mcp/client-name.ts";

/** Adds the headers of CORS to the answer of a request. */
export type AddCors = (request: Request, response: Response) => void;

const requestHeaders = [
  "Authorization",
  "Content-Type",
  "X-Audit-Metadata",
  "If-None-Match",
  "If-Range",
  "Range",
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  sessionHeader,
].join(", ");

/** Besides those that every page may read. */
const responseHeaders = [
  "Accept-Ranges",
  "Allow",
  "Content-Disposition",
  "Content-Range",
  "ETag",
  "Retry-After",
  "WWW-Authenticate",
  sessionHeader,
].join(", ");

const preflightSeconds = "600";

export function createCors(origins: readonly string[]): AddCors {
  if (origins.length === 0) return () => {};
  const allowed = new Set(origins.map((origin) => origin.toLowerCase()));
  return ({ method, headers: sent }, { headers }) => {
    // Also without an origin: a cache must not use this answer for a page.
    headers.append("Vary", "Origin");
    const origin = sent.get("origin");
    if (origin === null || !allowed.has(origin.toLowerCase())) return;
    headers.set("Access-Control-Allow-Origin", origin);
    headers.set("Access-Control-Expose-Headers", responseHeaders);
    const methods = headers.get("allow");
    if (method !== "OPTIONS" || methods === null || !sent.has("access-control-request-method")) return;
    headers.set("Access-Control-Allow-Methods", methods);
    headers.set("Access-Control-Allow-Headers", requestHeaders);
    headers.set("Access-Control-Max-Age", preflightSeconds);
  };
}
