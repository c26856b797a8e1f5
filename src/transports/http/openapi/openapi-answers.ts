// Owns the successful responses of the OpenAPI document, generated from the operations' own schemas.

import type { TSchema } from "@sinclair/typebox";
import { exchangeOf } from "../../../calls/contract/operation.ts";
import { successCode } from "../../../platform/errors.ts";
import type { Json, JsonObject } from "../../../platform/json/json.ts";
import { type NamedSchemas, referenceTo, toAnswerSchema } from "../../../platform/schema/json-schema.ts";
import { jsonObject } from "../../../platform/schema/schema.ts";
import type { ApiRoute } from "../routes.ts";

export function describeSuccess(operation: ApiRoute["operation"], schemas: NamedSchemas): JsonObject {
  if (operation.files !== undefined) return describeFile(operation.files, schemas);
  if (exchangeOf(operation) !== undefined) return describeExchange(schemas);
  if (operation.output === null) return { [operation.success]: { description: "Success without a body." } };
  // Operations with the same output share the schema of the envelope.
  const title = `${operation.output.title}Response`;
  schemas.byName.set(title, {
    title,
    type: "object",
    required: ["success", "code", "message", "data"],
    properties: {
      success: { const: true },
      code: { const: successCode },
      message: { type: "string" },
      data: toAnswerSchema(operation.output, schemas),
    },
  });
  const data = operation.example?.data;
  const example =
    data === undefined ? undefined : { success: true, code: successCode, message: "success", data };
  const content = { "application/json": { schema: referenceTo(title, schemas), ...withExample(example) } };
  const other = operation.scope === "project" ? operation.otherSuccess : undefined;
  const statuses = [operation.success, ...(other === undefined ? [] : [other])];
  const describe = (status: number) => ({ description: status === 201 ? "Created." : "Success.", content });
  return Object.fromEntries(statuses.map((status) => [status, describe(status)]));
}

/** The upstream determines the body. */
function describeExchange(schemas: NamedSchemas): JsonObject {
  const schema = toAnswerSchema(jsonObject, schemas);
  return {
    200: {
      description: "The answer of the upstream.",
      headers: { "Memledger-Record": { description: "Id of the audit record.", schema: { type: "string" } } },
      content: { "application/json": { schema }, "text/event-stream": { schema: { type: "string" } } },
    },
  };
}

/** The responses to requests with conditions and ranges (RFC 9110, sections 13 and 14). */
function describeFile(files: Readonly<Record<string, TSchema>>, schemas: NamedSchemas): JsonObject {
  const content = Object.fromEntries(
    Object.entries(files).map(([type, schema]) => [type, { schema: toAnswerSchema(schema, schemas) }]),
  );
  return {
    200: { description: "The file; its ETag allows conditional requests.", content },
    206: { description: "The part that the Range header requests.", content },
    304: { description: "The file has not changed: it matches If-None-Match." },
    416: { $ref: "#/components/responses/RangeNotSatisfiable" },
  };
}

export const rangeNotSatisfiable: JsonObject = {
  description: "The range begins after the end of the file.",
  headers: {
    "Content-Range": {
      description: "`bytes */` and the size of the file.",
      schema: { type: "string", examples: ["bytes */1048576"] },
    },
  },
};

export function withExample(example: Json | undefined): JsonObject {
  return example === undefined ? {} : { example };
}
