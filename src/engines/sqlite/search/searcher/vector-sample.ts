// Owns a sample of the vectors of a project, the same one for the same memories.

import type { Database } from "../../../../native/sqlite.ts";
import { toVector } from "../../memories/memory-row.ts";
import { vectorSampleSize } from "../limits.ts";

/** The vectors of memories at equal distances in the order of creation; of a small project all, and some of them twice. */
export function createVectorSample(database: Database): (project: number) => Float32Array[] {
  const ends = database.prepare<[number, number], { first: number | null; last: number | null }>(
    `SELECT (SELECT MIN(serial) FROM memory WHERE project = ?) AS first,
       (SELECT MAX(serial) FROM memory WHERE project = ?) AS last`,
  );
  const next = database
    .prepare<[number, number], Uint8Array>(
      `SELECT v.embedding FROM memory m INDEXED BY memory_by_project JOIN memory_vector v ON v.memory = m.serial
       WHERE m.project = ? AND m.serial >= ? ORDER BY m.serial LIMIT 1`,
    )
    .pluck();
  return (project) => {
    const { first, last } = ends.get(project, project) ?? { first: null, last: null };
    if (first === null || last === null) return [];
    const places = Math.min(vectorSampleSize, last - first + 1);
    const step = (last - first) / Math.max(1, places - 1);
    return Array.from({ length: places }, (_, at) =>
      next.get(project, Math.floor(first + at * step)),
    ).flatMap((bytes) => (bytes === undefined ? [] : [toVector(bytes)]));
  };
}
