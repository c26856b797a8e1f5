// Owns the JSON types and the question whether a value is I-JSON (RFC 7493), which is what the ledger can hash.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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

/** Where the first string or name is that is not well-formed Unicode, as a path such as `metadata/0/name`; null: nowhere. */
export function findLoneSurrogate(value: unknown, path = ""): string | null {
  if (typeof value === "string") return value.isWellFormed() ? null : path;
  if (typeof value !== "object" || value === null) return null;
  for (const [name, item] of Object.entries(value)) {
    const place = path === "" ? name : `${path}/${name}`;
    const found = name.isWellFormed() ? findLoneSurrogate(item, place) : place;
    if (found !== null) return found;
  }
  return null;
}
