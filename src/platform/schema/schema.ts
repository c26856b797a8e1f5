// Owns the schemas of input: TypeBox values for validation, TypeScript types and OpenAPI.
// Never converts a value and never drops a field: input is valid unchanged, or it is refused with the name of the field.

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
import { Refusal } from "../errors.ts";
import { endSentence } from "../text/sentence.ts";
import { fromMoment } from "../time/iso8601.ts";
import { fromTimestamp } from "../time/timestamp.ts";
import { anyTextFault, explain, firstFault, labelFault, type TextLimits, textFault } from "./schema-fault.ts";

TypeRegistry.Set<TextLimits>("Text", (limits, value) => textFault(limits, value) === null);
TypeRegistry.Set<TextLimits>("AnyText", (limits, value) => anyTextFault(limits, value) === null);
TypeRegistry.Set<TextLimits>("Label", (limits, value) => labelFault(limits, value) === null);
FormatRegistry.Set("date-time", (value) => fromTimestamp(value) !== null);
TypeRegistry.Set("FreeText", (_schema, value) => typeof value === "string");
TypeRegistry.Set("Moment", (_schema, value) => typeof value === "string" && fromMoment(value) !== null);

/**
 * Patterns for readers of the schema: what textFault and labelFault refuse, but for lone surrogates. Without lookahead, which some
 * languages lack. U+0085 is white space in Unicode, and not in JavaScript.
 */
const withoutNul = "^[^\\x00]*$";
const notBlank = "^[\\s\\x85]*[^\\s\\x85\\x00][^\\x00]*$";
const visible = "[^\\s\\x00-\\x1f\\x7f-\\x9f]";
const labelForm = `^[\\s\\x85]*${visible}([^\\x00-\\x1f\\x7f-\\x9f]*${visible})?[\\s\\x85]*$`;

/** RFC 3986, section 5.2.4: clients resolve these segments of paths, also if they are percent-encoded. */
export const dotSegments = { pattern: "^[\\s\\x85]*\\.{1,2}[\\s\\x85]*$" };

type TextOptions = TextLimits & { readonly description: string; readonly examples?: string[] };

/** Text counted in Unicode code points, as JSON Schema counts; blank text, NUL and lone surrogates are refused. */
export function Text(options: TextOptions): TUnsafe<string> {
  return Type.Unsafe<string>({ [Kind]: "Text", type: "string", minLength: 1, pattern: notBlank, ...options });
}

/** The same, and blank text is accepted. */
export function AnyText(options: TextOptions): TUnsafe<string> {
  return Type.Unsafe<string>({
    [Kind]: "AnyText",
    type: "string",
    minLength: 1,
    pattern: withoutNul,
    ...options,
  });
}

/** Text of any length. The operation that reads it refuses NUL, because it ignores some of these texts. */
export function FreeText(options: { description?: string } = {}): TUnsafe<string> {
  return Type.Unsafe<string>({ [Kind]: "FreeText", type: "string", pattern: withoutNul, ...options });
}

/** Text that is used as a label (text/label.ts). The label is checked, which may be shorter than the text; control characters are refused. */
export function Label(options: TextOptions): TUnsafe<string> {
  return Type.Unsafe<string>({
    [Kind]: "Label",
    type: "string",
    minLength: 1,
    pattern: labelForm,
    ...options,
  });
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

const idForm = /^[0-9a-fA-F]{32}$/;
const actionForm = /^[a-z0-9_]+(\.[a-z0-9_]+)*$/;
const actionMaxCharacters = 100;

TypeRegistry.Set("Id", (_schema, value) => typeof value === "string" && idForm.test(value));
TypeRegistry.Set(
  "Action",
  (_schema, value) =>
    typeof value === "string" && value.length <= actionMaxCharacters && actionForm.test(value),
);

/** The form of an id. It does not check that something with this id exists. */
export function Id(options: { description: string }): TUnsafe<string> {
  return Type.Unsafe<string>({ [Kind]: "Id", type: "string", pattern: idForm.source, ...options });
}

/** The form of the name of an action. */
export function Action(options: { description: string; not?: { pattern: string } }): TUnsafe<string> {
  const limits = { pattern: actionForm.source, maxLength: actionMaxCharacters };
  return Type.Unsafe<string>({ [Kind]: "Action", type: "string", ...limits, ...options });
}

/** A number of things. */
export function Count(description: string) {
  return Type.Integer({ minimum: 0, description });
}

/** @param usual what its absence means; absent: neither true nor false */
export function Flag(description: string, usual?: boolean) {
  return Type.Optional(Type.Boolean({ ...(usual === undefined ? {} : { default: usual }), description }));
}

/** An RFC 3339 timestamp with any offset. */
export function Timestamp(options: { description: string; readOnly?: boolean }) {
  return Type.String({ format: "date-time", examples: ["2026-12-31T23:59:59Z"], ...options });
}

/** An ISO 8601 date, with or without a time, for the time range of a query. */
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

TypeRegistry.Set("CheckedLater", () => true);

/** Any value. The schema describes it, and the operation checks it, because a fault in it does not refuse the whole call. */
export function CheckedLater(schema: TSchema): TUnsafe<unknown> {
  return Type.Unsafe<unknown>({ ...schema, [Kind]: "CheckedLater" });
}

/** Any JSON object. */
export const jsonObject = Type.Object({}, { title: "JsonObject", description: "Any JSON object." });

/**
 * Keywords of JSON Schema that say which fields belong together, for readers of the schema. The operation itself checks the rule, because it
 * can say what to do.
 */
export type FieldRules = Readonly<Partial<Record<(typeof fieldRules)[number], unknown>>>;
export const fieldRules = ["allOf", "anyOf", "not"] as const;

/** At most one of the fields. */
export function notTogether(...names: readonly [string, string]): FieldRules {
  return { not: { required: names } };
}

/** At least one of the fields. */
export function atLeastOne(names: readonly string[]): FieldRules {
  return { anyOf: names.map((name) => ({ required: [name] })) };
}

/** An object without unknown fields. With a title it becomes a named schema of the API reference. */
export function Fields<Properties extends Record<string, TSchema>>(
  properties: Properties,
  options: { title?: string; description?: string } & FieldRules = {},
): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/**
 * A parser for `schema`.
 * @throws Refusal 1400 with `{ field, reason }` of the first fault; `field` is a path such as `rag_results/0/source`
 */
export function createParser<Schema extends TObject>(schema: Schema): (value: unknown) => Static<Schema> {
  const checker = TypeCompiler.Compile(schema);
  return (value) => {
    if (checker.Check(value)) return value;
    const fault = firstFault(checker.Errors(value));
    const [field, reason] = fault === undefined ? ["", "is invalid"] : explain(fault, value);
    const name = field === "" ? "The request" : `Field "${field}"`;
    throw new Refusal(1400, endSentence(`${name} ${reason}`), { field, reason });
  };
}
