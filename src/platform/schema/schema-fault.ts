// Owns the messages about invalid input: which field, and why. Never decides whether a value is valid: the schema does.

import { Kind, type TSchema } from "@sinclair/typebox";
import { type ValueError, type ValueErrorIterator, ValueErrorType } from "@sinclair/typebox/errors";
import { ValuePointer } from "@sinclair/typebox/value";
import { isObject } from "../json/json.ts";
import { countCharacters, isBlank, shortenName } from "../text/characters.ts";
import { hasControlCharacter, toLabel } from "../text/label.ts";
import { counted } from "../text/plural.ts";
import { suggest, unknownReason } from "../text/suggestion.ts";
import { readMoment } from "../time/iso8601.ts";
import { timestampFault } from "../time/timestamp-fault.ts";

export interface TextLimits {
  readonly minLength?: number;
  readonly maxLength: number;
  /** Of a label that is a segment of paths. */
  readonly not?: { readonly pattern: string };
}

/** TypeBox reports missing fields before unknown ones. A misspelt field is both; the unknown name is reported, because it is the cause. */
export function firstFault(faults: ValueErrorIterator): ValueError | undefined {
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

/** Which field has a fault, and a reason that completes a sentence such as `Field "limit" ...`. `root` is the whole value. */
export function explain(fault: ValueError, root: unknown): [field: string, reason: string] {
  const { type, schema, value } = fault;
  const field = nameOf(fault.path);
  if (type === ValueErrorType.ObjectAdditionalProperties) {
    const name = nameOf(fault.path.slice(parentOf(fault).length));
    return [field, unknownReason(name, Object.keys(schema.properties), "fields")];
  }
  if (type === ValueErrorType.ObjectRequiredProperty) return [field, missingReason(fault, root)];
  if (type === ValueErrorType.Union) {
    const inner = faultOfVariant(fault);
    if (inner !== undefined) return explain(inner, root);
  }
  return [field, specificReason(schema, value) ?? `must be ${expectation(schema)}`];
}

/** Some objects accept unknown members, so a misspelt member is reported only as missing; this adds the similar member that was sent. */
function missingReason(fault: ValueError, root: unknown): string {
  const parent = parentOf(fault);
  const holder: unknown = parent === "" ? null : ValuePointer.Get(root, parent);
  const sent = isObject(holder)
    ? suggest(nameOf(fault.path.slice(parent.length)), Object.keys(holder))
    : null;
  return sent === null ? "is required" : `is required; did you send it as "${sent}"?`;
}

/** A JSON pointer (RFC 6901) without its first slash; cut off, because clients choose the names in it. */
function nameOf(path: string): string {
  return shortenName(path.slice(1).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** For a value that matches no variant of a union: the fault against the variant of the same JSON type. */
function faultOfVariant({ schema, value, errors }: ValueError): ValueError | undefined {
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

/** Why a value of the right JSON type is invalid; null when the type is wrong or this schema has no specific reason. */
function specificReason(schema: TSchema, value: unknown): string | null {
  if (Array.isArray(value) && schema.type === "array") return lengthFault(schema, value.length);
  if (isObject(value) && schema.type === "object") return membersFault(schema, Object.keys(value).length);
  return typeof value === "string" ? stringFault(schema, value) : null;
}

function membersFault({ minProperties = 0, maxProperties }: TSchema, count: number): string | null {
  if (count < minProperties) return `is empty; send at least ${counted(minProperties, "member")}`;
  return count > maxProperties ? `has ${counted(count, "member")}; the maximum is ${maxProperties}` : null;
}

function lengthFault({ minItems = 0, maxItems }: TSchema, length: number): string | null {
  if (length < minItems) {
    const found = length === 0 ? "is empty" : `has ${counted(length, "item")}`;
    return `${found}; send at least ${counted(minItems, "item")}`;
  }
  return length > maxItems ? `has ${counted(length, "item")}; the maximum is ${maxItems}` : null;
}

function stringFault(schema: TSchema, value: string): string | null {
  if (schema[Kind] === "Text") return textFault({ maxLength: Number(schema.maxLength) }, value);
  if (schema[Kind] === "AnyText") return anyTextFault({ maxLength: Number(schema.maxLength) }, value);
  if (schema[Kind] === "Label")
    return labelFault({ maxLength: Number(schema.maxLength), not: schema.not }, value);
  if (schema[Kind] === "Moment") return readMoment(value).fault;
  return schema.format === "date-time" ? timestampFault(value) : null;
}

function expectation(schema: TSchema): string {
  switch (schema[Kind]) {
    case "Text":
    case "AnyText":
    case "Label":
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
      return "an id of 32 hexadecimal characters";
    case "Action":
      return `a lowercase dotted name of at most ${schema.maxLength} characters, such as memory.search`;
    case "FreeText":
      return "a string";
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
      return `an array${lengths(schema)}`;
    default:
      return "a JSON object";
  }
}

function lengths({ minItems, maxItems }: TSchema): string {
  if (minItems === undefined && maxItems === undefined) return "";
  if (minItems === undefined) return ` of at most ${counted(maxItems, "item")}`;
  if (maxItems === undefined) return ` of at least ${counted(minItems, "item")}`;
  return ` of ${minItems} to ${counted(maxItems, "item")}`;
}

export function textFault({ minLength = 1, maxLength }: TextLimits, value: unknown): string | null {
  if (minLength > 0 && typeof value === "string" && isBlank(value))
    return `must not be blank; send ${minLength} to ${counted(maxLength, "character")}`;
  return anyTextFault({ minLength, maxLength }, value);
}

export function anyTextFault({ minLength = 1, maxLength }: TextLimits, value: unknown): string | null {
  if (typeof value !== "string") return "must be a string";
  if (!value.isWellFormed()) return "contains a lone surrogate; send well-formed Unicode";
  if (value.includes("\0")) return "contains the character NUL; remove it";
  if (value.length < minLength) return `is empty; send ${minLength} to ${counted(maxLength, "character")}`;
  const excess = value.length > maxLength ? countCharacters(value) - maxLength : 0;
  return excess > 0 ? `is ${counted(excess, "character")} too long; the maximum is ${maxLength}` : null;
}

export function labelFault(limits: TextLimits, value: unknown): string | null {
  const label = typeof value === "string" ? toLabel(value) : value;
  const fault = textFault(limits, label);
  if (fault !== null || typeof label !== "string") return fault;
  if (hasControlCharacter(label))
    return "contains a control character, such as a line feed or a tab; remove it";
  return limits.not !== undefined && new RegExp(limits.not.pattern).test(label)
    ? `is "${label}", which clients remove from addresses; use another name`
    : null;
}
