// Owns a sample of the vectors of a project, the same one for the same memories, whatever other projects store.

import type { Database } from "../../../../native/sqlite.ts";
import { toVector } from "../../memories/memory-row.ts";
import { vectorSampleSize } from "../limits.ts";

/** The vectors of the oldest memories. */
export function createVectorSample(database: Database): (project: number) => Float32Array[] {
  const oldest = database
    .prepare<[number, number], Uint8Array>(
      `SELECT v.embedding FROM memory m INDEXED BY memory_by_project JOIN memory_vector v ON v.memory = m.serial
       WHERE m.project = ? ORDER BY m.serial LIMIT ?`,
    )
    .pluck();
  return (project) => oldest.all(project, vectorSampleSize).map(toVector);
}
