// Owns `--map`: which field of a memory is made of which field or column of any JSON Lines or CSV.

import type { Json, JsonObject } from "../../platform/json/json.ts";
import { isObject } from "../../platform/json/json.ts";
import { unknownReason } from "../../platform/text/suggestion.ts";
import type { Entry, FoundMemory } from "./entry.ts";
import { described, isNothing, tagged, toNumber, toSwitch, toTime, until } from "./values.ts";

const originFields = ["said_at", "name", "role", "conversation", "message"] as const;
const mappable = [
  "content",
  "memory_type",
  "importance",
  "expires_at",
  "tags",
  "metadata",
  "is_active",
  "source_id",
  "subject",
  "lead",
  ...originFields,
] as const;
type Mappable = (typeof mappable)[number];

/** What other programs call it. */
const otherNames: Readonly<Record<string, Mappable>> = {
  created: "said_at",
  created_at: "said_at",
  type: "memory_type",
  expires: "expires_at",
};

/** Names of members of the metadata. */
const metadataPrefix = "metadata.";

/** The fields of the source by those of a memory, such as `metadata.topic`. */
export type FieldMap = ReadonlyMap<string, string>;

export class InvalidMap extends Error {}

/** @param text such as `content=text,created=ts` @param known what earlier options have said @throws InvalidMap */
export function addToMap(text: string, known: FieldMap = new Map()): FieldMap {
  const map = new Map(known);
  for (const part of text.split(",")) {
    const [target = "", ...rest] = part.split("=");
    const source = rest.join("=").trim();
    const name = otherNames[target.trim()] ?? target.trim();
    if (source === "") throw new InvalidMap(`"${part}" is not a pair such as content=text.`);
    if (!isMappable(name)) throw new InvalidMap(`"${name}" ${unknownReason(name, mappable, "fields")}.`);
    if (map.has(name)) throw new InvalidMap(`"${name}" is mapped twice.`);
    map.set(name, source);
  }
  return map;
}

/** @throws InvalidMap */
export function requireContent(map: FieldMap): FieldMap {
  if (!map.has("content")) throw new InvalidMap("Say which field is the content, such as content=text.");
  return map;
}

/** What the source calls a field of a memory, such as "origins/0/said_at"; undefined: it is not mapped. */
export function sourceOf(field: string, map: FieldMap): string | undefined {
  const name = field.replace(/^origins\/0\//, "").replaceAll("/", ".");
  const [whole = ""] = name.split(".");
  return map.get(name) ?? map.get(whole);
}

function isMappable(name: string): boolean {
  return mappable.some((each) => each === name) || /^metadata\../.test(name);
}

export function mapRecord(line: number, record: JsonObject, map: FieldMap): Entry {
  const find = (name: Mappable): Json | undefined => {
    const source = map.get(name);
    const value = source === undefined ? undefined : fieldOf(record, source);
    return isNothing(value) ? undefined : value;
  };
  const content = find("content");
  if (content === undefined) return { line, fault: `has no "${map.get("content")}"` };
  const convert = (name: Mappable, to: (value: Json) => Json): FoundMemory | object => {
    const value = find(name);
    return value === undefined ? {} : { [name]: to(value) };
  };
  const said = originFields.flatMap((name) => {
    const value = find(name);
    if (value === undefined) return [];
    return [[name, name === "said_at" ? toTime(value) : name === "role" ? lower(value) : toText(value)]];
  });
  const memory: FoundMemory = {
    content,
    ...until(find("expires_at")),
    ...convert("memory_type", lower),
    ...convert("importance", toNumber),
    ...tagged(find("tags")),
    ...described(metadataOf(record, map)),
    ...convert("is_active", toSwitch),
    ...convert("source_id", toText),
    ...convert("subject", toText),
    ...convert("lead", toText),
    ...(said.length > 0 && { origins: [Object.fromEntries(said)] }),
  };
  return { line, memory };
}

function metadataOf(record: JsonObject, map: FieldMap): Json | undefined {
  const source = map.get("metadata");
  const whole = source === undefined ? undefined : fieldOf(record, source);
  const parts = [...map].flatMap(([name, from]) => {
    const value = name.startsWith(metadataPrefix) ? fieldOf(record, from) : undefined;
    return isNothing(value) ? [] : [[name.slice(metadataPrefix.length), value]];
  });
  if (parts.length === 0) return whole;
  const { metadata } = described(whole);
  return isObject(metadata ?? {})
    ? { ...(isObject(metadata) && metadata), ...Object.fromEntries(parts) }
    : whole;
}

/** A field, or with full stops a field within objects; undefined: there is none. */
export function fieldOf(record: JsonObject, path: string): Json | undefined {
  if (Object.hasOwn(record, path)) return record[path];
  let value: Json | undefined = record;
  for (const name of path.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

const toText = (value: Json): Json => (typeof value === "number" ? String(value) : value);
const lower = (value: Json): Json => (typeof value === "string" ? value.trim().toLowerCase() : value);
