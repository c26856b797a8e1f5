// Owns the translation of TypeBox schemas into the plain JSON Schema 2020-12 that OpenAPI 3.1 uses.

import type { TSchema } from "@sinclair/typebox";
import { isObject, type Json, type JsonObject } from "../../json/json.ts";

/** Schemas by their names in the document. */
export type NamedSchemas = Map<string, JsonObject>;

/**
 * Plain JSON Schema of what a request may hold. Schemas that have a title are put into `named` and referred to; so a client
 * generator makes one type of them, wherever they are used.
 */
export function toRequestSchema(schema: TSchema, named: NamedSchemas): JsonObject {
  return toJsonSchema(schema, named, "closed");
}

/**
 * The same of an answer. Later versions add members to answers, so they are not closed. Describe requests first: a schema that both
 * use keeps the form that it has in requests.
 */
export function toAnswerSchema(schema: TSchema, named: NamedSchemas): JsonObject {
  return toJsonSchema(schema, named, "open");
}

function toJsonSchema(schema: TSchema, named: NamedSchemas, form: "open" | "closed"): JsonObject {
  const translate = (value: unknown): Json => {
    if (Array.isArray(value)) return value.map(translate);
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
    if (!isObject(value)) return null;
    const { title, default: preset, ...rest } = value;
    const members = typeof title === "string" ? rest : value;
    const copy = Object.fromEntries(
      Object.entries(members)
        .filter(([name, item]) => form === "closed" || name !== "additionalProperties" || item !== false)
        .map(([name, item]) => [name, translate(item)]),
    );
    if (typeof title !== "string") return copy;
    if (!named.has(title)) named.set(title, { title, ...copy });
    const reference = { $ref: `#/components/schemas/${title}` };
    // What one place presets is not part of what all places share.
    return preset === undefined ? reference : { ...reference, default: translate(preset) };
  };
  const result = translate(schema);
  return isObject(result) ? result : {};
}
