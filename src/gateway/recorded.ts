// Owns the form of received JSON in audit records: large base64 data is replaced by media type, length and SHA-256, and what I-JSON
// (RFC 7493) cannot express by text. Must never replace what somebody has written as text.

import type { Node } from "jsonc-parser";
import { isObject, type Json, type JsonObject } from "../json/json.ts";
import { isExact } from "../json/json-number.ts";
import { recordedBase64MinCharacters } from "./limits.ts";

/** Members that hold base64, or a URL that may contain it, in the three APIs. */
const dataMembers: ReadonlySet<string> = new Set([
  "data",
  "file_data",
  "file_url",
  "url",
  "image_url",
  "b64_json",
  "result",
  "partial_image_b64",
]);

/** Members beside the data that say what it is. */
const typeMembers = ["media_type", "mime_type", "format", "output_format"] as const;

/** The value of a node. A number that a double cannot represent is the string of its digits. */
export function toRecorded(text: string, node: Node): Json {
  switch (node.type) {
    case "object": {
      const members = (node.children ?? []).map(({ children: [name, value] = [] }): [string, Json] => {
        return [String(name?.value).toWellFormed(), value === undefined ? null : toRecorded(text, value)];
      });
      return withoutData(Object.fromEntries(members));
    }
    case "array":
      return (node.children ?? []).map((item) => toRecorded(text, item));
    case "string":
      return String(node.value).toWellFormed();
    case "number": {
      const end = node.offset + node.length;
      return isExact(text, node.offset, end) ? Number(node.value) : text.slice(node.offset, end);
    }
    case "boolean":
      return node.value === true;
    default:
      return null;
  }
}

/** The same for a value that is already read, such as a part of an answer. */
export function toRecordedValue(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value)) return value.map(toRecordedValue);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, item]): [string, Json] => {
    return [name.toWellFormed(), toRecordedValue(item)];
  });
  return withoutData(Object.fromEntries(members));
}

function withoutData(object: JsonObject): JsonObject {
  const type = typeMembers.map((name) => object[name]).find((each) => typeof each === "string");
  const entries = Object.entries(object);
  if (!entries.some(([name, value]) => isLargeText(value) && dataMembers.has(name))) return object;
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (!dataMembers.has(name) || !isLargeText(value)) return [name, value];
      return [name, digestOf(value, typeof type === "string" ? type : null) ?? value];
    }),
  );
}

function isLargeText(value: Json): value is string {
  return typeof value === "string" && value.length >= recordedBase64MinCharacters;
}

/** RFC 2397. The pattern reads the beginning only. */
const dataUrl = /^data:([^;,]{0,100})(?:;[^;,]{0,100}){0,4};base64,/i;
const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Null for a text that is not base64. The digest is that of the decoded bytes, so it can be compared with that of the file. */
function digestOf(text: string, type: string | null): JsonObject | null {
  const [prefix = "", mediaType = null] = dataUrl.exec(text) ?? [];
  const data = prefix === "" ? text : text.slice(prefix.length);
  if (!base64.test(data)) return null;
  const bytes = Buffer.from(data, "base64");
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  return { media_type: mediaType ?? type, bytes: bytes.length, sha256 };
}
