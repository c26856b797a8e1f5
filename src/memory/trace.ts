// Owns what an audit record tells about memories: derived from the call's request and answer, never stored twice.

import { isObject, type Json, type JsonObject } from "../json.ts";
import type { MemoryTrace } from "../operation.ts";

export const noTrace: MemoryTrace = { query: () => null, results: () => null };

/** memory_query is the named text of the request; null when the request does not hold it. */
export function queryOf(field: "content" | "query" | "text") {
  return (body: JsonObject): readonly string[] | null => {
    const text = body[field];
    return typeof text === "string" ? [text] : null;
  };
}

/** memory_results of operations that name one memory: the memory itself, without scores. */
export function directResult(data: Json): readonly Json[] | null {
  return isObject(data) ? [summarise(data, "direct")] : null;
}

/** memory_results of a search: its hits with their scores. */
export function searchResults(data: Json): readonly Json[] | null {
  if (!isObject(data) || !Array.isArray(data.results)) return null;
  return data.results.filter(isObject).map((hit) => ({
    ...(isObject(hit.memory) ? summarise(hit.memory, "semantic") : {}),
    similarity: hit.similarity ?? null,
    final_score: hit.final_score ?? null,
  }));
}

function summarise(memory: JsonObject, source: string): JsonObject {
  const { id = null, content = null, memory_type = null, importance = null } = memory;
  return { id, content, memory_type, importance, source };
}
