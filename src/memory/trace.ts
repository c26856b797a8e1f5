// Owns what an audit record tells about memories: derived from the call's request and answer, never stored twice.

import { isObject, type Json, type JsonObject } from "../json.ts";
import { sourceOf } from "./rank.ts";

export interface MemoryTrace {
  /** memory_query, from the request body. */
  query(body: JsonObject): readonly string[] | null;
  /** memory_results, from the `data` of the answer. */
  results(data: Json): readonly Json[] | null;
}

const traces: Readonly<Record<string, MemoryTrace>> = {
  "memory.create": { query: textOf("content"), results: directResult },
  "memory.read": { query: () => null, results: directResult },
  "memory.update": { query: textOf("content"), results: directResult },
  "memory.extract": { query: textOf("text"), results: storedResults },
  "memory.search": { query: textOf("query"), results: searchResults },
  "memory.inject": { query: textOf("query"), results: injectedResults },
};
const noTrace: MemoryTrace = { query: () => null, results: () => null };

export function traceOf(action: string): MemoryTrace {
  return traces[action] ?? noTrace;
}

/** The named text of the request; null when the request does not hold it. */
function textOf(field: "content" | "query" | "text") {
  return (body: JsonObject): readonly string[] | null => {
    const text = body[field];
    return typeof text === "string" ? [text] : null;
  };
}

/** memory_results of operations that name one memory: the memory itself, without scores. */
function directResult(data: Json): readonly Json[] | null {
  return isObject(data) ? [summarise(data, "direct")] : null;
}

/** memory_results of an extraction: the memories that it stored, without scores; a dry run stores none. */
function storedResults(data: Json): readonly Json[] | null {
  if (!isObject(data) || !Array.isArray(data.extracted)) return null;
  const stored = data.extracted
    .filter(isObject)
    .filter(({ id, action }) => typeof id === "string" && action !== "skipped");
  return stored.map((item) => summarise(item, "direct"));
}

/** memory_results of a search: its hits with their scores. */
function searchResults(data: Json): readonly Json[] | null {
  if (!isObject(data) || !Array.isArray(data.results)) return null;
  return data.results.filter(isObject).map((hit) => ({
    ...(isObject(hit.memory) ? summarise(hit.memory, sourceOfHit(hit)) : {}),
    similarity: hit.similarity ?? null,
    final_score: hit.final_score ?? null,
  }));
}

/** memory_results of an injection: its rules, which nobody had to find, then its hits. */
function injectedResults(data: Json): readonly Json[] | null {
  if (!isObject(data) || !Array.isArray(data.rules)) return null;
  return [
    ...data.rules.filter(isObject).map((rule) => summarise(rule, "direct")),
    ...(searchResults(data) ?? []),
  ];
}

function sourceOfHit({ score_details: details }: JsonObject): string {
  if (!isObject(details)) return "semantic";
  return sourceOf({ similarity: Number(details.similarity), keyword: Number(details.keyword) });
}

function summarise(memory: JsonObject, source: string): JsonObject {
  const { id = null, content = null, memory_type = null, importance = null } = memory;
  return { id, content, memory_type, importance, source };
}
