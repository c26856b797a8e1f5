// Owns what the events of a memory say together: what a change did not record follows from the events before. Pure.

import { matchesMetadata, toMetadataFilter } from "../memory/search/metadata-filter.ts";
import { isObject, type JsonObject } from "../platform/json/json.ts";
import type { MemoryEvent } from "./memory-events.ts";

/** A record with what it says about the memory; for a bulk deletion, its conditions. */
export interface MemoryRecord<Of> {
  readonly of: Of;
  readonly event: MemoryEvent;
  readonly conditions: JsonObject | null;
}

/**
 * Completes the events of a memory, oldest first: what a change did not record follows from the event before. A bulk deletion is an event if
 * the memory had its type, origin, tags and metadata then.
 */
export function completeEvents<Of>(records: readonly MemoryRecord<Of>[]): { of: Of; event: MemoryEvent }[] {
  const complete: { of: Of; event: MemoryEvent }[] = [];
  let state: JsonObject | null = null;
  for (const { of, event, conditions } of records) {
    if (conditions !== null && !(state !== null && meets(state, conditions))) continue;
    const follows: JsonObject | null = event.kind === "changed" ? difference(state, event.values) : null;
    complete.push({ of, event: { ...event, former: event.former ?? follows } });
    if (event.kind === "deleted") state = null;
    else if (event.values !== null) state = { ...(state ?? {}), ...event.values, ...keptBy(event.former) };
  }
  return complete;
}

/** A passage with another text or type is kept from then on. */
function keptBy(former: JsonObject | null): JsonObject {
  const isKept = former?.content !== undefined || former?.memory_type !== undefined;
  return isKept ? { origin: "kept" } : {};
}

function meets(state: JsonObject, { memory_type, origin, tags, metadata }: JsonObject): boolean {
  const held = Array.isArray(state.tags) ? state.tags : [];
  const isOfType = memory_type === undefined || memory_type === state.memory_type;
  return (
    isOfType &&
    (origin === undefined || origin === (state.origin ?? "kept")) &&
    (!Array.isArray(tags) || tags.every((tag) => held.includes(tag))) &&
    (!isObject(metadata) ||
      matchesMetadata(isObject(state.metadata) ? state.metadata : null, toMetadataFilter(metadata)))
  );
}

/** What differs, as it was before; null: not known. */
function difference(state: JsonObject | null, values: JsonObject | null): JsonObject | null {
  if (state === null || values === null) return null;
  const names = Object.keys(values).filter(
    (name) => state[name] !== undefined && JSON.stringify(state[name]) !== JSON.stringify(values[name]),
  );
  return Object.fromEntries(names.map((name) => [name, state[name] ?? null]));
}
