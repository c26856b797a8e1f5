// Owns what the methods of MCP answer to one request: the SDK speaks the protocol, this file connects its methods to tools.

import type { Server, ServerContext } from "@modelcontextprotocol/server";
import type { Admitted } from "../../calls/admission.ts";
import type { ObjectInput } from "../../calls/request.ts";
import { isObject } from "../../json/json.ts";
import { unknownReason } from "../../text/suggestion.ts";
import { version } from "../../version.ts";
import { toClientName } from "./client-name.ts";
import type { Exchange, ProtocolCall } from "./exchange.ts";
import { instructions } from "./instructions.ts";
import { type ListedTool, toListed } from "./tool.ts";
import { toInput, toToolResult } from "./tool-call.ts";
import { findTool, tools } from "./tools.ts";

export type Sdk = typeof import("@modelcontextprotocol/server");

/** The request that a server answers. */
export interface Served {
  readonly exchange: Exchange;
  readonly admitted: Admitted;
}

/** How long a client of 2026-07-28 may use what it has listed: the permissions of a key change seldom. */
const listedForMs = 60_000;

const listed = new Map<string, ListedTool>();

/** A server of the SDK for one request. It must never be used for a second one. */
export function createProtocolServer(sdk: Sdk, { exchange, admitted }: Served): Server {
  const ofThisKey = { ttlMs: listedForMs, cacheScope: "private" } as const;
  const server = new sdk.Server(
    { name: "memledger", title: "memledger", version },
    {
      capabilities: { tools: {} },
      instructions,
      cacheHints: { "server/discover": ofThisKey, "tools/list": ofThisKey },
      // Input is validated by the operations. Without this, the SDK creates a validator for each request.
      jsonSchemaValidator: noValidator,
    },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: tools.filter(({ operation }) => admitted.mayPerform(operation)).map(list),
  }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = findTool(params.name);
    if (tool === undefined) throw unknownTool(sdk, params.name);
    const sent = isObject(params.arguments) ? params.arguments : {};
    const answer = await exchange.perform(admitted, tool.operation, toCall(toInput(tool, sent), context));
    return toToolResult(tool, sent, answer);
  });
  return server;
}

function list(tool: (typeof tools)[number]): ListedTool {
  const known = listed.get(tool.name) ?? toListed(tool);
  listed.set(tool.name, known);
  return known;
}

function toCall(input: ObjectInput, { mcpReq }: ServerContext): ProtocolCall {
  const envelope: unknown = mcpReq.envelope;
  const reported = isObject(envelope) ? toClientName(envelope[clientInfoName]) : null;
  return { input, client: reported, requestId: mcpReq.id, signal: mcpReq.signal };
}

function unknownTool({ ProtocolError, INVALID_PARAMS }: Sdk, name: string): Error {
  const known = tools.map((tool) => tool.name);
  const shown = name.slice(0, 100).toWellFormed();
  return new ProtocolError(INVALID_PARAMS, `The tool "${shown}" ${unknownReason(shown, known, "tools")}`);
}

/** Clients of 2026-07-28 send it with each request. */
const clientInfoName = "io.modelcontextprotocol/clientInfo";

const noValidator = {
  getValidator(): never {
    throw new Error("the server asks clients for no input");
  },
};
