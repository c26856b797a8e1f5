// Owns what the thread that searches keeps between searches: the indexes, and the numbers of what it shares. Each group of searches has a
// connection of its own and uses these. Must never read the database.

import { LRUCache } from "lru-cache";
import { type BlockScan, createBlockScan } from "../../../../memory/ranking/scan/block-scan.ts";
import type { Onnx } from "../../../../platform/native/onnx.ts";
import type { Database } from "../../../../platform/native/sqlite.ts";
import { IndexCache } from "../index/index-cache.ts";
import { createSharedBuffers, type SharedBuffers } from "../steps/shared-buffers.ts";
import { createIndexCopies, type IndexCopies } from "./index-copy.ts";
import { createVocabularies, type Vocabularies } from "./near-words.ts";
import { createSearchCounts, type SearchCounting } from "./search-statistics.ts";
import type { KnownSpread } from "./vector-sample.ts";

/** How many projects' memory use for tags is remembered, and for how long: their tags may have become fewer. */
const tagBytesMax = 10_000;
const tagBytesLifeMs = 86_400_000;

/** Of so many projects, the spread of unrelated prompts is remembered. */
const spreadsMax = 10_000;

export interface Searcher {
  readonly indexes: IndexCache;
  /** By the serial of a project: what the tags of a memory needed in the mean. The database does not tell. */
  readonly tagBytes: LRUCache<number, number>;
  readonly vocabularies: Vocabularies;
  /** By the serial of a project. */
  readonly spreads: LRUCache<number, KnownSpread>;
  readonly buffers: SharedBuffers;
  /** In this thread. */
  readonly scanBlocks: BlockScan;
  /** Threads that perform tasks. */
  readonly scanners: number;
  readonly counts: SearchCounting;
  /** The folder of the cache files of all projects. */
  readonly folder: string;
  readonly copies: IndexCopies;
}

interface SearcherOptions {
  /** Opens a connection for copies of indexes. */
  readonly connect: () => Database;
  readonly folder: string;
  readonly onnx: Onnx;
  /** Of all indexes together. */
  readonly cacheBytes: number;
  readonly scanners: number;
}

export function createSearcher({ onnx, cacheBytes, scanners, folder, connect }: SearcherOptions): Searcher {
  const buffers = createSharedBuffers();
  const indexes = new IndexCache(cacheBytes, buffers);
  return {
    indexes,
    folder,
    copies: createIndexCopies(connect, indexes),
    tagBytes: new LRUCache({ max: tagBytesMax, ttl: tagBytesLifeMs }),
    vocabularies: createVocabularies(),
    spreads: new LRUCache({ max: spreadsMax }),
    buffers,
    scanBlocks: createBlockScan(onnx),
    scanners,
    counts: createSearchCounts(),
  };
}
