// Owns what the methods of MCP answer to one request: the SDK speaks the protocol, this file connects its methods to operations.

import type { Server, ServerContext } from "@modelcontextprotocol/server";
import { isForSeveral } from "../../access/bound-subject.ts";
import type { Admitted } from "../../calls/arrival/admission.ts";
import type { Answer } from "../../calls/contract/answer.ts";
import type { ObjectInput } from "../../calls/contract/request.ts";
import { successCode } from "../../platform/errors.ts";
import { isObject } from "../../platform/json/json.ts";
import { shortenName } from "../../platform/text/characters.ts";
import { endSentence } from "../../platform/text/sentence.ts";
import { unknownReason } from "../../platform/text/suggestion.ts";
import { version } from "../../platform/version.ts";
import { toClientName } from "./client-name.ts";
import { instructions } from "./instructions.ts";
import type { McpRequest } from "./mcp-request.ts";
import { createProgressReport } from "./progress.ts";
import { rpcCodes } from "./rpc-error.ts";
import {
  contextPrompt,
  operation as injection,
  rulesInput,
  rulesResource,
  toPromptInput,
  toPromptResult,
  toRulesContents,
} from "./rules-and-context.ts";
import { type ListedTool, type Tool, toListed } from "./tool.ts";
import { toInput, toToolResult } from "./tool-call.ts";
import { tools, toolsNamingSubject } from "./tools.ts";

export type Sdk = typeof import("@modelcontextprotocol/server");

/** The request that a server answers. */
export interface Served {
  readonly mcpRequest: McpRequest;
  readonly admitted: Admitted;
}

/** Clients of 2026-07-28 send it with each request. */
const clientInfoName = "io.modelcontextprotocol/clientInfo";

/** How long such a client may use what it has listed: permissions and plans change seldom, but memories do at any time. */
const listedForMs = 60_000;
const cacheHints = {
  "server/discover": { ttlMs: listedForMs, cacheScope: "private" },
  "tools/list": { ttlMs: listedForMs, cacheScope: "private" },
  "resources/list": { ttlMs: listedForMs, cacheScope: "private" },
  "prompts/list": { ttlMs: listedForMs, cacheScope: "private" },
} as const;

/** Operations validate their input. Without this, the SDK would create a validator of its own for each request. */
const jsonSchemaValidator = {
  getValidator(): never {
    throw new Error("the server asks clients for no input");
  },
};

/** A server of the SDK for one request. It must never be used for a second one. */
export function createProtocolServer(sdk: Sdk, served: Served): Server {
  const server = new sdk.Server(
    { name: "memledger", title: "memledger", version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions,
      cacheHints,
      jsonSchemaValidator,
    },
  );
  const methods = { server, sdk, served, guard: createGuard(sdk, served) };
  answerTools(methods);
  answerResources(methods);
  answerPrompts(methods);
  return server;
}

interface Methods {
  readonly server: Server;
  readonly sdk: Sdk;
  readonly served: Served;
  readonly guard: Guard;
}

function answerTools({ server, sdk, served, guard }: Methods): void {
  const { admitted, mcpRequest } = served;
  const known = needsSubject(served) ? toolsNamingSubject : tools;
  server.setRequestHandler("tools/list", () => ({
    tools: known
      .filter(({ operation, listedWith = operation }) =>
        [operation, listedWith].every((each) => admitted.mayPerform(each)),
      )
      .map(toListedOnce),
  }));
  server.setRequestHandler("tools/call", ({ params }, context) =>
    guard(async () => {
      const tool = known.find(({ name }) => name === params.name);
      if (tool === undefined) throw unknown(sdk, "tool", params.name, known.map(nameOf));
      const sent = isObject(params.arguments) ? params.arguments : {};
      const call = { input: toInput(tool, sent), ...readContext(context) };
      return toToolResult(tool, sent, await mcpRequest.perform(admitted, tool.operation, call));
    }),
  );
}

function answerResources({ server, sdk, served, guard }: Methods): void {
  const mayRead = served.admitted.mayPerform(injection) && !needsSubject(served);
  server.setRequestHandler("resources/list", () => ({ resources: mayRead ? [rulesResource] : [] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
  server.setRequestHandler("resources/read", ({ params }, context) =>
    guard(async () => {
      if (params.uri !== rulesResource.uri) throw new sdk.ResourceNotFoundError(shortenName(params.uri));
      return toRulesContents(await inject(sdk, served, rulesInput, context));
    }),
  );
}

function answerPrompts({ server, sdk, served, guard }: Methods): void {
  const mayGet = served.admitted.mayPerform(injection) && !needsSubject(served);
  server.setRequestHandler("prompts/list", () => ({ prompts: mayGet ? [contextPrompt] : [] }));
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    guard(async () => {
      if (params.name !== contextPrompt.name) throw unknown(sdk, "prompt", params.name, [contextPrompt.name]);
      return toPromptResult(await inject(sdk, served, toPromptInput(params.arguments), context));
    }),
  );
}

/**
 * Whether tools have an argument for the subject. Not for a key that may name any subject, or none: a model would invent names, and its
 * client can send the header.
 */
function needsSubject({ admitted, mcpRequest }: Served): boolean {
  return mcpRequest.subject === null && isForSeveral(admitted.caller);
}

/** For methods that cannot answer a refusal as a result. @throws ProtocolError with the refusal */
async function inject(
  { ProtocolError }: Sdk,
  { mcpRequest, admitted }: Served,
  input: ObjectInput,
  context: ServerContext,
): Promise<Answer> {
  const answer = await mcpRequest.perform(admitted, injection, { input, ...readContext(context) });
  if (answer.code === successCode) return answer;
  throw new ProtocolError(rpcCodes.refused, answer.message, { code: answer.code });
}

type Guard = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** A failure of this program is logged, and answered without its text. */
function createGuard({ ProtocolError, INTERNAL_ERROR }: Sdk, { mcpRequest }: Served): Guard {
  return async (work) => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      throw new ProtocolError(INTERNAL_ERROR, mcpRequest.toRefused(error).message);
    }
  };
}

const listed = new Map<Tool, ListedTool>();

/** The schemas do not change, and every client lists them. */
function toListedOnce(tool: Tool): ListedTool {
  const known = listed.get(tool) ?? toListed(tool);
  listed.set(tool, known);
  return known;
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

function readContext(context: ServerContext) {
  const { id: requestId, signal } = context.mcpReq;
  const envelope: unknown = context.mcpReq.envelope;
  const client = isObject(envelope) ? toClientName(envelope[clientInfoName]) : null;
  return { client, requestId, signal, onProgress: createProgressReport(context) };
}

function unknown(sdk: Sdk, noun: string, name: string, known: readonly string[]): Error {
  const shown = shortenName(name);
  return new sdk.ProtocolError(
    sdk.INVALID_PARAMS,
    endSentence(`The ${noun} "${shown}" ${unknownReason(shown, known, `${noun}s`)}`),
  );
}
