// Owns the endpoint of the Model Context Protocol over HTTP: who may send a message, and what of it reaches the SDK. It is stateless, so
// a restart of the server loses nothing. Each call of a tool is a call like any other, with its own record.

import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { Admit, Admitted } from "../../calls/arrival/admission.ts";
import { toRefusalAnswer } from "../../calls/contract/answer.ts";
import { isObject, type Json } from "../../platform/json/json.ts";
import { sessionHeader, toClientName, toSessionId } from "./client-name.ts";
import { type McpArrival, type McpRequest, type McpRequestTools, openMcpRequest } from "./mcp-request.ts";
import { methodOf, receiveMessage } from "./message.ts";
import { checkParameters } from "./parameters.ts";
import { createProtocolServer } from "./protocol-server.ts";
import { refusalRpcResponse, rpcCodes, rpcErrorResponse } from "./rpc-error.ts";
import { createRunningCalls } from "./running-calls.ts";

/** The action of records about requests whose credentials are not valid: their body is not read, so the operation is not known. */
const unreadAction = "mcp.request";

export interface McpOptions extends Omit<McpRequestTools, "running"> {
  readonly admit: Admit;
}

export interface McpEndpoint {
  /** Answers a POST to the path. Never throws. */
  respond(request: Request, arrival: McpArrival): Promise<Response>;
  /** Ends the open streams. */
  close(): Promise<void>;
}

/** What the SDK needs to know of the request that it serves. */
interface Serving {
  readonly mcpRequest: McpRequest;
  readonly admitted: Admitted;
  /** The SDK has closed the server of the request: everything is answered, or the client has left. */
  readonly ended: PromiseWithResolvers<void>;
  isBegun: boolean;
}

export function createMcpEndpoint({ admit, ...tools }: McpOptions): McpEndpoint {
  const running = createRunningCalls();
  const servings = new WeakMap<Request, Serving>();
  let loading: Promise<McpHttpHandler> | null = null;

  /** The SDK is loaded with the first request, because that takes tens of milliseconds, which every start would wait for. */
  const load = async (): Promise<McpHttpHandler> => {
    const loaded = await import("@modelcontextprotocol/server");
    const sdk = { ...loaded, Server: checkParameters(loaded) };
    return sdk.createMcpHandler(({ requestInfo }) => {
      const serving = requestInfo === undefined ? undefined : servings.get(requestInfo);
      if (serving === undefined) throw new Error("the SDK serves a request that it was not given");
      serving.isBegun = true;
      const server = createProtocolServer(sdk, serving);
      server.onclose = () => serving.ended.resolve();
      return server;
    });
  };

  const serve = async (request: Request, mcpRequest: McpRequest, admitted: Admitted): Promise<Response> => {
    using claim = admitted.claim;
    const received = await receiveMessage(request, { ...admitted, claim });
    if (received.fault !== null) {
      mcpRequest.logMessage(received.fault.status, null, admitted.caller);
      return received.fault;
    }
    const { message } = received;
    cancelNamed(message, mcpRequest, admitted);
    const serving: Serving = { mcpRequest, admitted, ended: Promise.withResolvers(), isBegun: false };
    servings.set(request, serving);
    loading ??= load();
    const handler = await loading;
    const response = await handler.fetch(request, { parsedBody: message });
    if (!serving.isBegun) serving.ended.resolve();
    serving.ended.promise.then(() => mcpRequest.logMessage(response.status, null, admitted.caller));
    return named(response, message);
  };

  /** `notifications/cancelled` of the 2025 protocols. */
  const cancelNamed = (message: Json, { sessionId }: McpRequest, { caller }: Admitted): void => {
    const { method, params } = methodOf(message) ?? {};
    if (method !== "notifications/cancelled" || !isObject(params)) return;
    const { requestId } = params;
    if (typeof requestId === "string" || typeof requestId === "number")
      running.cancel({ keyId: caller.key.id, sessionId, requestId });
  };

  return {
    async respond(request, arrival) {
      const mcpRequest = openMcpRequest(request, arrival, { ...tools, running });
      const { origin, arrivedAt } = mcpRequest;
      try {
        if (arrival.webPageFault !== null) return refuseWebPage(arrival.webPageFault, mcpRequest);
        const admission = await admit(unreadAction, { credentials: arrival.credentials, origin, arrivedAt });
        if (admission.admitted !== null) return await serve(request, mcpRequest, admission.admitted);
        const { refused, caller } = admission;
        mcpRequest.logMessage(refused.status, refused.code, caller, refused.recordId);
        return refusalRpcResponse(refused);
      } catch (error) {
        return refusalRpcResponse(toRefusalAnswer(mcpRequest.toRefused(error)));
      }
    },
    async close() {
      await (await loading)?.close();
    },
  };
}

function refuseWebPage(message: string, mcpRequest: McpRequest): Response {
  mcpRequest.logMessage(403, null, null);
  return rpcErrorResponse({ status: 403, code: rpcCodes.refused, message });
}

/** A client of the 2025 protocols says its name in `initialize` only. With this id it says it again in each later request. */
function named(response: Response, message: Json): Response {
  const { method, params } = methodOf(message) ?? {};
  if (method !== "initialize" || !response.ok) return response;
  response.headers.set(sessionHeader, toSessionId(toClientName(isObject(params) ? params.clientInfo : null)));
  return response;
}
