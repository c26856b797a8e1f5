// Owns the HTTP server on a TCP port, with or without TLS. Its clients need an API key. Must never answer a request itself.

import { httpGraceMs, idleTimeoutSeconds as usualIdleTimeoutSeconds } from "../../../platform/limits.ts";
import { replaceListeningSocket } from "../../../platform/native/listening-socket.ts";
import { stopServer } from "../../../platform/native/stop-server.ts";
import { isLoopback, listeningUrl } from "../../../platform/network.ts";
import type { ClockTimer } from "../../../platform/time/clock-timers.ts";
import { createSecurityHeaders } from "../security-headers.ts";
import { createNetworkSenders } from "../sender.ts";
import { createHttp, type Http, type HttpOptions } from "../server.ts";
import type { Certificate } from "./certificate.ts";
import { createClientAddress, createProxyCheck } from "./client-address.ts";
import { createCors } from "./cors.ts";
import { createWebPageCheck, type WebPageCheckOptions } from "./web-page-check.ts";

export interface ServerOptions extends HttpOptions, WebPageCheckOptions {
  /** Origins of web pages that may call the API in a browser, /mcp included. */
  readonly corsOrigins: readonly string[];
  /** 0: any free port. */
  readonly port: number;
  /** Addresses and networks of the proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Null: without TLS. */
  readonly certificate: Certificate | null;
  /** Absent: as in the limits. */
  readonly idleTimeoutSeconds?: number;
  /** How long `stop` waits for running calls. Absent: as in the limits. */
  readonly graceMs?: number;
}

export interface RunningServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /**
   * New connections get this certificate. Existing ones and their calls continue. Only for a server with TLS.
   * @throws Error when the system refuses a second listening socket; the previous certificate then stays in use
   */
  replaceCertificate(certificate: Certificate): Promise<void>;
  /** Accepts no new calls and waits for the running ones; closes the connections of those that take too long. */
  stop(): Promise<void>;
}

/** @throws an error with code EADDRINUSE, EACCES or EADDRNOTAVAIL if the server cannot listen on the address */
export function startServer(options: ServerOptions): RunningServer {
  const { hostname, graceMs = httpGraceMs, idleTimeoutSeconds = usualIdleTimeoutSeconds } = options;
  // A server with TLS shares its port with the one that replaces it. So the port is first tried without sharing it: another process that
  // shares its port, too, would get a part of the connections.
  const port = options.certificate === null ? options.port : findFreePort(options);
  let current = listen(options, port, options.certificate);
  const previous = new Set<Listening>();
  let replacing: Promise<void> = Promise.resolve();
  const replace = async (certificate: Certificate): Promise<void> => {
    const replaced = current;
    const open = () => listen(options, port, certificate);
    const { server, isClosed } = await replaceListeningSocket(port, open);
    current = server;
    previous.add(replaced);
    const stop = () => stopServer(replaced.server, graceMs).finally(() => previous.delete(replaced));
    if (!isClosed) return void stop();
    // Its clients are asked to connect again with their next call; those that send none are idle after this time.
    replaced.isReplaced = true;
    replaced.end = options.clock.after(2 * idleTimeoutSeconds * 1_000, stop);
  };
  return {
    url: listeningUrl(options.certificate === null ? "http" : "https", hostname, current.server.port),
    port: current.server.port ?? port,
    replaceCertificate(certificate) {
      const replaced = replacing.then(() => replace(certificate));
      replacing = replaced.catch(() => undefined);
      return replaced;
    },
    async stop() {
      await replacing;
      for (const { end } of previous) end?.cancel();
      await Promise.all([current, ...previous].map(({ server }) => stopServer(server, graceMs)));
    },
  };
}

interface Listening {
  readonly server: Bun.Server<undefined>;
  /** Another server listens on the port now: connections are closed after their next answer. */
  isReplaced: boolean;
  /** Stops the server when all of its clients have had time to connect again. */
  end: ClockTimer | null;
}

function listen(options: ServerOptions, port: number, certificate: Certificate | null): Listening {
  const { hostname, trustedProxies, allowedOrigins, corsOrigins } = options;
  const { idleTimeoutSeconds = usualIdleTimeoutSeconds } = options;
  const isTls = certificate !== null;
  const clientAddress = createClientAddress(trustedProxies);
  const isProxy = createProxyCheck(trustedProxies);
  const peerOf = (request: Request) => server.requestIP(request)?.address ?? null;
  const addressOf = (request: Request) =>
    clientAddress(peerOf(request), request.headers.get("x-forwarded-for"));
  const { hostFault, originFault } = createWebPageCheck({
    ...options,
    allowedOrigins: [...allowedOrigins, ...corsOrigins],
  });
  const addSecurityHeaders = createSecurityHeaders(isTls && !isLoopback(hostname));
  const addCors = createCors(corsOrigins);
  const isFromProxy = (request: Request) => isProxy(peerOf(request) ?? "");
  const http = createHttp(options, {
    isTls,
    addressOf,
    readSender: createNetworkSenders(addressOf),
    webPageFault: (headers) => hostFault(headers) ?? originFault(headers),
    // A proxy has names that this server does not know. A server for other machines has such names, too.
    hostFault: (request) =>
      isLoopback(hostname) && !isFromProxy(request) ? hostFault(request.headers) : null,
    console: {
      schemeOf: (request) => (isTls || (isFromProxy(request) && isForwardedTls(request)) ? "https" : "http"),
      hostFault: (request) => (isFromProxy(request) ? null : hostFault(request.headers)),
    },
    addHeaders(request, response) {
      addSecurityHeaders(request, response);
      addCors(request, response);
    },
    // The caller knows only whether the timeout applies, not what the operator has set.
    setIdleTimeout: (request, seconds) => server.timeout(request, seconds === 0 ? 0 : idleTimeoutSeconds),
  });
  const server: Bun.Server<undefined> = Bun.serve({
    hostname,
    port,
    // Elysia's own listen() would share the port with another process and show stack traces outside production.
    reusePort: certificate !== null,
    development: false,
    idleTimeout: idleTimeoutSeconds,
    // Bun would close the connection at its limit; our limit is counted while reading, and refused with an answer. Bun does not buffer an
    // unread body: it stops reading from the connection until the answer, and then discards the rest.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // Bun accepts TLS 1.2 and 1.3 only.
    ...(certificate === null ? {} : { tls: { cert: certificate.chain, key: certificate.key, ciphers } }),
    ...closingReplaced(http, () => listening.isReplaced),
  });
  const listening: Listening = { server, isReplaced: false, end: null };
  return listening;
}

/** Of TLS 1.2: with forward secrecy and authenticated encryption (RFC 9325, section 4.2). All of TLS 1.3 have both. */
const ciphers = ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"]
  .flatMap((cipher) => [`ECDHE-ECDSA-${cipher}`, `ECDHE-RSA-${cipher}`])
  .join(":");

/** Of several proxies, the last one has appended what it received. */
function isForwardedTls({ headers }: Request): boolean {
  const schemes = headers.get("x-forwarded-proto")?.split(",") ?? [];
  return schemes.at(-1)?.trim().toLowerCase() === "https";
}

function closingReplaced({ routes, fetch, error }: Http, isReplaced: () => boolean): Http {
  const closing =
    (answer: (request: Request) => Promise<Response>) =>
    async (request: Request): Promise<Response> => {
      const response = await answer(request);
      if (isReplaced()) response.headers.set("Connection", "close");
      return response;
    };
  return {
    routes: Object.fromEntries(Object.entries(routes).map(([path, answer]) => [path, closing(answer)])),
    fetch: closing(fetch),
    error,
  };
}

/** The port of the options, or a free one. @throws as startServer does */
function findFreePort({ hostname, port }: ServerOptions): number {
  const probe = Bun.serve({ hostname, port, reusePort: false, fetch: () => new Response(null) });
  const found = probe.port ?? port;
  probe.stop(true);
  return found;
}
