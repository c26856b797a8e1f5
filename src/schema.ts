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
import type { ValueError } from "@sinclair/typebox/errors";
import { fromMoment, fromTimestamp } from "./clock.ts";
import { Refusal } from "./errors.ts";
import { counted } from "./plural.ts";

interface TextLimits {
  readonly minLength?: number;
  readonly maxLength: number;
}

TypeRegistry.Set<TextLimits>("Text", (limits, value) => textFault(limits, value) === null);
FormatRegistry.Set("date-time", (value) => fromTimestamp(value) !== null);
TypeRegistry.Set("Moment", (_schema, value) => typeof value === "string" && fromMoment(value) !== null);

/** Text counted in Unicode code points, as JSON Schema counts; blank text, NUL and lone surrogates are refused. */
export function Text(options: TextLimits & { description: string; examples?: string[] }): TUnsafe<string> {
  return Type.Unsafe<string>({ [Kind]: "Text", type: "string", minLength: 1, ...options });
}

export function Choice<const Values extends readonly string[]>(
  values: Values,
  options: { description: string; default?: Values[number] },
): TUnsafe<Values[number]> {
  return Type.Unsafe<Values[number]>({ ...Type.String({ enum: [...values] }), ...options, [Kind]: "Choice" });
}

TypeRegistry.Set<{ enum: readonly string[] }>(
  "Choice",
  (schema, value) => typeof value === "string" && schema.enum.includes(value),
);

/** An RFC 3339 timestamp with any offset. */
export function Timestamp(options: { description: string }) {
  return Type.String({ format: "date-time", examples: ["2026-12-31T23:59:59Z"], ...options });
}

/** An ISO 8601 moment for the span of a query: a timestamp with any offset, or a date. */
export function Moment(options: { description: string }): TUnsafe<string> {
  return Type.Unsafe<string>({
    [Kind]: "Moment",
    type: "string",
    examples: ["2026-11-01T00:00:00Z"],
    ...options,
  });
}

export function Nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()], schema.description ? { description: schema.description } : {});
}

/** An object that refuses unknown fields. A title makes it a named schema of the API reference. */
export function Fields<Properties extends Record<string, TSchema>>(
  properties: Properties,
  options: { title?: string; description?: string } = {},
): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/**
 * A parser for `schema`.
 * @throws Refusal 1400 with `{ field, reason }` naming the first fault.
 */
export function createParser<Schema extends TObject>(schema: Schema): (value: unknown) => Static<Schema> {
  const checker = TypeCompiler.Compile(schema);
  return (value) => {
    if (checker.Check(value)) return value;
    const fault = checker.Errors(value).First();
    const known = Object.keys(schema.properties);
    const [field, reason] = fault === undefined ? ["", "is invalid"] : explain(fault, known);
    const name = fault === undefined || fault.path === "" ? "The request" : `Field "${field}"`;
    throw new Refusal(1400, `${name} ${reason}.`, { field, reason });
  };
}

function explain(fault: ValueError, known: readonly string[]): [field: string, reason: string] {
  const field = fault.path.slice(1).replaceAll("~1", "/").replaceAll("~0", "~").slice(0, 100).toWellFormed();
  if (fault.path !== "" && !known.includes(field.split("/")[0] ?? "")) {
    const list = known.length === 0 ? "this operation takes none" : `known fields are ${known.join(", ")}`;
    return [field, `is unknown; ${list}`];
  }
  if (fault.value === undefined && field !== "") return [field, "is required"];
  if (fault.schema[Kind] === "Text" && typeof fault.value === "string") {
    return [
      field,
      textFault({ maxLength: Number(fault.schema.maxLength), minLength: 1 }, fault.value) ?? "is invalid",
    ];
  }
  return [field, `must be ${expectation(fault.schema)}`];
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
    case "Moment":
      return "an ISO 8601 time with a time zone, such as 2026-11-01T00:00:00Z, or a date";
    case "Boolean":
      return "true or false";
    case "Null":
      return "null";
    case "String":
      return schema.format === "date-time"
        ? "an RFC 3339 timestamp with a time zone, such as 2026-12-31T23:59:59Z"
        : "a string";
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
