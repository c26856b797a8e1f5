// Runs the conformance suite with SQLite, with both ways in which it searches.

import { join } from "node:path";
import { createSqliteEngine } from "../../../src/engines/sqlite/engine.ts";
import { bytesPerMemory } from "../../../src/engines/sqlite/search/index/search-index.ts";
import { rowsPerBlock } from "../../../src/memory/ranking/limits.ts";
import { describeEngine } from "../../calls/storage/conformance.ts";
import { dimensions, runtime } from "../../calls/storage/seam.ts";

describeEngine({
  name: "SQLite",
  open: (folder) =>
    createSqliteEngine({
      path: join(folder, "memledger.db"),
      lock: join(folder, "memledger.lock"),
      runtime: () => runtime,
    }),
  lacks: {
    "several servers": "one process writes the database, and refuses chains that another process has changed",
  },
  searchOptions: {
    "with indexes in memory": { searchCacheBytes: 512 * 1024 * 1024 },
    "in the database": { searchCacheBytes: 0 },
    // Room for one block of vectors and some memories, fewer with tags: projects change between the two ways.
    "at the limit of the cache": { searchCacheBytes: (rowsPerBlock + 60) * (dimensions + bytesPerMemory) },
  },
});
