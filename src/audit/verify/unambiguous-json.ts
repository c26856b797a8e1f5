// Owns parsing JSON texts in which no object names a member twice.

import type { Json } from "../../platform/json/json.ts";

/**
 * The value of a JSON text; undefined when it is not JSON, or names a member twice: readers disagree about which of the two counts.
 */
export function parseUnambiguousJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return countMembers(value) === countNames(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Number of members of all objects in a value. */
function countMembers(value: Json): number {
  if (typeof value !== "object" || value === null) return 0;
  const items = Array.isArray(value) ? value : Object.values(value);
  const own = Array.isArray(value) ? 0 : items.length;
  return items.reduce<number>((sum, item) => sum + countMembers(item), own);
}

const stringOrName = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/** Number of member names in a JSON text, repeated names included. */
function countNames(text: string): number {
  let names = 0;
  for (const [, colon] of text.matchAll(stringOrName)) if (colon !== undefined) names += 1;
  return names;
}
