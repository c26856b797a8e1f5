// Owns the translation of TypeBox schemas into plain JSON Schema 2020-12, which OpenAPI 3.1 and MCP use. Knows neither of them.

import type { TSchema } from "@sinclair/typebox";
import { isObject, type Json, type JsonObject } from "../json/json.ts";

/** Where schemas that have a title are put: each once, by its title. */
export interface NamedSchemas {
  /** JSON pointer to them, such as `#/$defs`. */
  readonly pointer: string;
  readonly byName: Map<string, JsonObject>;
}

/** Refers to a schema of these by its name. */
export function referenceTo(title: string, { pointer }: NamedSchemas): JsonObject {
  return { $ref: `${pointer}/${title}` };
}

/**
 * Plain JSON Schema of what a request may contain. Schemas that have a title are put into `named` and referred to; so a client
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
    if (!named.byName.has(title)) named.byName.set(title, { title, ...copy });
    const reference = referenceTo(title, named);
    // A default belongs to one use of the schema, not to the shared schema.
    return preset === undefined ? reference : { ...reference, default: translate(preset) };
  };
  const result = translate(schema);
  return isObject(result) ? result : {};
}
