// Owns the HTTP server: binds the routes to Elysia and answers requests that belong to no operation. Elysia only routes, because it would
// validate before authentication and drop unknown fields silently.

import { Elysia } from "elysia";
import { type Answer, toRefused } from "../../calls/answer.ts";
import type { Perform } from "../../calls/perform.ts";
import type { Clock } from "../../clock.ts";
import { errorStatus, Refusal } from "../../errors.ts";
import { httpGraceMs, idleTimeoutSeconds } from "../../limits.ts";
import type { Logger } from "../../log/logger.ts";
import { stopServer } from "../../native/stop-server.ts";
import { leavesBodyBehind } from "./body.ts";
import type { CallLog } from "./call-log.ts";
import { createClientAddress } from "./client-address.ts";
import { docsRoutes } from "./docs.ts";
import { toEnvelope } from "./envelope.ts";
import type { Handler } from "./handler.ts";
import { healthRoutes, type Readiness } from "./health.ts";
import { createRequestReader } from "./request.ts";
import { refusalResponse, toResponse } from "./response.ts";
import { type Route, routes } from "./routes.ts";
import { isAsSent } from "./target.ts";

interface HttpOptions {
  readonly perform: Perform;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly calls: CallLog;
  readonly readiness: Readiness;
  /** Addresses and networks of the proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
}

export interface ServerOptions extends HttpOptions {
  readonly hostname: string;
  /** 0: any free port. */
  readonly port: number;
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
  const { http, paths, refuse } = createHttp(options);
  const respond = async (request: Request, path: string | null): Promise<Response> => {
    const response = await dispatch(request, path);
    if (leavesBodyBehind(request)) response.headers.set("Connection", "close");
    return response;
  };
  const dispatch = (request: Request, path: string | null) => {
    if (!request.url.startsWith("http")) return refuse(request, noHost);
    const isFound = path !== null && isAsSent(request.url, path);
    return isFound ? http.fetch(request) : refuse(request, notFound);
  };
  const server = Bun.serve({
    hostname,
    port,
    // Elysia's own listen() would share the port with another process and show stack traces outside production.
    reusePort: false,
    development: false,
    idleTimeout: idleTimeoutSeconds,
    // Bun would close the connection at its limit; our limit is counted while reading, and refused with an answer. Bun does not buffer an
    // unread body: it stops reading from the connection until the answer, and then discards the rest.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // Elysia receives the path after the URL parser has changed it; only Bun's router receives the path as sent.
    routes: Object.fromEntries(paths.map((path) => [path, (request: Request) => respond(request, path)])),
    fetch: (request) => respond(request, null),
    error: (error) => internalError(options.logger, error),
  });
  http.server = server;
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return {
    url: `http://${host}:${server.port}`,
    port: server.port ?? port,
    stop: () => stopServer(server, httpGraceMs),
  };
}

/** Answers a request that belongs to no operation, and logs it. */
type Refuse = (request: Request, refusal: Refusal, headers?: Record<string, string>) => Response;

interface Http {
  readonly http: Elysia;
  /** All bound paths. */
  readonly paths: readonly string[];
  readonly refuse: Refuse;
}

/** The HTTP server without its socket. */
function createHttp(options: HttpOptions): Http {
  // strictPath: DELETE "/v1/memories/" with a missing id must not become DELETE "/v1/memories", which deletes all memories.
  // standardHostname: otherwise a host name of fewer than four characters is treated as a part of the path.
  const http = new Elysia({
    strictPath: true,
    systemRouter: false,
    handler: { standardHostname: false },
  });
  const clientAddress = createClientAddress(options.trustedProxies);
  const addressOf: AddressOf = (request) =>
    clientAddress(http.server?.requestIP(request)?.address ?? null, request.headers.get("x-forwarded-for"));
  const refuse: Refuse = (request, refusal, headers) => {
    logRefused(options, addressOf, request, refusal);
    return refusalResponse(refusal, headers);
  };
  const methods = new Map<string, string[]>();
  const bind = (method: string, path: string, handle: Handler) => {
    methods.set(path, [...(methods.get(path) ?? []), method]);
    http.route(
      method,
      path,
      ({ request, path }) => guard(options.logger, () => handle({ request, path })),
      raw,
    );
  };

  for (const route of routes) bind(route.method, route.path, performing(http, route, options, addressOf));
  for (const [path, handle] of [...healthRoutes(options.readiness), ...docsRoutes()]) {
    bind("GET", path, handle);
  }
  for (const [path, allowed] of methods) refuseOtherMethods(http, path, allowed, refuse);

  http.onError(({ code, error, request }) =>
    code === "NOT_FOUND" ? refuse(request, notFound) : internalError(options.logger, error),
  );
  return { http, paths: [...methods.keys()], refuse };
}

const raw = { parse: "none" } as const;

function performing(http: Elysia, route: Route, options: HttpOptions, addressOf: AddressOf): Handler {
  const { perform, clock, calls } = options;
  const read = createRequestReader(route);
  return async ({ request, path }) => {
    const arrivedAt = clock.elapsed();
    const address = addressOf(request);
    const arrival = read(request, path, address, arrivedAt);
    const { mayRunLong = false } = route.operation;
    if (mayRunLong) http.server?.timeout(request, 0);
    const { answer, caller } = await perform(route.operation, arrival);
    if (mayRunLong) http.server?.timeout(request, idleTimeoutSeconds);
    const response = await guard(options.logger, () => toResponse(answer, request));
    calls.log({
      method: request.method,
      path: route.path,
      operation: route.operation.name,
      status: response.status,
      // A request for a part of a file has a status of its own.
      code: answer.status === response.status ? answer.code : null,
      durationMs: clock.elapsed() - arrivedAt,
      project: caller?.project.id ?? null,
      key: caller?.key.id ?? null,
      address,
      bytes: () => lengthOf(answer, response),
    });
    return response;
  };
}

function lengthOf(answer: Answer, { headers }: Response): number {
  const envelope = toEnvelope(answer);
  return envelope === null ? Number(headers.get("content-length") ?? 0) : Buffer.byteLength(envelope);
}

/** The client's address, as far as it can be trusted. */
type AddressOf = (request: Request) => string | null;

/** For requests that belong to no operation. */
function logRefused({ calls }: HttpOptions, addressOf: AddressOf, request: Request, refusal: Refusal): void {
  const { code } = refusal;
  calls.log({
    method: knownMethods.has(request.method) ? request.method : "other",
    path: null,
    operation: null,
    status: errorStatus[code],
    code,
    durationMs: 0,
    project: null,
    key: null,
    address: addressOf(request),
    bytes: () => null,
  });
}

/** The client can send any text as the method, so only these are logged. */
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Elysia answers HEAD as GET, as RFC 9110 requires; a HEAD request is recorded as the operation of the route. */
function refuseOtherMethods(http: Elysia, path: string, methods: readonly string[], refuse: Refuse): void {
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  const refusal = new Refusal(1405, `Method not allowed. Use one of: ${allow}.`);
  http.route("OPTIONS", path, () => new Response(null, { status: 204, headers: { Allow: allow } }), raw);
  http.all(path, ({ request }) => refuse(request, refusal, { Allow: allow }), raw);
}

const noHost = new Refusal(
  1400,
  "The header Host is missing or malformed. Send the name of this server in it.",
);
const notFound = new Refusal(1404, "Route not found. All routes of the API are listed at /docs.");

async function guard(logger: Logger, work: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    return error instanceof Refusal ? refusalResponse(error) : internalError(logger, error);
  }
}

function internalError(logger: Logger, error: unknown): Response {
  const report = (incident: string) => logger.error("a request failed", { incident, error });
  return refusalResponse(toRefused(error, report));
}
