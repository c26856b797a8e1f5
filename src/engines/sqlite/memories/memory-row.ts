// Owns the row of a memory: its columns, which rows a client may see, and what becomes of them. Changes nothing.

import { type Kind, typeOf } from "../../../memory/kind.ts";
import type { Memory } from "../../../memory/memory.ts";
import { fromOrigins, type Origin, toOrigins } from "../../../memory/origin.ts";
import { isUnitVector } from "../../../memory/ranking/scores.ts";
import { noTags } from "../../../memory/tags.ts";
import type { JsonObject } from "../../../platform/json/json.ts";

export interface MemoryRow {
  serial: number;
  id: string;
  content: string;
  content_revision: number;
  memory_type: Kind;
  importance: number;
  is_active: number;
  created_at: number;
  updated_at: number;
  last_accessed_at: number | null;
  expires_at: number | null;
  /** A JSON array; null without tags. */
  tags: string | null;
  /** A JSON object; null without metadata. */
  metadata: string | null;
  /** A JSON array; null: it is not known. */
  origins: string | null;
  lead: string | null;
  former_of: string | null;
  superseded_by: string | null;
  subject: string | null;
}

const subjectColumn =
  "(SELECT s.name FROM project o JOIN pseudonym s ON s.id = o.id WHERE o.serial = m.project AND o.parent IS NOT NULL) AS subject";

export const memoryColumns = `m.serial, m.id, m.content, m.content_revision, m.memory_type, m.importance, m.is_active, m.created_at, m.updated_at, m.last_accessed_at, m.expires_at, m.tags, m.metadata, m.origins, m.lead, m.former_of, m.superseded_by, ${subjectColumn}`;

/** SQL of toSearched. */
export const searchedText = "COALESCE(m.lead, '') || m.content";

/** Excludes memories that a bulk delete has hidden. */
export const aliveJoin =
  "JOIN pool ON pool.project = m.project AND pool.memory_type = m.memory_type AND pool.epoch = m.epoch";

/** Whether the row is of one of the kinds, which are the parameter `kinds` (toKindsParameter). @param alias of a memory, pool or tag */
export const ofKinds = (alias: string) =>
  `(:kinds IS NULL OR ${alias}.memory_type IN (SELECT value FROM json_each(:kinds)))`;

/** A JSON array. Null: all kinds. */
export function toKindsParameter(kinds: readonly Kind[] | null): string | null {
  return kinds === null ? null : JSON.stringify(kinds);
}

/**
 * A memory by its id and its project, unless a bulk delete has hidden it. Not aliveJoin: SQLite plans that join again for every value
 * of the project, which takes five times as long as the query.
 */
export const fromAliveById = `FROM memory m WHERE m.id = ? AND m.project = ? AND m.epoch =
  (SELECT epoch FROM pool WHERE pool.project = m.project AND pool.memory_type = m.memory_type)`;

export function toMemory(row: MemoryRow): Memory {
  return {
    id: row.id,
    content: row.content,
    type: typeOf(row.memory_type),
    passage: row.memory_type === "passage",
    importance: row.importance,
    active: row.is_active === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastAccessedAt: row.last_accessed_at,
    expiresAt: row.expires_at,
    tags: row.tags === null ? noTags : (JSON.parse(row.tags) as string[]),
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as JsonObject),
    origins: row.origins === null ? [] : fromOrigins(JSON.parse(row.origins)),
    lead: row.lead,
    previousOf: row.former_of,
    supersededBy: row.superseded_by,
    subject: row.subject,
  };
}

/** As `MemoryRow.tags`. */
export function toTagColumn(tags: readonly string[]): string | null {
  return tags.length === 0 ? null : JSON.stringify(tags);
}

/** As `MemoryRow.metadata`. */
export function toMetadataColumn(metadata: JsonObject | null): string | null {
  return metadata === null ? null : JSON.stringify(metadata);
}

/** As `MemoryRow.origins`. */
export function toOriginsColumn(origins: readonly Origin[]): string | null {
  return origins.length === 0 ? null : JSON.stringify(toOrigins(origins));
}

/** Copies, because SQLite's bytes need not be aligned to four. */
export function toVector(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}

/** @throws Error unless it is a unit vector with so many dimensions */
export function toVectorColumn(vector: Float32Array, dimensions: number | undefined): Uint8Array {
  if (!isUnitVector(vector, dimensions)) {
    throw new Error(`a vector of ${vector.length} numbers is not a unit vector of the model`);
  }
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}
