// Owns the member `told` of records: what a model was told, as the ids of the memories and the digests of the sections that have them. Must
// never contain a text.

import { sha256 } from "../../platform/json/hash.ts";
import type { JsonObject } from "../../platform/json/json.ts";

/**
 * Members of a record; none without a section.
 * @param memories in their order in the request
 * @param sections as they are in the request, before JSON escapes them, in their order in it
 */
export function describeTold(
  memories: readonly { readonly id: string }[],
  sections: readonly string[],
): JsonObject {
  if (sections.length === 0) return {};
  const told = { memories: memories.map(({ id }) => id), sections: sections.map((each) => sha256(each)) };
  return { told };
}
