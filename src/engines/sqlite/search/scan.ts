// Owns search in a project that is too large for an index in memory: candidates from sqlite-vec and the words in the database.

import type { Project } from "../../../access/project.ts";
import type { SearchQuery } from "../../../memory/store.ts";
import type { Database } from "../../../native/sqlite.ts";
import { type ApproximateRows, chooseCandidates, scoreErrorBound } from "../../../ranking/candidates.ts";
import { keywordScores } from "../../../ranking/keyword-scores.ts";
import { queryWords } from "../../../ranking/words.ts";
import { aliveJoin, toVector } from "../memories/memory-row.ts";
import { taggedMemories } from "../memories/tags.ts";
import { createWordLookup } from "../memories/word-reader.ts";
import { serialsOf } from "../project-serials.ts";
import { createScorer, type Scored } from "./exact-score.ts";

/** Candidates from the distance function of sqlite-vec: slower, but needs no memory. */
export function createScan(database: Database) {
  const measure = (condition: string) =>
    database.prepare<
      [Record<string, unknown>],
      { serial: number; content_revision: number; importance: number; distance: number }
    >(
      `SELECT m.serial, m.content_revision, m.importance, vec_distance_cosine(v.embedding, :vector) AS distance
       FROM memory m ${aliveJoin} JOIN memory_vector v ON v.memory = m.serial
       WHERE m.project = :project ${condition}
         AND (:types IS NULL OR m.memory_type IN (SELECT value FROM json_each(:types)))
         AND (:includeInactive OR m.is_active = 1)
         AND (:includeExpired OR m.expires_at IS NULL OR m.expires_at > :now)`,
    );
  const distances = measure("");
  const embedding = database
    .prepare<[number], Uint8Array>("SELECT embedding FROM memory_vector WHERE memory = ?")
    .pluck();
  const serialOf = serialsOf(database);
  const holders = createWordLookup(database);
  const keywords = (project: Project, words: string, found: readonly { content_revision: number }[]) => {
    const rowOf = new Map(found.map(({ content_revision }, row) => [content_revision, row]));
    const rowsWith = (word: string) =>
      holders(serialOf(project.id), word, 0).flatMap((contentRevision) => rowOf.get(contentRevision) ?? []);
    return keywordScores(queryWords(words).map(rowsWith), found.length, found.length);
  };
  return (project: Project, query: SearchQuery): Scored[] => {
    const tagged = query.tags === null ? null : taggedMemories(query.tags);
    const statement = tagged === null ? distances : measure(`AND m.serial IN (${tagged.sql})`);
    const found = statement.all({
      ...tagged?.parameters,
      project: serialOf(project.id),
      vector: new Uint8Array(query.vector.buffer, query.vector.byteOffset, query.vector.byteLength),
      types: query.types === null ? null : JSON.stringify(query.types),
      includeInactive: query.includeInactive ? 1 : 0,
      includeExpired: query.includeExpired ? 1 : 0,
      now: query.now,
    });
    const rows: ApproximateRows = {
      length: found.length,
      similarities: Float32Array.from(found, ({ distance }) => 1 - distance),
      keywords: query.words === null ? null : keywords(project, query.words, found),
      importanceOf: (row) => found[row]?.importance ?? 0,
      isEligible: () => true,
    };
    // sqlite-vec computes three sums in float32 (the dot product and two lengths), so its error is several times that of one sum.
    const errorBound = 4 * scoreErrorBound(query.vector.length);
    const toScored = createScorer(query.vector);
    const scored = chooseCandidates(rows, { ...query, errorBound }).flatMap((row) => {
      const { serial, importance } = found[row] ?? { serial: 0, importance: 0 };
      const bytes = embedding.get(serial);
      const vector = bytes === undefined ? null : toVector(bytes);
      return vector === null ? [] : [toScored({ serial, importance, vector }, rows.keywords?.[row])];
    });
    return scored
      .filter(({ similarity }) => similarity >= query.minSimilarity)
      .sort((a, b) => b.score - a.score || b.serial - a.serial)
      .slice(0, query.topK);
  };
}
