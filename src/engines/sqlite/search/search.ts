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
import { createBlockScan } from "../../../ranking/block-scan.ts";
import { ExactOrder } from "../../../ranking/exact-order.ts";
import type { ScanFound, ScanQuery } from "../../../ranking/scan-task.ts";
import type { SearchStatistics } from "../../../storage/statistics.ts";
import { type MemoryRow, memoryColumns, toMemory, toVector } from "../memories/memory-row.ts";
import { serialsOf } from "../project-serials.ts";
import { createModelLookup } from "../schema/model-binding.ts";
import { createScorer, type Scored } from "./exact-score.ts";
import { IndexCache } from "./index-cache.ts";
import { createIndexStatements } from "./index-statements.ts";
import { createScan } from "./scan.ts";
import type { SearchIndex } from "./search-index.ts";
import { createStageTimes, type EndStage } from "./search-statistics.ts";

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
  const indexes = new IndexCache(cacheBytes, createIndexStatements(database));
  const scanBlocks = createBlockScan(onnx);
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
    return indexes.fits(memoryCount.get(serial) ?? 0, dimensions, tagBytes.get(serial) ?? 0);
  };

  const currentIndexOf = (project: Project): SearchIndex => {
    const serial = serialOf(project.id);
    const index = indexes.use(serial, dimensions);
    index.catchUp();
    if (index.tagBytesPerMemory > 0) tagBytes.set(serial, index.tagBytesPerMemory);
    return index;
  };

  const vector = database
    .prepare<[number], Uint8Array>(`SELECT embedding FROM memory_vector WHERE memory = ?`)
    .pluck();
  const vectorOf = (serial: number): Float32Array => {
    const bytes = vector.get(serial);
    if (bytes === undefined) throw new Error("the search index contains a memory without a vector");
    return toVector(bytes);
  };

  const memoryOf = (serial: number): Memory => {
    const row = bySerial.get(serial);
    if (row === undefined) throw new Error("the search index contains a memory that the database does not");
    return toMemory(row);
  };

  /** The best memories by exact score, best first. */
  const rank = (index: SearchIndex, query: ExactQuery, found: ScanFound): readonly Scored[] => {
    const toScored = createScorer(query.vector);
    const order = new ExactOrder<Scored>([found], query);
    for (let next = order.next(); next !== null; next = order.next()) {
      const { serial, importance } = index.memoryAt(next.slot);
      order.add(toScored({ serial, importance, vector: vectorOf(serial) }, next.keyword));
    }
    return order.best;
  };

  const scoreInMemory = (project: Project, query: SearchQuery, endStage: EndStage): readonly Scored[] => {
    const index = currentIndexOf(project);
    endStage("catch_up");
    const eligible = index.eligible(query);
    const keywords = query.words === null ? null : atOnce(index.keywordsOf(query.words, eligible));
    const { vector, topK, minSimilarity } = query;
    const wanted: ScanQuery = { vector, eligible, keywords, topK, minSimilarity };
    const [found] = scanBlocks({ dimensions, blocks: index.blocks, queries: [wanted] });
    endStage("scan");
    const scored = found === undefined ? [] : rank(index, query, found);
    indexes.settle(serialOf(project.id));
    endStage("rescore");
    return scored;
  };

  const search = (project: Project, query: SearchQuery): SearchHit[] => {
    requireModel([query.vector]);
    const endStage = times.begin();
    const isInMemory = fits(project);
    const scored = isInMemory ? scoreInMemory(project, query, endStage) : scan(project, query);
    if (!isInMemory) endStage("database");
    const hits = scored.map(({ serial, similarity, keyword, relevance }) => ({
      memory: memoryOf(serial),
      similarity,
      keyword,
      relevance,
    }));
    endStage("read");
    return hits;
  };

  /** For each vector, by similarity alone. */
  const compare = (project: Project, { vectors, above, now }: SimilarityQuery): (readonly Scored[])[] => {
    // All above the threshold, because the memories with the best scores need not be the most similar ones.
    const everything = {
      types: null,
      tags: null,
      words: null,
      topK: Number.POSITIVE_INFINITY,
      minSimilarity: above,
      includeExpired: false,
      includeInactive: true,
      now,
    };
    const queries = vectors.map((vector): SearchQuery => ({ ...everything, vector }));
    if (!fits(project)) return queries.map((query) => scan(project, query));
    const index = currentIndexOf(project);
    const eligible = index.eligible(everything);
    const scanned: ScanQuery[] = queries.map(({ vector, topK, minSimilarity }) => ({
      vector,
      eligible,
      keywords: null,
      topK,
      minSimilarity,
    }));
    const found = scanBlocks({ dimensions, blocks: index.blocks, queries: scanned });
    indexes.settle(serialOf(project.id));
    return queries.map((query, at) => {
      const candidates = found[at];
      return candidates === undefined ? [] : rank(index, query, candidates);
    });
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
      indexBytes: indexes.byteLength,
    }),
  };
}

const otherModel = unavailable(
  "The embedding model was changed while this call was performed. Send the call again.",
);

function atOnce<Result>(parts: Generator<undefined, Result, undefined>): Result {
  for (;;) {
    const { done, value } = parts.next();
    if (done === true) return value;
  }
}

type ExactQuery = Pick<SearchQuery, "vector" | "topK" | "minSimilarity">;
