// Owns whether a request may be sent again when it is not known if the server performed it. What a tool does is known from its annotations
// in the answers to `tools/list`. Must never know a tool by itself.

import { isObject, type Json } from "../../platform/json/json.ts";
import type { ClientRequest } from "./message.ts";

export interface Repeatable {
  /** Reads the tools in an answer that passes through. */
  learn(answer: Json): void;
  /** Null: the tool is not known. */
  mayRepeat(request: ClientRequest): boolean | null;
}

export function createRepeatable(): Repeatable {
  const tools = new Map<string, boolean>();
  return {
    learn(answer) {
      if (!isObject(answer) || !isObject(answer.result) || !Array.isArray(answer.result.tools)) return;
      for (const tool of answer.result.tools) {
        if (!isObject(tool) || typeof tool.name !== "string") continue;
        const { readOnlyHint, idempotentHint } = isObject(tool.annotations) ? tool.annotations : {};
        tools.set(tool.name, readOnlyHint === true || idempotentHint === true);
      }
    },
    mayRepeat({ method, params }) {
      // All other methods only read.
      if (method !== "tools/call") return true;
      return typeof params.name === "string" ? (tools.get(params.name) ?? null) : false;
    },
  };
}
