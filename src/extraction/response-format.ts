// Owns how strictly a server is asked to keep to the form of the answer, and how its refusal of that wish is recognised.
// A refusal must never be seen in an error that is about something else.

import { isObject, type JsonObject } from "../json/json.ts";
import type { ChatFailure } from "./chat-failure.ts";
import { llmAnswerSchema } from "./llm-answer.ts";

/** A part of the request. */
export type ResponseFormat = Readonly<{
  response_format?:
    | { type: "json_object" }
    | { type: "json_schema"; json_schema: { name: string; strict: true; schema: Record<string, unknown> } };
}>;

/** From the strictest to none. What a server does not enforce is checked all the same. */
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

/** Without what not every server can turn into a grammar, or refuses to read. */
function wireSchema(): Record<string, unknown> {
  const unsupported = ["minimum", "maximum", "maxItems", "examples"];
  const schema: unknown = JSON.parse(
    JSON.stringify(llmAnswerSchema, (name, value) => (unsupported.includes(name) ? undefined : value)),
  );
  if (!isObject(schema)) throw new Error("the schema of answers is no object");
  return { ...(schema satisfies JsonObject) };
}

const subject =
  /response[_ ]?format|json[_ ]?schema|json[_ ]?object|json mode|grammar|guided|structured[_ ]output/i;

/** Ollama says it with 500. */
const statuses = [400, 404, 422, 500, 501];

/** Whether the server says that it will not have this format. */
export function refusesFormat({ kind, status, details }: ChatFailure): boolean {
  return kind === "status" && status !== null && statuses.includes(status) && subject.test(details);
}
