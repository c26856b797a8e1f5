// Owns the HTTP API: binds the routes to Elysia and answers requests that belong to no operation. Elysia only routes, because it would
// validate before authentication and drop unknown fields silently. Must never listen: network-server.ts and the local socket do.

import { Elysia } from "elysia";
import type { Refused } from "../../calls/contract/answer.ts";
import type { Perform } from "../../calls/perform.ts";
import { errorStatus, Refusal } from "../../platform/errors.ts";
import type { Logger } from "../../platform/log/logger.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { McpEndpoint } from "../mcp/endpoint.ts";
import { mcpPath } from "../mcp/mcp-request.ts";
import { type AdministrationRoute, administrationRoutes, nameList } from "./administration-routes.ts";
import { refusedBecause, respondTo } from "./answered-call.ts";
import { leavesBodyBehind } from "./body.ts";
import type { CallLog } from "./call-log.ts";
import { type ConsoleTools, consoleRoutes } from "./console/console-routes.ts";
import type { Overview } from "./console/overview/overview.ts";
import { type ConsolePages, createConsolePages, noPages } from "./console/pages.ts";
import { readSession } from "./console/session-sender.ts";
import { createGatewayRoute } from "./gateway-route.ts";
import type { Handler } from "./handler.ts";
import { healthRoutes, type Readiness } from "./health.ts";
import { createMcpRoute } from "./mcp-route.ts";
import { withoutIdleTimeout } from "./network/idle-timeout.ts";
import type { Listener } from "./network/listener.ts";
import { docsRoutes } from "./openapi/docs.ts";
import { handbookRoutes } from "./openapi/handbook.ts";
import { ignoredHeader } from "./query.ts";
import { createRequestReader } from "./request.ts";
import { refusalResponse } from "./response.ts";
import { forwardedRoutes, type Route, routes } from "./routes.ts";
import type { Sender } from "./sender.ts";
import { isAsSent } from "./target.ts";

export interface HttpOptions {
  readonly perform: Perform;
  /** The endpoint for MCP; null: there is none. */
  readonly mcp: McpEndpoint | null;
  /** What only the console needs; null: there is no console. */
  readonly console: ConsoleTools | null;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly calls: CallLog;
  readonly readiness: Readiness;
  /** What the console shows about the server; null: nothing. */
  readonly overview: Overview | null;
}

/** What a listening server passes to Bun.serve, so that it answers the requests of this API. */
export interface Http {
  readonly routes: Readonly<Record<string, (request: Request) => Promise<Response>>>;
  /** For a path that is no route, or was not sent as it is here. */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly error: (error: unknown) => Response;
}

/** The API without a socket. It can be bound to several sockets, each with its own listener. */
export function createHttp(options: HttpOptions, listener: Listener): Http {
  const { http, paths, refuse, pages } = bindRoutes(options, listener);
  const respond = async (request: Request, path: string | null): Promise<Response> => {
    const response = await dispatch(request, path);
    listener.addHeaders(request, response);
    if (leavesBodyBehind(request)) response.headers.set("Connection", "close");
    return response;
  };
  const dispatch = (request: Request, path: string | null) => {
    if (!request.url.startsWith("http")) return refuse(request, noHost);
    // The endpoint for MCP has a check and an answer of its own.
    const fault = path === mcpPath ? null : listener.hostFault(request);
    if (fault !== null) return refuse(request, new Refusal(1421, fault));
    const isFound = path !== null && isAsSent(request.url, path);
    if (listener.isTls) lengthenHost(request);
    return isFound ? http.fetch(request) : (pages.notFound(request) ?? refuse(request, notFound));
  };
  return {
    // Elysia receives the path after the URL parser has changed it; only Bun's router receives the path as sent.
    routes: Object.fromEntries(paths.map((path) => [path, (request: Request) => respond(request, path)])),
    fetch: (request) => respond(request, null),
    error: (error) => refusalResponse(refusedBecause(options.logger, error)),
  };
}

/** See standardHostname below. The routes use only the path and the query of the URL. */
function lengthenHost(request: Request): void {
  const { url } = request;
  if (url.indexOf("/", "https://".length) >= "https://abc".length) return;
  Object.defineProperty(request, "url", { value: url.replace("https://", "https://short-name.") });
}

/** Answers a request that belongs to no operation, and logs it. */
type Refuse = (request: Request, refused: Refused, headers?: Record<string, string>) => Response;

interface BoundRoutes {
  readonly http: Elysia;
  /** All bound paths. */
  readonly paths: readonly string[];
  readonly refuse: Refuse;
  readonly pages: ConsolePages;
}

function bindRoutes(options: HttpOptions, listener: Listener): BoundRoutes {
  // strictPath: DELETE "/v1/memories/" with a missing id must not become DELETE "/v1/memories", which deletes all memories.
  // standardHostname: Elysia searches the path from the 12th character of the URL on, or from the 8th one. The first would treat a host
  // name of fewer than four characters as a part of the path, the second would do so with every name after https://.
  const http = new Elysia({
    strictPath: true,
    systemRouter: false,
    handler: { standardHostname: listener.isTls },
  });
  const refuse: Refuse = (request, refused, headers) => {
    logRefused(options, listener, request, refused);
    return refusalResponse(refused, headers);
  };
  const refuseFailed = (request: Request, error: unknown) =>
    refuse(request, refusedBecause(options.logger, error));
  const methods = new Map<string, string[]>();
  const bind = (method: string, path: string, handle: Handler) => {
    methods.set(path, [...(methods.get(path) ?? []), method]);
    http.route(
      method,
      path,
      async ({ request, path }) => {
        try {
          return await handle({ request, path });
        } catch (error) {
          return refuseFailed(request, error);
        }
      },
      raw,
    );
  };

  for (const route of [...routes, ...forwardedRoutes]) {
    const { exchange } = route.operation;
    const handle =
      exchange === undefined
        ? performing(route, options, listener)
        : createGatewayRoute(route, exchange, options, listener);
    bind(route.method, route.path, handle);
  }
  for (const route of administrationRoutes)
    bind(route.method, route.path, performing(route, options, listener));
  const pages = options.console === null || listener.console === null ? noPages : createConsolePages();
  for (const [method, path, handle] of consoleRoutes(options, listener)) bind(method, path, handle);
  for (const [path, handle] of [
    ...healthRoutes(options.readiness),
    ...docsRoutes(),
    ...handbookRoutes(),
    ...pages.routes,
  ]) {
    bind("GET", path, handle);
  }
  if (options.mcp !== null) bind("POST", mcpPath, createMcpRoute(options.mcp, listener));
  for (const [path, allowed] of methods) refuseOtherMethods(http, path, allowed, refuse);

  http.onError(({ code, error, request }) =>
    code === "NOT_FOUND" ? refuse(request, notFound) : refuseFailed(request, error),
  );
  return { http, paths: [...methods.keys()], refuse, pages };
}

const raw = { parse: "none" } as const;

function performing(route: AdministrationRoute | Route, options: HttpOptions, listener: Listener): Handler {
  const { perform, clock } = options;
  const read = createRequestReader(route);
  return async ({ request, path }) => {
    const arrivedAt = clock.elapsed();
    const sender = readSender(request, options, listener);
    const arrival = read(request, path, sender, arrivedAt);
    const performed = await withoutIdleTimeout(
      route.operation,
      (seconds) => listener.setIdleTimeout(request, seconds),
      () => perform(route.operation, arrival),
    );
    const call = { request, path: route.path, operation: route.operation.name, ip: sender.ip, arrivedAt };
    const list = "list" in route ? route.list : undefined;
    const answer = nameList(performed.answer, list);
    const response = await respondTo(options, call, { ...performed, answer });
    if (arrival.ignored.length > 0) response.headers.set(ignoredHeader, arrival.ignored.join(", "));
    return response;
  };
}

/** @throws Refusal if the request contradicts its connection, or may be forged */
function readSender(request: Request, { console }: HttpOptions, listener: Listener): Sender {
  const session =
    console === null || listener.console === null ? null : readSession(request, listener.console);
  if (session === null) return listener.readSender(request);
  return { credentials: session, ip: listener.addressOf(request) };
}

/** For requests that belong to no operation. */
function logRefused(
  { calls }: HttpOptions,
  { addressOf }: Listener,
  request: Request,
  { code }: Refused,
): void {
  calls.log({
    method: knownMethods.has(request.method) ? request.method : "other",
    path: null,
    operation: null,
    status: errorStatus[code],
    code,
    record: null,
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
