// Owns the translation of TypeBox schemas into the plain JSON Schema 2020-12 that OpenAPI 3.1 uses.

import type { TSchema } from "@sinclair/typebox";
import { isObject, type Json, type JsonObject } from "../json.ts";

/** Plain JSON Schema of a TypeBox schema. With `named`, objects that have a title are put there and referred to. */
export function toJsonSchema(schema: TSchema, named: Map<string, JsonObject> | null): JsonObject {
  const plain = (value: unknown): Json => {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
    if (!isObject(value)) return null;
    const copy = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
    if (named === null || typeof copy.title !== "string") return copy;
    named.set(copy.title, copy);
    return { $ref: `#/components/schemas/${copy.title}` };
  };
  const result = plain(schema);
  return isObject(result) ? result : {};
}
