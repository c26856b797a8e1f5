// Owns the types of an OpenAPI document: its named schemas, and those of fields, in a form that belongs to no programming language.
// Must throw for a JSON Schema keyword that it does not know.

import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";

export type Type =
  | { readonly kind: "string" | "integer" | "number" | "boolean" | "null" | "any" | "object" }
  | { readonly kind: "literals"; readonly values: readonly string[] }
  | { readonly kind: "array"; readonly items: Type }
  | { readonly kind: "union"; readonly members: readonly Type[] }
  | { readonly kind: "reference"; readonly name: string };

export interface Field {
  readonly name: string;
  readonly type: Type;
  readonly isRequired: boolean;
  readonly description: string;
}

export type Model = ObjectModel | LiteralsModel;

interface Named {
  readonly name: string;
  readonly description: string;
}

export interface ObjectModel extends Named {
  readonly kind: "object";
  readonly fields: readonly Field[];
  /** Whether requests may have members that are not listed. */
  readonly isOpen: boolean;
}

export interface LiteralsModel extends Named {
  readonly kind: "literals";
  readonly values: readonly string[];
}

export interface NamedSchema {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** Keywords that restrict values, but not the type, and those that describe. */
const annotations = new Set([
  ...[
    "title",
    "description",
    "default",
    "example",
    "examples",
    "format",
    "pattern",
    "contentMediaType",
    "contentEncoding",
  ],
  ...["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"],
  ...["minProperties", "maxProperties", "propertyNames"],
  "readOnly",
]);

const plain = ["string", "integer", "number", "boolean", "null"] as const;

/** All models of the document, without the envelopes of answers. */
export function modelsOf(schemas: JsonObject): Model[] {
  return Object.entries(schemas)
    .filter(([name]) => name !== "Refusal" && !name.endsWith("Response"))
    .flatMap(([name, schema]) => toModel(name, objectOf(schema), schemas));
}

/** An object without fields is no model: it is any JSON object, wherever it is referred to. */
function toModel(name: string, schema: JsonObject, schemas: JsonObject): Model[] {
  const { description = "", properties, required = [], additionalProperties } = schema;
  const named = { name, description: String(description) };
  const type = typeOf(schema, schemas);
  if (type.kind === "literals") return [{ ...named, ...type }];
  if (type.kind !== "object" || !isObject(properties)) throw new Error(`${name} is neither object nor texts`);
  if (Object.keys(properties).length === 0) return [];
  const fields = writable(properties).map(([field, value]) => ({
    name: field,
    schema: value,
    isRequired: Array.isArray(required) && required.includes(field),
  }));
  const isOpen = additionalProperties === true;
  return [{ ...named, kind: "object", fields: fieldsOf(fields, schemas), isOpen }];
}

/** The properties without those that a request may only repeat as they were read. */
export function writable(properties: JsonObject): [name: string, schema: JsonObject][] {
  return Object.entries(properties)
    .map(([name, value]): [string, JsonObject] => [name, objectOf(value)])
    .filter(
      ([, { readOnly, anyOf }]) =>
        readOnly !== true &&
        !(Array.isArray(anyOf) && anyOf.some((each) => isObject(each) && each.readOnly === true)),
    );
}

export function fieldsOf(named: readonly NamedSchema[], schemas: JsonObject): Field[] {
  return named.map(({ name, schema, isRequired }) => ({
    name,
    isRequired,
    type: typeOf(schema, schemas),
    description: describe(schema),
  }));
}

function describe({ description = "", default: preset }: JsonObject): string {
  return preset === undefined ? String(description) : `${description} Default: ${JSON.stringify(preset)}.`;
}

/** @throws Error for a schema that is no reference */
export function referenceName({ $ref }: JsonObject): string {
  const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(String($ref)) ?? [];
  if (name === undefined) throw new Error(`no reference to a schema: ${$ref}`);
  return name;
}

function typeOf(schema: JsonObject, schemas: JsonObject): Type {
  const keywords = Object.keys(schema).filter((name) => !annotations.has(name));
  const is = (...known: readonly string[]) => keywords.every((keyword) => known.includes(keyword));
  if (keywords.length === 0) return { kind: "any" };
  if ("$ref" in schema && is("$ref")) return referredType(referenceName(schema), schemas);
  if ("enum" in schema && is("enum", "type")) return { kind: "literals", values: textsOf(schema.enum) };
  if ("const" in schema && is("const", "type")) return { kind: "literals", values: textsOf([schema.const]) };
  if ("anyOf" in schema && is("anyOf")) return unionOf(schema.anyOf, schemas);
  const primitive = plain.find((kind) => kind === schema.type);
  if (primitive !== undefined && is("type", "not")) return { kind: primitive };
  if (schema.type === "array" && is("type", "items"))
    return { kind: "array", items: typeOf(objectOf(schema.items), schemas) };
  if (
    schema.type === "object" &&
    is("type", "properties", "required", "additionalProperties", "anyOf", "allOf", "not")
  )
    return { kind: "object" };
  throw new Error(`the generator does not know this schema: ${JSON.stringify(schema)}`);
}

function referredType(name: string, schemas: JsonObject): Type {
  const { properties, type } = objectOf(schemas[name]);
  const isAnyObject = type === "object" && isObject(properties) && Object.keys(properties).length === 0;
  return isAnyObject ? { kind: "object" } : { kind: "reference", name };
}

/** Without members that are the same: two formats of texts are both texts. */
function unionOf(members: Json | undefined, schemas: JsonObject): Type {
  if (!Array.isArray(members)) throw new Error("anyOf without members");
  const types = members.map((member) => typeOf(objectOf(member), schemas));
  const [first, ...others] = new Map(types.map((type) => [JSON.stringify(type), type])).values();
  if (first === undefined) throw new Error("anyOf without members");
  return others.length === 0 ? first : { kind: "union", members: [first, ...others] };
}

function textsOf(values: Json | undefined): string[] {
  if (!Array.isArray(values)) throw new Error("enum without values");
  return values.map((value) => {
    if (typeof value !== "string") throw new Error(`a value that is no text: ${JSON.stringify(value)}`);
    return value;
  });
}

function objectOf(value: Json | undefined): JsonObject {
  if (!isObject(value)) throw new Error(`no schema: ${JSON.stringify(value)}`);
  return value;
}

/** Names of the models that a type refers to. */
export function referencesOf(type: Type): string[] {
  if (type.kind === "reference") return [type.name];
  if (type.kind === "array") return referencesOf(type.items);
  if (type.kind === "union") return type.members.flatMap(referencesOf);
  return [];
}
