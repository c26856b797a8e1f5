// Owns how input is described and checked: TypeBox values that serve validation, TypeScript types and OpenAPI alike.
// Never coerces and never drops a field: what a client sent is either valid as it stands or refused by name.

import {
  FormatRegistry,
  Kind,
  type Static,
  type TObject,
  type TSchema,
  type TUnsafe,
  Type,
  TypeRegistry,
} from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { type ValueError, type ValueErrorIterator, ValueErrorType } from "@sinclair/typebox/errors";
import { ValuePointer } from "@sinclair/typebox/value";
import { fromTimestamp, readTimestamp } from "./clock.ts";
import { Refusal } from "./errors.ts";
import { fromMoment, readMoment } from "./iso8601.ts";
import { isObject } from "./json/json.ts";
import { counted } from "./plural.ts";
import { suggest, unknownReason } from "./suggestion.ts";

interface TextLimits {
  readonly minLength?: number;
  readonly maxLength: number;
}

TypeRegistry.Set<TextLimits>("Text", (limits, value) => textFault(limits, value) === null);
FormatRegistry.Set("date-time", (value) => fromTimestamp(value) !== null);
TypeRegistry.Set("Moment", (_schema, value) => typeof value === "string" && fromMoment(value) !== null);

/** Text counted in Unicode code points, as JSON Schema counts; blank text, NUL and lone surrogates are refused. */
export function Text(options: TextLimits & { description: string; examples?: string[] }): TUnsafe<string> {
  return Type.Unsafe<string>({ [Kind]: "Text", type: "string", minLength: 1, pattern: "\\S", ...options });
}

export function Choice<const Values extends readonly string[]>(
  values: Values,
  options: { title?: string; description: string; default?: Values[number] },
): TUnsafe<Values[number]> {
  return Type.Unsafe<Values[number]>({ ...Type.String({ enum: [...values] }), ...options, [Kind]: "Choice" });
}

TypeRegistry.Set<{ enum: readonly string[] }>(
  "Choice",
  (schema, value) => typeof value === "string" && schema.enum.includes(value),
);

const idForm = /^[0-9a-f]{32}$/;
const actionForm = /^[a-z0-9_]+(\.[a-z0-9_]+)*$/;
const actionMaxCharacters = 100;

TypeRegistry.Set("Id", (_schema, value) => typeof value === "string" && idForm.test(value));
TypeRegistry.Set(
  "Action",
  (_schema, value) =>
    typeof value === "string" && value.length <= actionMaxCharacters && actionForm.test(value),
);

/** The form of an identifier that this service made; whether something has it is another question. */
export function Id(options: { description: string }): TUnsafe<string> {
  return Type.Unsafe<string>({ [Kind]: "Id", type: "string", pattern: idForm.source, ...options });
}

/** The form of an action's name. */
export function Action(options: { description: string }): TUnsafe<string> {
  const limits = { pattern: actionForm.source, maxLength: actionMaxCharacters };
  return Type.Unsafe<string>({ [Kind]: "Action", type: "string", ...limits, ...options });
}

/** An RFC 3339 timestamp with any offset. */
export function Timestamp(options: { description: string }) {
  return Type.String({ format: "date-time", examples: ["2026-12-31T23:59:59Z"], ...options });
}

/** An ISO 8601 date, or date with a time, for the span of a query. */
export function Moment(options: { description: string }): TUnsafe<string> {
  return Type.Unsafe<string>({
    [Kind]: "Moment",
    anyOf: [
      { type: "string", format: "date-time" },
      { type: "string", format: "date" },
    ],
    examples: ["2026-11-01T00:00:00Z", "2026-11-01"],
    ...options,
  });
}

export function Nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()], schema.description ? { description: schema.description } : {});
}

/** Any JSON object. */
export const jsonObject = Type.Object({}, { title: "JsonObject", description: "Any JSON object." });

/** An object that refuses unknown fields. A title makes it a named schema of the API reference. */
export function Fields<Properties extends Record<string, TSchema>>(
  properties: Properties,
  options: { title?: string; description?: string } = {},
): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/**
 * A parser for `schema`.
 * @throws Refusal 1400 with `{ field, reason }` naming the first fault; `field` is a path such as `rag_results/0/source`.
 */
export function createParser<Schema extends TObject>(schema: Schema): (value: unknown) => Static<Schema> {
  const checker = TypeCompiler.Compile(schema);
  return (value) => {
    if (checker.Check(value)) return value;
    const fault = firstFault(checker.Errors(value));
    const [field, reason] = fault === undefined ? ["", "is invalid"] : explain(fault, value);
    const name = field === "" ? "The request" : `Field "${field}"`;
    throw new Refusal(1400, `${name} ${reason}${reason.endsWith("?") ? "" : "."}`, { field, reason });
  };
}

/** TypeBox names fields that are missing before those that are unknown. A misspelt field is both, and its name is the cause. */
function firstFault(faults: ValueErrorIterator): ValueError | undefined {
  let first: ValueError | undefined;
  for (const fault of faults) {
    first ??= fault;
    if (fault.type === ValueErrorType.ObjectAdditionalProperties && parentOf(fault) === parentOf(first))
      return fault;
    if (fault.type !== ValueErrorType.ObjectRequiredProperty) return first;
  }
  return first;
}

function parentOf({ path }: ValueError): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** `root` is the whole value. */
function explain(fault: ValueError, root: unknown): [field: string, reason: string] {
  const { type, schema, value } = fault;
  const field = nameOf(fault.path);
  if (type === ValueErrorType.ObjectAdditionalProperties) {
    const name = nameOf(fault.path.slice(parentOf(fault).length));
    return [field, unknownReason(name, Object.keys(schema.properties), "fields")];
  }
  if (type === ValueErrorType.ObjectRequiredProperty) return [field, missingReason(fault, root)];
  if (type === ValueErrorType.Union) {
    const meant = faultOfMeant(fault);
    if (meant !== undefined) return explain(meant, root);
  }
  return [
    field,
    (typeof value === "string" ? stringFault(schema, value) : null) ?? `must be ${expectation(schema)}`,
  ];
}

/** Items that gateways append may have members of their own, so a misspelt one is known only by what it leaves out. */
function missingReason(fault: ValueError, root: unknown): string {
  const parent = parentOf(fault);
  const holder: unknown = parent === "" ? null : ValuePointer.Get(root, parent);
  const sent = isObject(holder)
    ? suggest(nameOf(fault.path.slice(parent.length)), Object.keys(holder))
    : null;
  return sent === null ? "is required" : `is required; did you send it as "${sent}"?`;
}

/** A JSON pointer (RFC 6901) without its first slash, bounded because clients choose the names in it. */
function nameOf(path: string): string {
  return path.slice(1).replaceAll("~1", "/").replaceAll("~0", "~").slice(0, 100).toWellFormed();
}

/** Of a value that fits no variant of a union: what is wrong with it as the variant that has its JSON type. */
function faultOfMeant({ schema, value, errors }: ValueError): ValueError | undefined {
  const index = schema.anyOf.findIndex((variant: TSchema) => hasTypeOf(variant, value));
  const faults = errors[index];
  return faults === undefined ? undefined : firstFault(faults);
}

function hasTypeOf(schema: TSchema, value: unknown): boolean {
  if (Array.isArray(value)) return schema.type === "array";
  if (typeof value === "number") return schema.type === "number" || schema.type === "integer";
  if (schema[Kind] === "Moment") return typeof value === "string";
  return value !== null && schema.type === typeof value;
}

/** Why a string is none of this schema; null where the schema has no reasons of its own. */
function stringFault(schema: TSchema, value: string): string | null {
  if (schema[Kind] === "Text") return textFault({ maxLength: Number(schema.maxLength) }, value);
  if (schema[Kind] === "Moment") return readMoment(value).fault;
  return schema.format === "date-time" ? readTimestamp(value).fault : null;
}

function expectation(schema: TSchema): string {
  switch (schema[Kind]) {
    case "Text":
      return `a string of ${schema.minLength} to ${counted(Number(schema.maxLength), "character")}`;
    case "Choice":
      return `one of ${schema.enum.map((value: string) => `"${value}"`).join(", ")}`;
    case "Integer":
    case "Number": {
      const noun = schema[Kind] === "Integer" ? "a whole number" : "a number";
      const { minimum, maximum } = schema;
      if (maximum === undefined) return minimum === undefined ? noun : `${noun} of at least ${minimum}`;
      return `${noun} from ${minimum} to ${maximum}`;
    }
    case "Id":
      return "an identifier of 32 hexadecimal characters in lower case";
    case "Action":
      return `a dotted name in lower case of at most ${actionMaxCharacters} characters, such as memory.search`;
    case "Moment":
      return "an ISO 8601 date or time, such as 2026-11-01 or 2026-11-01T09:30:00Z";
    case "Boolean":
      return "true or false";
    case "Null":
      return "null";
    case "String":
      if (schema.format === "date-time") {
        return "an RFC 3339 timestamp with a time zone, such as 2026-12-31T23:59:59Z";
      }
      return schema.maxLength === undefined
        ? "a string"
        : `a string of at most ${counted(schema.maxLength, "character")}`;
    case "Union":
      return schema.anyOf.map(expectation).join(" or ");
    case "Array":
      return "an array";
    default:
      return "a JSON object";
  }
}

/** White space of Unicode, and what JavaScript counts as such besides. */
const blank = /^[\s\p{White_Space}]*$/u;

function textFault({ minLength = 1, maxLength }: TextLimits, value: unknown): string | null {
  if (typeof value !== "string") return "must be a string";
  if (!value.isWellFormed()) return "contains a lone surrogate; send well-formed Unicode";
  if (value.includes("\0")) return "contains the character NUL; remove it";
  if (minLength > 0 && blank.test(value))
    return `must not be blank; send ${minLength} to ${counted(maxLength, "character")}`;
  const excess = value.length > maxLength ? codePoints(value) - maxLength : 0;
  return excess > 0 ? `is ${counted(excess, "character")} too long; the maximum is ${maxLength}` : null;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
