// Owns the form of received JSON in audit records: large base64 data is replaced by media type, length and SHA-256, and what I-JSON
// (RFC 7493) cannot express by text. Must never replace what somebody has written as text.

import { isObject, type Json, type JsonObject, textIn } from "../platform/json/json.ts";
import { isExact } from "../platform/json/json-number.ts";
import type { RequestBody } from "./dialects/request-body.ts";
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

/** The value of a text that is valid JSON. A number that a double cannot represent is the string of its digits. */
export function toRecorded({ text, value }: Pick<RequestBody, "text" | "value">): JsonObject {
  const recorded = toRecordedValue(mayHaveInexact.test(text) ? readWithDigits(text) : value);
  return isObject(recorded) ? recorded : {};
}

/** Fewer digits without an exponent are exact (json-number.ts). The pattern also finds digits in strings, which costs only time. */
const mayHaveInexact = /[0-9.]{16}|[0-9][eE]/;

function readWithDigits(text: string): Json {
  return JSON.parse(text, (_name, value: Json, { source = "" }: { readonly source?: string } = {}) =>
    typeof value === "number" && !isExact(source, 0, source.length) ? source : value,
  );
}

/** The same for a value that is already read, such as a part of an answer. What needs no change is not copied. */
export function toRecordedValue(value: Json): Json {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed();
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(toRecordedValue);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  return isObject(value) ? toRecordedObject(value) : value;
}

function toRecordedObject(object: JsonObject): JsonObject {
  const type = typeMembers.map((name) => object[name]).find((each) => typeof each === "string");
  let isChanged = false;
  const entries = Object.entries(object).map(([name, value]): [string, Json] => {
    const data = isLargeText(value) && dataMembers.has(name) ? digestOf(value, textIn(type)) : null;
    const member: [string, Json] = [name.toWellFormed(), data ?? toRecordedValue(value)];
    isChanged ||= member[0] !== name || member[1] !== value;
    return member;
  });
  return isChanged ? Object.fromEntries(entries) : object;
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
  return describeData(Buffer.from(data, "base64"), mediaType ?? type);
}

/** How data that the record does not contain is recorded. */
export function describeData(bytes: Uint8Array, type: string | null): JsonObject {
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  return { media_type: type, bytes: bytes.length, sha256 };
}
