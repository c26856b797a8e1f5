// Owns search in this engine: candidates from the index in memory, or, if a project is too large for it, from sqlite-vec and the words
// in the database; then exact scores. Both methods give the same result.

import { LRUCache } from "lru-cache";
import type { Project } from "../../../access/project.ts";
import { unavailable } from "../../../errors.ts";
import type { Memory } from "../../../memory/memory.ts";
import { findSimilarItems, nearestOf } from "../../../memory/similar-items.ts";
import type { SearchHit, SearchQuery, SimilarityQuery, SimilarMemories } from "../../../memory/store.ts";
import type { Onnx } from "../../../native/onnx.ts";
import type { Database } from "../../../native/sqlite.ts";
import { chooseCandidates } from "../../../ranking/candidates.ts";
import { cosine, squaredLength } from "../../../ranking/scores.ts";
import { blockRows, scoreErrorBound } from "../../../ranking/vector-matrix.ts";
import type { SearchStatistics } from "../../../storage/statistics.ts";
import { type MemoryRow, memoryColumns, toMemory } from "../memories/memory-row.ts";
import { serialsOf } from "../project-serials.ts";
import { createModelLookup } from "../schema/model-binding.ts";
import { createScorer, type Scored } from "./exact-score.ts";
import { createIndexStatements } from "./index-statements.ts";
import { createScan } from "./scan.ts";
import { bytesPerMemory, SearchIndex } from "./search-index.ts";
import { createStageTimes, type EndStage } from "./search-statistics.ts";

/** Older indexes are built again: removals are stored for one hour only. */
const indexLifeMs = 1_800_000;
/** How many projects' memory use for tags is remembered, and for how long: their tags may have become fewer. */
const tagBytesMax = 10_000;
const tagBytesLifeMs = 86_400_000;

interface SearchOptions {
  readonly onnx: Onnx;
  readonly cacheBytes: number;
}

export interface Search {
  statistics(): SearchStatistics;
  search(project: Project, query: SearchQuery): SearchHit[];
  findSimilar(project: Project, query: SimilarityQuery): SimilarMemories;
}

export function createSearch(database: Database, { onnx, cacheBytes }: SearchOptions): Search {
  const serialOf = serialsOf(database);
  const indexStatements = createIndexStatements(database);
  const indexes = new LRUCache<number, SearchIndex>({
    maxSize: Math.max(1, cacheBytes),
    // An index that fits, but not with all of its postings, is kept alone: the cache would not keep a larger value at all.
    sizeCalculation: (index) => Math.min(Math.max(1, cacheBytes), Math.max(1, Math.ceil(index.byteLength))),
    ttl: indexLifeMs,
    updateAgeOnGet: true,
  });
  const memoryCount = database
    .prepare<[number], number>("SELECT TOTAL(memories) FROM pool WHERE project = ?")
    .pluck();
  const bySerial = database.prepare<[number], MemoryRow>(
    `SELECT ${memoryColumns} FROM memory m WHERE m.serial = ?`,
  );
  const newestRevision = database
    .prepare<[number], number | null>("SELECT MAX(revision) FROM memory WHERE project = ?")
    .pluck();
  const scan = createScan(database);
  const bound = createModelLookup(database);
  let model: string | null = null;
  let dimensions = 0;

  /**
   * Call it in the read transaction of each search: indexes of a former model are built again.
   * @throws Refusal 1503 when the vectors of the query cannot be compared: perform prepares the call again
   */
  const requireModel = (vectors: readonly Float32Array[]): void => {
    const current = bound();
    if (current?.sha256 !== model) indexes.clear();
    model = current?.sha256 ?? null;
    dimensions = current?.dimensions ?? 0;
    if (vectors.some(({ length }) => length !== dimensions)) throw otherModel;
  };
  const times = createStageTimes();

  /** By project: what the tags of a memory needed when an index of the project was last used. The database does not tell. */
  const tagBytes = new LRUCache<number, number>({ max: tagBytesMax, ttl: tagBytesLifeMs });

  const fits = (project: Project): boolean => {
    const serial = serialOf(project.id);
    const rows = (memoryCount.get(serial) ?? 0) + blockRows;
    const bytesPerRow =
      dimensions * Float32Array.BYTES_PER_ELEMENT + bytesPerMemory + (tagBytes.get(serial) ?? 0);
    return rows * bytesPerRow <= cacheBytes;
  };

  const indexOf = (project: Project): SearchIndex => {
    const serial = serialOf(project.id);
    const index = indexes.get(serial) ?? new SearchIndex(serial, indexStatements, onnx, dimensions);
    index.catchUp();
    if (index.tagBytesPerMemory > 0) tagBytes.set(serial, index.tagBytesPerMemory);
    indexes.delete(serial); // setting the same value again would keep its former size
    indexes.set(serial, index);
    return index;
  };

  const memoryOf = (serial: number): Memory => {
    const row = bySerial.get(serial);
    if (row === undefined) throw new Error("the search index contains a memory that the database does not");
    return toMemory(row);
  };

  const scoreInMemory = (project: Project, query: SearchQuery, endStage: EndStage): Scored[] => {
    const index = indexOf(project);
    endStage("catch_up");
    const errorBound = scoreErrorBound(dimensions);
    const rows = index.rows(query);
    endStage("scan");
    const toScored = createScorer(query);
    const scored = chooseCandidates(rows, { ...query, errorBound }).map((row) =>
      toScored(index.memoryAt(row), rows.keywords?.[row]),
    );
    endStage("rescore");
    return scored;
  };

  const search = (project: Project, query: SearchQuery): SearchHit[] => {
    requireModel([query.vector]);
    const endStage = times.begin();
    const isInMemory = fits(project);
    const scored = isInMemory ? scoreInMemory(project, query, endStage) : scan(project, query);
    if (!isInMemory) endStage("database");
    const hits = scored
      .filter(({ similarity }) => similarity >= query.minSimilarity)
      .sort((a, b) => b.score - a.score || b.serial - a.serial)
      .slice(0, query.topK)
      .map(({ serial, similarity, keyword, relevance }) => ({
        memory: memoryOf(serial),
        similarity,
        keyword,
        relevance,
      }));
    endStage("read");
    return hits;
  };

  /** For each vector, by similarity alone. */
  const compare = (project: Project, { vectors, above, now }: SimilarityQuery): Compared[][] => {
    if (fits(project)) {
      const index = indexOf(project);
      return index.rowsAbove(above, vectors, now).map((rows, at) => {
        const wanted = vectors[at] ?? new Float32Array(0);
        const length = squaredLength(wanted);
        return rows.map((row) => {
          const { serial, vector } = index.memoryAt(row);
          return { serial, similarity: cosine(wanted, vector, length) };
        });
      });
    }
    // All above the threshold, because the memories with the best scores need not be the most similar ones.
    const query = {
      types: null,
      tags: null,
      words: null,
      topK: Number.POSITIVE_INFINITY,
      minSimilarity: above,
      now,
    };
    const everything = { ...query, includeExpired: false, includeInactive: true };
    return vectors.map((vector) => scan(project, { ...everything, vector }));
  };

  const findSimilar = (project: Project, query: SimilarityQuery): SimilarMemories => {
    requireModel(query.vectors);
    return compareAll(project, query);
  };

  const compareAll = (project: Project, query: SimilarityQuery): SimilarMemories => ({
    similarItems: findSimilarItems(query, dimensions),
    revision: newestRevision.get(serialOf(project.id)) ?? 0,
    found: compare(project, query).map((compared) => {
      const ranked = compared
        .filter(({ similarity }) => similarity > query.above)
        .sort((a, b) => b.similarity - a.similarity || b.serial - a.serial)
        .values()
        .map(({ serial, similarity }) => ({ memory: memoryOf(serial), similarity }));
      return nearestOf(ranked, query.tags);
    }),
  });

  return {
    search: database.transaction(search),
    findSimilar: database.transaction(findSimilar),
    statistics: () => ({
      stages: times.read(),
      indexes: indexes.size,
      indexBytes: indexes.calculatedSize,
    }),
  };
}

const otherModel = unavailable(
  "The embedding model was changed while this call was performed. Send the call again.",
);

interface Compared {
  readonly serial: number;
  readonly similarity: number;
}
