// Owns the fields of an audit record that concern memories: memory_query and memory_results. They are derived from the request and
// the response when a record is read, and are never stored a second time.

import { utterancesIn } from "../memory/extraction/messages.ts";
import { finalScore, sourceOf } from "../memory/ranking/scores.ts";
import { queryOf } from "../memory/search/message-query.ts";
import { isObject, type Json, type JsonObject, objectsIn } from "../platform/json/json.ts";
import { importanceDefault } from "../platform/limits.ts";
import type { MemoryResult } from "./result-items.ts";

/** The parts of a successful call's record that these fields are derived from. */
interface AuditedCall {
  /** The `data` of the response; null when it has none. */
  readonly data: Json;
  /** The memory that the call named. */
  readonly memoryId: string | null;
  /** The body of the request; null when it was not recorded. */
  readonly body: JsonObject | null;
  /** The record's `deleted_memory`; null for every call but a deletion. */
  readonly deleted: JsonObject | null;
  /** The record's `deleted_memories`, of a call that deletes several by their ids; else empty. */
  readonly deletedMemories: readonly JsonObject[];
}

interface MemoryAuditFields {
  /** memory_query, from the request body. */
  query(body: JsonObject): readonly string[] | null;
  /** memory_results. */
  results(call: AuditedCall): readonly MemoryResult[] | null;
}

const fieldsByAction: Readonly<Record<string, MemoryAuditFields>> = {
  "memory.create": { query: textOf("content"), results: directResult },
  "memory.create_batch": { query: contentsOfBatch, results: batchResults },
  "memory.list": { query: () => null, results: listedResults },
  "memory.export": { query: () => null, results: listedResults },
  "memory.read": { query: () => null, results: directResult },
  "memory.put": { query: textOf("content"), results: directResult },
  "memory.update": { query: textOf("content"), results: directResult },
  "memory.update_batch": { query: newContents, results: () => null },
  "memory.delete_batch": { query: () => null, results: deletedResults },
  "memory.delete": { query: () => null, results: deletedResult },
  "memory.extract": { query: inputOfExtraction, results: storedResults },
  "memory.search": { query: textOf("query"), results: searchResults },
  "memory.inject": { query: queryOfInjection, results: injectedResults },
};
const noFields: MemoryAuditFields = { query: () => null, results: () => null };

export function memoryAuditFields(action: string): MemoryAuditFields {
  return fieldsByAction[action] ?? noFields;
}

/** The text in this field of the request; null when the request does not have it. */
function textOf(field: "content" | "query" | "text") {
  return (body: JsonObject): readonly string[] | null => {
    const text = body[field];
    return typeof text === "string" ? [text] : null;
  };
}

/** The text, or what users and assistants say in the messages. */
function inputOfExtraction(body: JsonObject): readonly string[] | null {
  const texts = utterancesIn(body.messages).map(({ text }) => text);
  return textOf("text")(body) ?? (texts.length === 0 ? null : texts);
}

/** The query, or the one that follows from the messages. */
function queryOfInjection(body: JsonObject): readonly string[] | null {
  const made = queryOf(utterancesIn(body.messages));
  return textOf("query")(body) ?? (made === null ? null : [made]);
}

/** For operations on one memory: that memory. */
function directResult({ data }: AuditedCall): readonly MemoryResult[] | null {
  return isObject(data) ? [toDirect(data)] : null;
}

/** The contents of the items that have one. */
function contentsOfBatch({ memories }: JsonObject): readonly string[] | null {
  const contents = objectsIn(memories).map(({ content }) => content);
  return contents.filter((content) => typeof content === "string");
}

/** The contents that the items change; null: no item changes its content. */
function newContents(body: JsonObject): readonly string[] | null {
  const contents = contentsOfBatch(body) ?? [];
  return contents.length === 0 ? null : contents;
}

/** For a batch: the memories that it created. Their contents are in the request only. */
function batchResults({ data, body }: AuditedCall): readonly MemoryResult[] | null {
  if (!isObject(data) || !Array.isArray(data.results) || body === null || !Array.isArray(body.memories))
    return null;
  const items = body.memories;
  return objectsIn(data.results)
    .filter(({ status }) => status === "created")
    .flatMap(({ index, id }) => {
      const item = items[Number(index)];
      return isObject(item) ? toDirect({ importance: importanceDefault, ...item, id: id ?? null }) : [];
    });
}

/** For a list: the memories of the page. */
function listedResults({ data }: AuditedCall): readonly MemoryResult[] | null {
  if (!isObject(data) || !Array.isArray(data.memories)) return null;
  return data.memories.filter(isObject).map(toDirect);
}

/** For a deletion: the deleted memory, without its content. */
function deletedResult({ memoryId, deleted }: AuditedCall): readonly MemoryResult[] | null {
  return memoryId === null || deleted === null ? null : [toDirect({ ...deleted, id: memoryId, content: "" })];
}

/** For a deletion of several: the same of each. */
function deletedResults({ deletedMemories }: AuditedCall): readonly MemoryResult[] {
  return deletedMemories.map((memory) => toDirect({ ...memory, content: "" }));
}

/** For an extraction: the memories that it stored; a dry run stores none. */
function storedResults({ data }: AuditedCall): readonly MemoryResult[] | null {
  if (!isObject(data) || !Array.isArray(data.extracted)) return null;
  const stored = data.extracted
    .filter(isObject)
    .filter(({ id, action }) => typeof id === "string" && action !== "skipped");
  return stored.flatMap((item) => [
    toDirect(item),
    ...(isObject(item.former) ? [toDirect({ ...item, ...item.former })] : []),
  ]);
}

/** For a search: its hits with their scores. */
function searchResults({ data }: Pick<AuditedCall, "data">): readonly MemoryResult[] | null {
  if (!isObject(data) || !Array.isArray(data.results)) return null;
  return data.results.filter(isObject).map((hit) => ({
    ...describe(isObject(hit.memory) ? hit.memory : {}),
    similarity: Number(hit.similarity),
    final_score: Number(hit.final_score),
    source: sourceOfHit(hit),
  }));
}

/** For an injection: its rules, then its hits with their scores, then what was said next to them. */
function injectedResults({ data }: AuditedCall): readonly MemoryResult[] | null {
  if (!isObject(data) || !Array.isArray(data.rules)) return null;
  const neighbours = objectsIn(data.neighbours).map(toDirect);
  return [...data.rules.filter(isObject).map(toDirect), ...(searchResults({ data }) ?? []), ...neighbours];
}

function sourceOfHit({ score_details: details }: JsonObject): string {
  if (!isObject(details)) return "semantic";
  if (typeof details.recency === "number") return "importance";
  return sourceOf({ similarity: Number(details.similarity), keyword: Number(details.keyword) });
}

/**
 * A memory that was not found by a search. The contract requires numbers for its scores: a memory is identical to itself, so the
 * similarity is 1, and the final score follows from the formula.
 */
function toDirect(memory: JsonObject): MemoryResult {
  const item = describe(memory);
  return { ...item, similarity: 1, final_score: finalScore(1, item.importance), source: "direct" };
}

/** The content of a memory may have been erased. */
function describe({ id, content, memory_type, importance }: JsonObject) {
  return {
    id: String(id),
    content: String(content ?? ""),
    memory_type: String(memory_type),
    importance: Number(importance),
  };
}
