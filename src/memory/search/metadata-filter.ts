// Owns the filter by metadata: its form in the API, and which memories match it. Values of different types are never equal, and neither is
// greater. Knows no storage.

import { Kind, Type, TypeRegistry } from "@sinclair/typebox";
import { isObject, type Json, type JsonObject } from "../../platform/json/json.ts";
import { metadataChoicesMax, metadataConditionsMax } from "../../platform/limits.ts";
import { Fields } from "../../platform/schema/schema.ts";
import { compareLabels } from "../../platform/text/label.ts";
import { unknownReason } from "../../platform/text/suggestion.ts";
import { memberNames, metadataRefusal, nameFault } from "../metadata.ts";

export type MetadataValue = string | number | boolean;

const orders = ["gt", "gte", "lt", "lte"] as const;
const operators = [...orders, "in", "exists"] as const;

export interface MetadataBound {
  readonly order: (typeof orders)[number];
  readonly value: string | number;
}

/** Whether a memory has a member with this name whose value is one of `in` (null: any value) and within all bounds. */
export interface MetadataCondition {
  readonly name: string;
  readonly in: readonly MetadataValue[] | null;
  readonly bounds: readonly MetadataBound[];
  /** False: memories that have no such member are wanted. */
  readonly isWanted: boolean;
}

/** All conditions must hold. Not empty. */
export type MetadataFilter = readonly MetadataCondition[];

const value = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const bound = Type.Optional(Type.Union([Type.Number(), Type.String()]));

const condition = Fields(
  {
    gt: bound,
    gte: bound,
    lt: bound,
    lte: bound,
    in: Type.Optional(Type.Array(value, { minItems: 1, maxItems: metadataChoicesMax })),
    exists: Type.Optional(Type.Boolean()),
  },
  {
    title: "MetadataCondition",
    description:
      "What a member of the metadata must be: greater than gt, at least gte, less than lt, at most lte, one of in, and, with exists, there or not there, whatever its value is. Strings are compared by Unicode code points. Values of different types are never equal, and none is greater.",
    ...{ minProperties: 1 },
  },
);

TypeRegistry.Set<{ minProperties: number; maxProperties: number }>(
  "MetadataFilter",
  ({ minProperties, maxProperties }, filter) => {
    const count = isObject(filter) ? Object.keys(filter).length : 0;
    return count >= minProperties && count <= maxProperties;
  },
);

/** Metadata that memories must have. An empty object is refused: it would mean everything or nothing. toMetadataFilter checks the rest. */
export const metadataFilter = Type.Optional(
  Type.Unsafe<JsonObject>({
    [Kind]: "MetadataFilter",
    title: "MetadataFilter",
    type: "object",
    properties: {},
    minProperties: 1,
    maxProperties: metadataConditionsMax,
    propertyNames: memberNames,
    additionalProperties: { anyOf: [...value.anyOf, condition] },
    description:
      "Metadata that memories must have. Each member is a condition on the member of the metadata with this name, and all must hold: a value that it must equal, or what it must be.",
    examples: [{ user: "u-17", priority: { gte: 2 } }],
  }),
);

/** Null: all memories are wanted. @throws Refusal 1400 that names the condition */
export function toMetadataFilter(wanted: object | undefined): MetadataFilter | null {
  if (!isObject(wanted)) return null;
  return Object.keys(wanted)
    .toSorted(compareLabels)
    .flatMap((name) => toConditions(name, wanted[name] ?? null));
}

function toConditions(name: string, wanted: Json): MetadataCondition[] {
  const fault = nameFault(name);
  if (fault !== null) throw metadataRefusal([name], `has a name that ${fault}`);
  const any = { name, in: null, bounds: [], isWanted: true };
  if (isValue(wanted)) return [{ ...any, in: [wanted] }];
  if (!isObject(wanted) || Object.keys(wanted).length === 0)
    throw metadataRefusal(
      [name],
      `must be a string, a number, a boolean, or an object with ${operators.join(", ")}`,
    );
  const unknown = Object.keys(wanted).find((operator) => !operators.some((known) => known === operator));
  if (unknown !== undefined)
    throw metadataRefusal([name, unknown], unknownReason(unknown, operators, "operators"));
  const { in: choices = null, exists = null } = wanted;
  if (exists !== null && typeof exists !== "boolean")
    throw metadataRefusal([name, "exists"], "must be true or false");
  const restricted = { ...any, in: toChoices(name, choices), bounds: toBounds(name, wanted) };
  const isRestricted = restricted.in !== null || restricted.bounds.length > 0;
  return [
    ...(exists === false ? [{ ...any, isWanted: false }] : []),
    ...(isRestricted || exists === true ? [restricted] : []),
  ];
}

function isValue(value: Json): value is MetadataValue {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function toChoices(name: string, choices: Json): readonly MetadataValue[] | null {
  if (choices === null) return null;
  if (!Array.isArray(choices) || choices.length === 0 || choices.length > metadataChoicesMax)
    throw metadataRefusal([name, "in"], `must be a list of 1 to ${metadataChoicesMax} values`);
  const at = choices.findIndex((choice: Json) => !isValue(choice));
  if (at !== -1) throw metadataRefusal([name, "in", at], "must be a string, a number or a boolean");
  return choices.filter(isValue);
}

function toBounds(name: string, wanted: JsonObject): MetadataBound[] {
  return orders.flatMap((order) => {
    const value = wanted[order];
    if (value === undefined) return [];
    if (typeof value !== "string" && typeof value !== "number")
      throw metadataRefusal([name, order], "must be a number or a string");
    return [{ order, value }];
  });
}

export function matchesMetadata(
  metadata: JsonObject | null,
  filter: MetadataFilter | null | undefined,
): boolean {
  return (filter ?? []).every((condition) => {
    const { name, isWanted } = condition;
    const isThere = metadata !== null && Object.hasOwn(metadata, name);
    return (isThere && isMet(metadata[name] ?? null, condition)) === isWanted;
  });
}

function isMet(value: Json, { in: choices, bounds }: MetadataCondition): boolean {
  return (
    (choices === null || choices.some((choice) => choice === value)) &&
    bounds.every((bound) => isWithin(value, bound))
  );
}

function isWithin(value: Json, { order, value: bound }: MetadataBound): boolean {
  const difference =
    typeof value === "string" && typeof bound === "string"
      ? compareLabels(value, bound)
      : typeof value === "number" && typeof bound === "number"
        ? value - bound
        : Number.NaN;
  switch (order) {
    case "gt":
      return difference > 0;
    case "gte":
      return difference >= 0;
    case "lt":
      return difference < 0;
    case "lte":
      return difference <= 0;
  }
}
