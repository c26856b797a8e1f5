// Owns what the searches of a group read from the database besides the changes of an index. Prepared once for each connection.

import type {
  InjectionQuery,
  SearchQuery,
  TopMemoriesQuery,
} from "../../../../calls/storage/memory-store.ts";
import type { ModelBinding } from "../../../../calls/storage/model-change-store.ts";
import type { Memory } from "../../../../memory/memory.ts";
import type { Owner } from "../../../../memory/owner.ts";
import type { Reading, ReadNearWords } from "../../../../memory/ranking/query-keywords.ts";
import { relevanceFloor, spreadOfAll } from "../../../../memory/ranking/relevance-floor.ts";
import type { Database } from "../../../../platform/native/sqlite.ts";
import { createRuleReader, createTopReader } from "../../memories/memory-reader.ts";
import { type MemoryRow, memoryColumns, toMemory, toVector } from "../../memories/memory-row.ts";
import { ownerSerialsOf, ownerSetsOf } from "../../project-serials.ts";
import { createModelLookup } from "../../schema/model-binding.ts";
import { type CacheFacts, createCacheFacts } from "../../search-cache/cache-facts.ts";
import { createIndexStatements, type IndexStatements } from "../index/index-statements.ts";
import type { Scored } from "../scanners/exact-score.ts";
import { createNearWords } from "./near-words.ts";
import { createScan } from "./scan.ts";
import type { Searcher } from "./searcher.ts";
import { createSpreads } from "./vector-sample.ts";

/** All of them read in the transaction of the group. */
export interface SearchStatements {
  readonly index: IndexStatements;
  readonly cache: CacheFacts;
  /** Of a project, by its id. */
  serialOf(project: string): number;
  /** The owner, and its project if it is searched, too: those that have memories. */
  ownersOf(owner: Owner, withProject?: boolean): readonly number[];
  /** The model of the vectors; null: there is none, and no vector. */
  model(): ModelBinding | null;
  memoryCount(owner: number): number;
  /** Of all memories of the owner; 0: it has never had one. */
  newestRevision(owner: Owner): number;
  nearWords(owner: number): ReadNearWords;
  vectorOf(memory: number): Float32Array;
  /** 0 if it is not asked for. */
  relevanceFloor(owners: readonly number[], query: Pick<InjectionQuery, "prompt" | "now">): number;
  memoryOf(memory: number): Memory;
  rules(owners: readonly number[], now: number): Memory[];
  top(owners: readonly number[], query: TopMemoriesQuery): Reading<Memory[]>;
  /** A search without an index: the best memories, best first. */
  scan(owners: readonly number[], query: SearchQuery): Reading<readonly Scored[]>;
}

export function createSearchStatements(
  database: Database,
  { vocabularies, spreads }: Pick<Searcher, "vocabularies" | "spreads">,
): SearchStatements {
  const memoryCount = database
    .prepare<[number], number>("SELECT TOTAL(memories) FROM pool WHERE project = ?")
    .pluck();
  const newestRevision = database
    .prepare<[number], number | null>("SELECT MAX(revision) FROM memory WHERE project = ?")
    .pluck();
  const vector = database
    .prepare<[number], Uint8Array>("SELECT embedding FROM memory_vector WHERE memory = ?")
    .pluck();
  const memory = database.prepare<[number], MemoryRow>(
    `SELECT ${memoryColumns} FROM memory m WHERE m.serial = ?`,
  );
  const serialOf = ownerSerialsOf(database);
  const serialsOf = ownerSetsOf(database);
  const countOf = (project: number) => memoryCount.get(project) ?? 0;
  const nearWords = createNearWords(database, vocabularies, countOf);
  const model = createModelLookup(database);
  const spreadOf = createSpreads(database, spreads);
  return {
    index: createIndexStatements(database),
    cache: createCacheFacts(database),
    serialOf: (project) => serialOf({ project, subject: null }),
    ownersOf(owner, withProject) {
      return serialsOf(owner, withProject).filter((each) => countOf(each) > 0);
    },
    model,
    memoryCount: countOf,
    newestRevision: (owner) => newestRevision.get(serialOf(owner)) ?? 0,
    nearWords,
    vectorOf(serial) {
      const bytes = vector.get(serial);
      if (bytes === undefined) throw new Error("the search index contains a memory without a vector");
      return toVector(bytes);
    },
    relevanceFloor(owners, { prompt, now }) {
      if (prompt === null) return 0;
      const sha256 = model()?.sha256 ?? "";
      const spreads = owners.map((owner) => ({
        ...spreadOf(owner, prompt.unrelated, sha256, now),
        memories: countOf(owner),
      }));
      const { memories, ...spread } = spreadOfAll(spreads);
      return relevanceFloor(spread, memories, prompt.need);
    },
    memoryOf(serial) {
      const row = memory.get(serial);
      if (row === undefined) throw new Error("the search index contains a memory that the database does not");
      return toMemory(row);
    },
    rules: createRuleReader(database),
    top: createTopReader(database),
    scan: createScan(database, nearWords),
  };
}
