// Owns the route of the endpoint for MCP: it passes on what HTTP knows about a request.

import type { McpEndpoint } from "../mcp/endpoint.ts";
import type { Handler } from "./handler.ts";
import type { Listener } from "./network/listener.ts";
import { readReported, readSubject } from "./request.ts";
import { common } from "./response.ts";

/** The handler throws Refusal 1400 when the request contradicts its connection. */
export function createMcpRoute(mcp: McpEndpoint, listener: Listener): Handler {
  return async ({ request }) => {
    const { credentials, ip } = listener.readSender(request);
    const response = await mcp.respond(request, {
      credentials,
      origin: { ip, ...readReported(request.headers) },
      subject: readSubject(request.headers),
      webPageFault: listener.webPageFault(request.headers),
      setIdleTimeout: (seconds) => listener.setIdleTimeout(request, seconds),
    });
    // A stream of events has its own Cache-Control, which also forbids proxies to change it.
    for (const [name, value] of Object.entries(common))
      if (!response.headers.has(name)) response.headers.set(name, value);
    return response;
  };
}
