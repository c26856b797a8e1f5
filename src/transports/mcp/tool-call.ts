// Owns one call of a tool: the request that `perform` gets of it, and the result that the client gets of the answer.

import { Value } from "@sinclair/typebox/value";
import { type Answer, dataOf } from "../../calls/contract/answer.ts";
import { successCode } from "../../platform/errors.ts";
import type { Json, JsonObject } from "../../platform/json/json.ts";
import { inWordsOf, type Tool, toOperationInput } from "./tool.ts";

/** A result of `tools/call`; a type alias, because the SDK's type has an index signature. */
export type ToolResult = {
  content: { type: "text"; text: string }[];
  structuredContent?: JsonObject;
  isError?: true;
};

/** The object input of the operation for the arguments of a call. Some clients send null for each argument that the model has left out. */
export function toInput(tool: Tool, sent: JsonObject) {
  const { properties, required } = tool.operation.input;
  const isLeftOut = ([name, value]: [string, Json]) => {
    const { field = name } = tool.arguments[name] ?? {};
    const schema = properties[field];
    return value === null && schema !== undefined && !required?.includes(field) && !Value.Check(schema, null);
  };
  const given = Object.entries(sent).filter((each) => !isLeftOut(each));
  return { kind: "object" as const, ...toOperationInput(tool, Object.fromEntries(given)) };
}

/** A refusal is a result with `isError`, not an error of the protocol, so that the model reads what to do and can correct its call. */
export function toToolResult(tool: Tool, sent: JsonObject, answer: Answer): ToolResult {
  const data = dataOf(answer);
  const shown =
    answer.code === successCode ? tool.present(data, sent) : (tool.presentRefusal?.(answer, data) ?? null);
  if (shown !== null) return { content: text(tool.describe(shown)), structuredContent: shown };
  const retry = answer.retryAfterSeconds === undefined ? "" : ` Retry after ${answer.retryAfterSeconds} s.`;
  const message = inWordsOf(tool, answer.message);
  return { content: text(`${message}${message.includes("Retry") ? "" : retry}`), isError: true };
}

function text(value: string): ToolResult["content"] {
  return [{ type: "text", text: value }];
}
