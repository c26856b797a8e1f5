// Owns the check of the parameters of a method, before the SDK reads them: it would answer wrong ones as a failure of the server, with the
// report of its validator. The arguments of a tool are checked by its operation.

import type { JSONRPCRequest, Result, ServerContext } from "@modelcontextprotocol/server";
import { Type } from "@sinclair/typebox";
import { Refusal } from "../../platform/errors.ts";
import { createParser, jsonObject } from "../../platform/schema/schema.ts";

type Sdk = typeof import("@modelcontextprotocol/server");
type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

const text = Type.String();
const list = createParser(Type.Object({ cursor: Type.Optional(text) }));
const parsers = new Map<string, (parameters: unknown) => unknown>([
  [
    "initialize",
    createParser(
      Type.Object({
        protocolVersion: text,
        capabilities: jsonObject,
        clientInfo: Type.Object({ name: text, version: text }),
      }),
    ),
  ],
  ["tools/list", list],
  ["tools/call", createParser(Type.Object({ name: text, arguments: Type.Optional(jsonObject) }))],
  ["resources/list", list],
  ["resources/templates/list", list],
  ["resources/read", createParser(Type.Object({ uri: text }))],
  ["prompts/list", list],
  [
    "prompts/get",
    createParser(Type.Object({ name: text, arguments: Type.Optional(Type.Record(text, text)) })),
  ],
]);

/** The SDK's class of servers, with this check. */
export function checkParameters(sdk: Sdk): Sdk["Server"] {
  return class extends sdk.Server {
    protected override _wrapHandler(method: string, handler: Handler): Handler {
      const wrapped = super._wrapHandler(method, handler);
      return async (request, context) => {
        const fault = faultOf(method, request.params);
        if (fault !== null) throw new sdk.ProtocolError(sdk.INVALID_PARAMS, fault);
        return wrapped(request, context);
      };
    }
  };
}

/** What is wrong with the parameters of a method; null: nothing, or the method has none of its own. */
function faultOf(method: string, parameters: unknown): string | null {
  try {
    parsers.get(method)?.(parameters ?? {});
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.message.replace(/^Field /, "Parameter ");
    throw error;
  }
}
