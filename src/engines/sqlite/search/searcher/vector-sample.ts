// Owns how relevant the memories of a project are to unrelated prompts: measured on a sample, the same one for the same memories, whatever
// other projects store, and again when the project has changed.

import type { LRUCache } from "lru-cache";
import { type Spread, spreadOf } from "../../../../memory/ranking/relevance-floor.ts";
import type { Database } from "../../../../platform/native/sqlite.ts";
import { aliveJoin, toVector } from "../../memories/memory-row.ts";
import { vectorSampleAmong, vectorSampleSize } from "../limits.ts";

export interface KnownSpread {
  /** Of the project and the model; with another one it must be measured again. */
  readonly state: string;
  /** When the first memory of the sample expires. */
  readonly until: number;
  readonly spread: Spread;
}

/** Reads the oldest facts and contexts that are active and have not expired. */
export function createSpreads(database: Database, known: LRUCache<number, KnownSpread>) {
  const oldest = database.prepare<
    [number, number, number],
    { embedding: Uint8Array; expires_at: number | null }
  >(
    `SELECT v.embedding, m.expires_at
     FROM (SELECT serial FROM memory INDEXED BY memory_by_project WHERE project = ? ORDER BY serial LIMIT ${vectorSampleAmong}) oldest
     JOIN memory m ON m.serial = oldest.serial ${aliveJoin} JOIN memory_vector v ON v.memory = m.serial
     WHERE m.memory_type <> 'rule' AND m.is_active = 1 AND (m.expires_at IS NULL OR m.expires_at > ?)
     ORDER BY m.serial LIMIT ?`,
  );
  const state = database
    .prepare<[{ project: number }], string>(
      `SELECT (SELECT MAX(revision) FROM memory WHERE project = :project) || ' ' ||
         (SELECT TOTAL(revision) FROM (SELECT MAX(revision) AS revision FROM memory_removal WHERE project = :project)) || ' ' ||
         (SELECT TOTAL(epoch) FROM pool WHERE project = :project)`,
    )
    .pluck();
  return (project: number, unrelated: Float32Array, model: string, now: number): Spread => {
    const current = `${state.get({ project })} ${model}`;
    const kept = known.get(project);
    if (kept?.state === current && now < kept.until) return kept.spread;
    const rows = oldest.all(project, now, vectorSampleSize);
    const spread = spreadOf(
      unrelated,
      rows.map(({ embedding }) => toVector(embedding)),
    );
    const until = Math.min(...rows.map(({ expires_at }) => expires_at ?? Number.POSITIVE_INFINITY));
    known.set(project, { state: current, until, spread });
    return spread;
  };
}
