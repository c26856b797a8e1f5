// Owns the response formats that are requested from a server, from strict to none, and recognising that a server does not support one.
// Must never mistake another error for a missing support of the format.

import { isObject, type JsonObject } from "../../platform/json/json.ts";
import type { ChatFailure } from "./chat-failure.ts";
import { llmAnswerSchema } from "./llm-answer.ts";

/** The part of the request that sets the format. */
export type ResponseFormat = Readonly<{
  response_format?:
    | { type: "json_object" }
    | { type: "json_schema"; json_schema: { name: string; strict: true; schema: Record<string, unknown> } };
}>;

/** From the strictest to none. Answers are validated in any case. */
export const responseFormats: readonly ResponseFormat[] = [
  {
    response_format: {
      type: "json_schema",
      json_schema: { name: "memories", strict: true, schema: wireSchema() },
    },
  },
  { response_format: { type: "json_object" } },
  {},
];

/** Without keywords that not every server supports. */
function wireSchema(): Record<string, unknown> {
  const unsupported = ["minimum", "maximum", "maxItems", "examples"];
  const schema: unknown = JSON.parse(
    JSON.stringify(llmAnswerSchema, (name, value) => (unsupported.includes(name) ? undefined : value)),
  );
  if (!isObject(schema)) throw new Error("the schema of answers is not an object");
  return { ...(schema satisfies JsonObject) };
}

const subject =
  /response[_ ]?format|json[_ ]?schema|json[_ ]?object|json mode|grammar|guided|structured[_ ]output/i;

/** Ollama uses 500. */
const statuses = [400, 404, 422, 500, 501];

/** Whether the server reports that it does not support the format. */
export function refusesFormat({ kind, status, details }: ChatFailure): boolean {
  return kind === "status" && status !== null && statuses.includes(status) && subject.test(details);
}
