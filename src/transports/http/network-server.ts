// Owns the HTTP server on a TCP port. Its clients need an API key. Must never answer a request itself.

import { httpGraceMs, idleTimeoutSeconds } from "../../limits.ts";
import { stopServer } from "../../native/stop-server.ts";
import { createClientAddress } from "./client-address.ts";
import { createNetworkSenders } from "./sender.ts";
import { createHttp, type HttpOptions } from "./server.ts";
import { createWebPageCheck, type WebPageCheckOptions } from "./web-page-check.ts";

export interface ServerOptions extends HttpOptions, WebPageCheckOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Addresses and networks of the proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
}

export interface RunningServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Accepts no new calls and waits for the running ones; closes the connections of those that take too long. */
  stop(): Promise<void>;
}

/** @throws an error with code EADDRINUSE, EACCES or EADDRNOTAVAIL if the server cannot listen on the address */
export function startServer(options: ServerOptions): RunningServer {
  const { hostname, port } = options;
  const clientAddress = createClientAddress(options.trustedProxies);
  const addressOf = (request: Request) =>
    clientAddress(server.requestIP(request)?.address ?? null, request.headers.get("x-forwarded-for"));
  const server: Bun.Server<undefined> = Bun.serve({
    hostname,
    port,
    // Elysia's own listen() would share the port with another process and show stack traces outside production.
    reusePort: false,
    development: false,
    idleTimeout: idleTimeoutSeconds,
    // Bun would close the connection at its limit; our limit is counted while reading, and refused with an answer. Bun does not buffer an
    // unread body: it stops reading from the connection until the answer, and then discards the rest.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    ...createHttp(options, {
      addressOf,
      readSender: createNetworkSenders(addressOf),
      webPageFault: createWebPageCheck(options),
      setIdleTimeout: (request, seconds) => server.timeout(request, seconds),
    }),
  });
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return {
    url: `http://${host}:${server.port}`,
    port: server.port ?? port,
    stop: () => stopServer(server, httpGraceMs),
  };
}
