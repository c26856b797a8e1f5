// Owns which web pages of other origins may read answers in a browser (Fetch standard, "CORS protocol"). Without configured origins there are
// none. Must never allow credentials of the browser, such as cookies: an API key is in a header that the page sets itself.

import { sessionHeader } from "../../mcp/client-name.ts";
import { ignoredHeader } from "../query.ts";

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
  // Of the gateway: its own, and those of the official clients of both APIs in a browser.
  "X-API-Key",
  "Memledger-Memory",
  "Memledger-Memory-Budget",
  "Memledger-Memory-Floor",
  "Memledger-Memory-Tags",
  "Memledger-Memory-Failure",
  "Memledger-Remember",
  "Memledger-Conversation",
  "Memledger-Upstream-Key",
  "Anthropic-Version",
  "Anthropic-Beta",
  "Anthropic-Dangerous-Direct-Browser-Access",
  "OpenAI-Beta",
  "OpenAI-Organization",
  "OpenAI-Project",
  "X-Stainless-Arch",
  "X-Stainless-Helper-Method",
  "X-Stainless-Lang",
  "X-Stainless-OS",
  "X-Stainless-Package-Version",
  "X-Stainless-Poll-Helper",
  "X-Stainless-Retry-Count",
  "X-Stainless-Runtime",
  "X-Stainless-Runtime-Version",
  "X-Stainless-Timeout",
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
  ignoredHeader,
  "Memledger-Record",
  "Memledger-Memory",
  "Memledger-Injection-Record",
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
