// Owns what the tests of search read from the database themselves: the memories of a project, with plain SQL, so that an answer is compared
// with what is stored and not with what an index remembers. Changes nothing.

import { openReading } from "../../../src/engines/sqlite/database-file/connection.ts";
import { type Kind, typeOf } from "../../../src/memory/kind.ts";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { runtime } from "../../calls/storage/seam.ts";
import { type NaiveMemory, wordsOf } from "../../memory/ranking/naive-ranking.ts";

/** What the reference needs of a stored memory. */
export interface NaiveRow {
  readonly serial: number;
  readonly id: string;
  readonly content: string;
  readonly memory_type: Kind;
  readonly importance: number;
  readonly is_active: number;
  readonly expires_at: number | null;
  readonly tags: string | null;
  readonly metadata: string | null;
  readonly embedding: Uint8Array;
}

interface Row extends NaiveRow {
  readonly revision: number;
}

export interface StoredMemory extends NaiveMemory {
  readonly revision: number;
}

export interface StoredMemories extends Disposable {
  /** Those that a bulk delete has not hidden, oldest first; the same array until the database changes. */
  of(project: string): readonly StoredMemory[];
  /** Their ids, without reading the rest. */
  idsOf(project: string): readonly string[];
}

/** Reads with the SQLite library of the server: a second one in this process would break the locks of the first. */
export function readStoredMemories(path: string): StoredMemories {
  const database = openReading({ path, runtime });
  const rows = database.prepare<[string], Row>(
    `SELECT memory.serial, memory.id, memory.content, memory.memory_type, memory.importance, memory.is_active,
       memory.expires_at, memory.tags, memory.metadata, memory.revision, memory_vector.embedding
     FROM project, pool, memory, memory_vector
     WHERE project.id = ? AND pool.project = project.serial AND memory.project = project.serial
       AND memory.memory_type = pool.memory_type AND memory.epoch = pool.epoch
       AND memory_vector.memory = memory.serial
     ORDER BY memory.serial`,
  );
  const ids = database
    .prepare<[string], string>(
      `SELECT memory.id FROM project, pool, memory
       WHERE project.id = ? AND pool.project = project.serial AND memory.project = project.serial
         AND memory.memory_type = pool.memory_type AND memory.epoch = pool.epoch
       ORDER BY memory.serial`,
    )
    .pluck();
  const known = new Map<string, readonly StoredMemory[]>();
  let version: unknown = null;
  return {
    of(project) {
      const current = database.pragma("data_version", { simple: true });
      if (current !== version) known.clear();
      version = current;
      const memories = known.get(project) ?? rows.all(project).map(toStored);
      known.set(project, memories);
      return memories;
    },
    idsOf: (project) => ids.all(project),
    [Symbol.dispose]: () => void database.close(),
  };
}

function toStored(row: Row): StoredMemory {
  return { ...toNaive(row), revision: row.revision };
}

export function toNaive(row: NaiveRow): NaiveMemory {
  return {
    id: row.id,
    serial: row.serial,
    type: typeOf(row.memory_type),
    passage: row.memory_type === "passage",
    importance: row.importance,
    active: row.is_active === 1,
    expiresAt: row.expires_at,
    tags: row.tags === null ? [] : (JSON.parse(row.tags) as string[]),
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as JsonObject),
    words: new Set(wordsOf(row.content)),
    // Not Uint8Array.from: it reads one byte after another.
    vector: new Float32Array(new Uint8Array(row.embedding).buffer),
  };
}
