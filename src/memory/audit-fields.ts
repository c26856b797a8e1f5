// Owns what an audit record tells about memories: derived from the call's request and answer, never stored twice.

import type { MemoryResult } from "../audit/result-items.ts";
import { isObject, type Json, type JsonObject } from "../json/json.ts";
import { finalScore, sourceOf } from "../ranking/scores.ts";

/** What the record of a call that succeeded holds about memories. */
export interface AuditedCall {
  /** The `data` of the answer; null where there is none. */
  readonly data: Json;
  /** The memory that the call named. */
  readonly memoryId: string | null;
  /** What the record keeps of a memory that was deleted; null for other calls. */
  readonly deleted: JsonObject | null;
}

export interface MemoryAuditFields {
  /** memory_query, from the request body. */
  query(body: JsonObject): readonly string[] | null;
  /** memory_results. */
  results(call: AuditedCall): readonly MemoryResult[] | null;
}

const fieldsByAction: Readonly<Record<string, MemoryAuditFields>> = {
  "memory.create": { query: textOf("content"), results: directResult },
  "memory.list": { query: () => null, results: listedResults },
  "memory.read": { query: () => null, results: directResult },
  "memory.update": { query: textOf("content"), results: directResult },
  "memory.delete": { query: () => null, results: deletedResult },
  "memory.extract": { query: textOf("text"), results: storedResults },
  "memory.search": { query: textOf("query"), results: searchResults },
  "memory.inject": { query: textOf("query"), results: injectedResults },
};
const noFields: MemoryAuditFields = { query: () => null, results: () => null };

export function memoryAuditFields(action: string): MemoryAuditFields {
  return fieldsByAction[action] ?? noFields;
}

/** The named text of the request; null when the request does not hold it. */
function textOf(field: "content" | "query" | "text") {
  return (body: JsonObject): readonly string[] | null => {
    const text = body[field];
    return typeof text === "string" ? [text] : null;
  };
}

/** Of operations that name one memory: the memory itself. */
function directResult({ data }: AuditedCall): readonly MemoryResult[] | null {
  return isObject(data) ? [toDirect(data)] : null;
}

/** Of a list: the memories of the page. */
function listedResults({ data }: AuditedCall): readonly MemoryResult[] | null {
  if (!isObject(data) || !Array.isArray(data.memories)) return null;
  return data.memories.filter(isObject).map(toDirect);
}

/** Of a deletion: which memory it was, without its content. */
function deletedResult({ memoryId, deleted }: AuditedCall): readonly MemoryResult[] | null {
  return memoryId === null || deleted === null ? null : [toDirect({ ...deleted, id: memoryId, content: "" })];
}

/** Of an extraction: the memories that it stored; a dry run stores none. */
function storedResults({ data }: AuditedCall): readonly MemoryResult[] | null {
  if (!isObject(data) || !Array.isArray(data.extracted)) return null;
  const stored = data.extracted
    .filter(isObject)
    .filter(({ id, action }) => typeof id === "string" && action !== "skipped");
  return stored.map(toDirect);
}

/** Of a search: its hits with their scores. */
function searchResults({ data }: Pick<AuditedCall, "data">): readonly MemoryResult[] | null {
  if (!isObject(data) || !Array.isArray(data.results)) return null;
  return data.results.filter(isObject).map((hit) => ({
    ...describe(isObject(hit.memory) ? hit.memory : {}),
    similarity: Number(hit.similarity),
    final_score: Number(hit.final_score),
    source: sourceOfHit(hit),
  }));
}

/** Of an injection: its rules, which nobody had to find, then its hits. */
function injectedResults({ data }: AuditedCall): readonly MemoryResult[] | null {
  if (!isObject(data) || !Array.isArray(data.rules)) return null;
  return [...data.rules.filter(isObject).map(toDirect), ...(searchResults({ data }) ?? [])];
}

function sourceOfHit({ score_details: details }: JsonObject): string {
  if (!isObject(details)) return "semantic";
  return sourceOf({ similarity: Number(details.similarity), keyword: Number(details.keyword) });
}

/**
 * A memory that was not searched for. The contract has numbers for its scores: nothing is more similar to the memory that was meant
 * than the memory itself, so the similarity is 1, and the final score is what the formula gives for it.
 */
function toDirect(memory: JsonObject): MemoryResult {
  const item = describe(memory);
  return { ...item, similarity: 1, final_score: finalScore(1, item.importance), source: "direct" };
}

function describe({ id, content, memory_type, importance }: JsonObject) {
  return {
    id: String(id),
    content: String(content),
    memory_type: String(memory_type),
    importance: Number(importance),
  };
}
