// Owns the row of a memory: its columns, which rows a client may see, and what becomes of them. Changes nothing.

import { type Kind, kindOf, typeOf } from "../../../memory/kind.ts";
import type { Memory } from "../../../memory/memory.ts";
import { fromOrigins, toOrigins } from "../../../memory/origin.ts";
import { isUnitVector } from "../../../memory/ranking/scores.ts";
import { noTags } from "../../../memory/tags.ts";
import type { JsonObject } from "../../../platform/json/json.ts";

/** The columns that calls write, with what each has of a memory. */
const written = {
  memory_type: kindOf,
  content: ({ content }) => content,
  importance: ({ importance }) => importance,
  is_active: ({ active }) => (active ? 1 : 0),
  updated_at: ({ updatedAt }) => updatedAt,
  expires_at: ({ expiresAt }) => expiresAt,
  /** A JSON array; null without tags. */
  tags: ({ tags }) => (tags.length === 0 ? null : JSON.stringify(tags)),
  /** A JSON object; null without metadata. */
  metadata: ({ metadata }) => (metadata === null ? null : JSON.stringify(metadata)),
  /** A JSON array; null: it is not known. */
  origins: ({ origins }) => (origins.length === 0 ? null : JSON.stringify(toOrigins(origins))),
  lead: ({ lead }) => lead,
  former_of: ({ previousOf }) => previousOf,
  superseded_by: ({ supersededBy }) => supersededBy,
} satisfies Readonly<Record<string, (memory: Memory) => string | number | null>>;

type Written = { -readonly [Name in keyof typeof written]: ReturnType<(typeof written)[Name]> };

export const writtenColumns = Object.keys(written);

/** The values of `writtenColumns`, by their names. */
export function toColumns(memory: Memory): Readonly<Record<string, string | number | null>> {
  return Object.fromEntries(Object.entries(written).map(([name, toValue]) => [name, toValue(memory)]));
}

export interface MemoryRow extends Written {
  serial: number;
  id: string;
  content_revision: number;
  created_at: number;
  last_accessed_at: number | null;
  subject: string | null;
}

const subjectColumn =
  "(SELECT s.name FROM project o JOIN pseudonym s ON s.id = o.id WHERE o.serial = m.project AND o.parent IS NOT NULL) AS subject";

const readColumns = ["serial", "id", "content_revision", "created_at", "last_accessed_at", ...writtenColumns];

export const memoryColumns = [...readColumns.map((name) => `m.${name}`), subjectColumn].join(", ");

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
