// Owns the route of the endpoint for MCP: it passes on what HTTP knows about a request.

import type { McpEndpoint } from "../mcp/endpoint.ts";
import type { Handler } from "./handler.ts";
import type { Listener } from "./listener.ts";
import { readReported } from "./request.ts";

/** The handler throws Refusal 1400 when the request contradicts its connection. */
export function createMcpRoute(mcp: McpEndpoint, listener: Listener): Handler {
  return ({ request }) => {
    const { credentials, ip } = listener.readSender(request);
    return mcp.respond(request, {
      credentials,
      origin: { ip, ...readReported(request.headers) },
      webPageFault: listener.webPageFault(request.headers),
      setIdleTimeout: (seconds) => listener.setIdleTimeout(request, seconds),
    });
  };
}
