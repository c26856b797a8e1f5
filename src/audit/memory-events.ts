// Owns what a record says about one memory: who made, changed, deleted or found it, its values then, and what they were before. Pure.

import { toTags } from "../memory/tags.ts";
import { changeableFields } from "../memory/values.ts";
import { isObject, type Json, type JsonObject, objectsIn } from "../platform/json/json.ts";
import { importanceDefault } from "../platform/limits.ts";
import type { AuditRecordDetail } from "./record-schema.ts";

export const memoryEventKinds = ["created", "changed", "deleted", "found", "injected", "read"] as const;
export type MemoryEventKind = (typeof memoryEventKinds)[number];

/** What a record says about a memory. */
export interface MemoryEvent {
  readonly kind: MemoryEventKind;
  /** Values of the memory after the call, as far as the record has them; null: it has none. */
  readonly values: JsonObject | null;
  /** What the changed fields were before; null: not known. */
  readonly former: JsonObject | null;
  /** The sentence from which an extraction took the content. */
  readonly evidence: string | null;
  /** Id of the record of the conversation of which an extraction made the memory; null: not known. */
  readonly source_record: string | null;
  readonly similarity: number | null;
  readonly final_score: number | null;
}

/** What is read of a record. `payload` has members that the API shows in no other place. */
export interface MentioningRecord {
  readonly detail: Pick<
    AuditRecordDetail,
    "action" | "memory_id" | "is_success" | "request_body" | "response_body" | "memory_results"
  >;
  readonly previousValues: Json | undefined;
  readonly madeOf?: Json | undefined;
}

/** Actions whose entry names the memory. */
export const namingActions = {
  changes: ["memory.create", "memory.put", "memory.update", "memory.delete"],
  uses: ["memory.read"],
} as const;

/** Actions whose payload may name the memory. */
export const mentioningActions = {
  changes: [
    "memory.create_batch",
    "memory.update_batch",
    "memory.delete_batch",
    "memory.extract",
    "suggestion.accept",
    "suggestion.accept_batch",
    "suggestion.merge",
  ],
  uses: ["memory.search", "memory.inject"],
} as const;

/** Deletes by conditions: its record names no memory. */
export const bulkDeletion = "memory.delete_all";

const nothing = {
  values: null,
  former: null,
  evidence: null,
  source_record: null,
  similarity: null,
  final_score: null,
};

/** Null: the call did nothing with the memory. */
export function toMemoryEvent(record: MentioningRecord, id: string): MemoryEvent | null {
  const { detail } = record;
  if (!detail.is_success) return null;
  const response = isObject(detail.response_body) ? detail.response_body.data : null;
  const data = isObject(response) ? response : {};
  const result = objectsIn(data.results).find((each) => each.id === id);
  switch (detail.action) {
    case "memory.create":
      return { ...nothing, kind: "created", values: memoryIn(data) };
    case "memory.read":
      return { ...nothing, kind: "read" };
    case "memory.put":
      return putEvent(data, record.previousValues);
    case "memory.update": {
      const former = isObject(record.previousValues) ? record.previousValues : null;
      return { ...nothing, kind: "changed", values: memoryIn(data), former };
    }
    case "memory.delete":
      return { ...nothing, kind: "deleted" };
    case "memory.delete_batch":
      return result?.status === "deleted" ? { ...nothing, kind: "deleted" } : null;
    case "memory.create_batch":
      if (result?.status !== "created") return null;
      return { ...nothing, kind: "created", values: itemOf(detail, result) };
    case "memory.update_batch":
      return result?.status === "updated" ? changedInBatch(detail, result) : null;
    case "memory.extract":
      return extracted(data, id, record);
    case "suggestion.accept":
    case "suggestion.merge":
      return acceptedEvent([data], id);
    case "suggestion.accept_batch":
      return acceptedEvent(objectsIn(data.results), id);
    case "memory.search":
    case "memory.inject":
      return used(detail, id);
    default:
      return null;
  }
}

/** Only a memory that was there has previous values; without any, nothing was changed. */
function putEvent(data: JsonObject, former: Json | undefined): MemoryEvent | null {
  if (!isObject(former)) return { ...nothing, kind: "created", values: memoryIn(data) };
  if (Object.keys(former).length === 0) return null;
  return { ...nothing, kind: "changed", values: memoryIn(data), former };
}

/** An item may update a memory that an item of the same call has created. */
function extracted(data: JsonObject, id: string, { detail, madeOf }: MentioningRecord): MemoryEvent | null {
  const items = objectsIn(data.extracted).filter((item) => item.id === id && item.action !== "skipped");
  const former = objectsIn(data.extracted).find(
    (item) => isObject(item.former) && item.former.id === id,
  )?.former;
  if (isObject(former))
    return { ...nothing, kind: "created", values: valuesOf({ is_active: true, ...former }) };
  const newer = objectsIn(data.extracted).find((item) => supersededBy(item).includes(id));
  const superseded = newer === undefined ? {} : { is_active: false, superseded_by: newer.id ?? null };
  const last = items.at(-1);
  if (last === undefined) {
    if (newer === undefined) return null;
    return { ...nothing, kind: "changed", values: superseded, former: { is_active: true } };
  }
  const kind = items.some(({ action }) => action === "created") ? "created" : "changed";
  const evidence = typeof last.evidence === "string" ? last.evidence : null;
  const added = kind === "created" ? { is_active: true, metadata: metadataIn(detail.request_body) } : {};
  const said = last.origin === undefined ? {} : { origin: last.origin };
  const values = { ...valuesOf({ tags: [], ...added, ...last }), ...said, ...superseded };
  const source = objectsIn(madeOf).find(({ memory }) => memory === id)?.record;
  return { ...nothing, kind, values, evidence, source_record: typeof source === "string" ? source : null };
}

/** An accepted suggestion is about a version of the memory, so one call changes it once. */
function acceptedEvent(accepted: readonly JsonObject[], id: string): MemoryEvent | null {
  const found = accepted.flatMap((each) => objectsIn(each.changes)).find((each) => each.id === id);
  if (found === undefined) return null;
  const { change, before, after } = found;
  if (change === "deleted") return { ...nothing, kind: "deleted" };
  const values = isObject(after) ? after : null;
  if (change === "created") return { ...nothing, kind: "created", values };
  return { ...nothing, kind: "changed", values, former: isObject(before) ? before : null };
}

/** The memories that are inactive because of an item. Previous versions have listed the ids. */
function supersededBy({ supersedes, replaces }: JsonObject): readonly Json[] {
  const replaced = objectsIn(replaces).filter(({ status }) => status === "replaced");
  return [...textsIn(supersedes), ...replaced.map(({ id = null }) => id)];
}

function used({ action, memory_results }: MentioningRecord["detail"], id: string): MemoryEvent | null {
  const results: Json = memory_results ?? null;
  const found = (Array.isArray(results) ? objectsIn(results) : []).find((each) => each.id === id);
  if (found === undefined) return null;
  const kind = action === "memory.inject" ? "injected" : "found";
  // Rules are injected without a comparison.
  const isCompared = found.source !== "direct";
  return {
    ...nothing,
    kind,
    similarity: isCompared ? Number(found.similarity) : null,
    final_score: isCompared ? Number(found.final_score) : null,
  };
}

/** The item of the request, to which the result belongs. */
function itemOf({ request_body }: MentioningRecord["detail"], { index }: JsonObject): JsonObject | null {
  const items = isObject(request_body) ? request_body.memories : null;
  const item = Array.isArray(items) ? items[Number(index)] : null;
  if (!isObject(item)) return null;
  const defaults = {
    importance: importanceDefault,
    is_active: true,
    expires_at: null,
    tags: [],
    metadata: null,
  };
  return valuesOf({ ...defaults, ...item });
}

/** The values follow from the item and, for tags that are added or removed, from those before. */
function changedInBatch(
  { request_body }: MentioningRecord["detail"],
  { index, former }: JsonObject,
): MemoryEvent {
  const items = isObject(request_body) ? request_body.memories : null;
  const item = Array.isArray(items) ? items[Number(index)] : null;
  const event = { ...nothing, kind: "changed" as const, former: isObject(former) ? former : null };
  if (!isObject(item)) return event;
  const before = textsIn(isObject(former) ? former.tags : null);
  const removed = textsIn(item.remove_tags);
  const isTagged = item.add_tags !== undefined || item.remove_tags !== undefined;
  const tags = toTags([...before.filter((tag) => !removed.includes(tag)), ...textsIn(item.add_tags)]);
  const hasChangedTags = isObject(former) && former.tags !== undefined;
  return {
    ...event,
    values: valuesOf({ ...item, ...(isTagged && hasChangedTags ? { tags: [...tags] } : {}) }),
  };
}

function textsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** The values of a whole memory; null: the payload was erased. */
function memoryIn(data: JsonObject): JsonObject | null {
  return typeof data.content !== "string" ? null : valuesOf({ tags: [], metadata: null, ...data });
}

/** As a memory shows it: an empty object is none. */
function metadataIn(fields: Json | undefined): Json {
  const metadata = isObject(fields) ? fields.metadata : null;
  return isObject(metadata) && Object.keys(metadata).length > 0 ? metadata : null;
}

function valuesOf(fields: JsonObject): JsonObject | null {
  const known = changeableFields.filter((name) => fields[name] !== undefined);
  return known.length === 0
    ? null
    : Object.fromEntries(
        known.map((name) => [name, name === "metadata" ? metadataIn(fields) : (fields[name] ?? null)]),
      );
}

/** As an event, if it deleted the memory. */
export const bulkDeletionEvent: MemoryEvent = { ...nothing, kind: "deleted" };
