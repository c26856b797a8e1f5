// Owns the metadata of memories: what an application says about a memory in its own names. Its schemas, its canonical form, and which
// memories a filter matches. Knows no storage.

import { Type } from "@sinclair/typebox";
import { fieldRefusal, type Refusal } from "../platform/errors.ts";
import { canonical } from "../platform/json/hash.ts";
import { isObject, type JsonObject } from "../platform/json/json.ts";
import {
  memoryMetadataMaxBytes,
  memoryMetadataMembersMax,
  memoryMetadataNameMaxCharacters,
} from "../platform/limits.ts";
import { countCharacters, shortenName } from "../platform/text/characters.ts";
import { hasControlCharacter } from "../platform/text/label.ts";

/** Names of members, for readers of the schema: what nameFault refuses. */
export const memberNames = {
  minLength: 1,
  maxLength: memoryMetadataNameMaxCharacters,
  pattern: "^[^\\x00-\\x1f\\x7f-\\x9f]*$",
};

export const metadata = Type.Object(
  {},
  {
    title: "Metadata",
    maxProperties: memoryMetadataMembersMax,
    propertyNames: memberNames,
    description: `What an application says about a memory in its own names: a JSON object with up to ${memoryMetadataMembersMax} members, in at most ${memoryMetadataMaxBytes} bytes of JSON without white space. A name has 1 to ${memoryMetadataNameMaxCharacters} characters, without control characters. {} is no metadata.`,
    examples: [{ user: "u-17", priority: 2 }],
  },
);

/** Of a memory that is created or changed. `description` says what the operation does with it. */
export function NewMetadata(description: string) {
  return Type.Optional(Type.Union([metadata, Type.Null()], { description }));
}

/**
 * Its members in the order of RFC 8785, so that equal metadata has one text; null: the memory has none. An empty object is none, too.
 * @throws Refusal 1400 that says what is wrong with `metadata`
 */
export function toMetadata(value: object | null | undefined): JsonObject | null {
  if (!isObject(value) || Object.keys(value).length === 0) return null;
  for (const name of Object.keys(value)) {
    const fault = nameFault(name);
    if (fault !== null) throw metadataRefusal([name], `has a name that ${fault}`);
  }
  const text = canonical(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > memoryMetadataMaxBytes)
    throw metadataRefusal([], `has ${bytes} bytes as JSON; the maximum is ${memoryMetadataMaxBytes}`);
  const members: JsonObject = JSON.parse(text);
  return members;
}

/** Why a name is refused; null: it is valid. */
export function nameFault(name: string): string | null {
  if (name === "") return "is empty";
  if (countCharacters(name) > memoryMetadataNameMaxCharacters)
    return `is longer than ${memoryMetadataNameMaxCharacters} characters`;
  return hasControlCharacter(name) ? "contains a control character; remove it" : null;
}

/** @param path of the value at fault in the field `metadata`; empty: the whole object is at fault */
export function metadataRefusal(path: readonly (string | number)[], reason: string): Refusal {
  const field = ["metadata", ...path.map((name) => shortenName(String(name)))].join("/");
  return fieldRefusal(field, reason);
}
