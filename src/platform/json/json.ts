// Owns the JSON types and the check whether a value is I-JSON (RFC 7493), which the ledger requires for hashing.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Those of an array that are objects; none if it is no array. */
export function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The value of a text from a source that no limit is needed for; undefined: the text is not JSON. Bodies of calls need `parseJson`. */
export function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether every string is well-formed Unicode and every number finite, down to `depth` levels. */
export function isInteroperable(value: unknown, depth = 64): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  return Array.isArray(value)
    ? value.every((item) => isInteroperable(item, depth - 1))
    : Object.entries(value).every(([name, item]) => name.isWellFormed() && isInteroperable(item, depth - 1));
}

/** The path of the first string or name that is not well-formed Unicode, such as `metadata/0/name`; null: all are well-formed. */
export function findLoneSurrogate(value: unknown, path = ""): string | null {
  if (typeof value === "string") return value.isWellFormed() ? null : path;
  if (typeof value !== "object" || value === null) return null;
  for (const [name, item] of Object.entries(value)) {
    const itemPath = path === "" ? name : `${path}/${name}`;
    const found = name.isWellFormed() ? findLoneSurrogate(item, itemPath) : itemPath;
    if (found !== null) return found;
  }
  return null;
}

/** Null: the value is no text. */
export function textIn(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}
