// Ranks what a database holds as plainly as test/memory/ranking/naive-ranking.ts, in parts, because a million memories do not fit into memory as
// objects. Must never write to the database.

import type { SearchQuery } from "../../src/calls/storage/memory-store.ts";
import { openReading } from "../../src/engines/sqlite/database-file/connection.ts";
import { prepareRuntime } from "../../src/platform/native/runtime.ts";
import { type NaiveRow, toNaive } from "../engines/sqlite/naive-memories.ts";
import {
  countHolders,
  type NaiveHit,
  type NaiveMemory,
  rankNaively,
  sharesOf,
  type WordCounts,
} from "../memory/ranking/naive-ranking.ts";

export interface StoredRanking {
  readonly memories: number;
  /** For each query, the best ones of all memories of the project. */
  readonly hits: readonly (readonly NaiveHit[])[];
}

const partRows = 5_000;

/** @param path of a database that no server writes to meanwhile */
export function rankStored(
  path: string,
  projectId: string,
  queries: readonly SearchQuery[],
  rowsOfPart = partRows,
): StoredRanking {
  const database = openReading({ path, runtime: prepareRuntime("unused-from-source") });
  const read = database.prepare<[string, number, number], NaiveRow>(
    `SELECT memory.serial, memory.id, memory.content, memory.memory_type, memory.importance, memory.is_active,
       memory.expires_at, memory.tags, memory.metadata, memory_vector.embedding
     FROM memory JOIN memory_vector ON memory_vector.memory = memory.serial
     JOIN pool USING (project, memory_type, epoch)
     WHERE memory.project = (SELECT serial FROM project WHERE id = ?) AND memory.serial > ?
     ORDER BY memory.serial LIMIT ?`,
  );
  const forEachPart = (work: (memories: readonly NaiveMemory[]) => void) => {
    let rows: readonly NaiveRow[] = [];
    for (let after = 0; ; after = rows.at(-1)?.serial ?? 0) {
      rows = read.all(projectId, after, rowsOfPart);
      if (rows.length === 0) return;
      work(rows.map(toNaive));
    }
  };
  try {
    let memories = 0;
    const counts = queries.map((): WordCounts | null => null);
    forEachPart((part) => {
      memories += part.length;
      for (const [at, query] of queries.entries())
        counts[at] = added(counts[at] ?? null, countHolders(part, query));
    });
    const shares = counts.map((count) => (count === null ? [] : sharesOf(count)));
    // The best of all are among the best of each part.
    const best = queries.map((): NaiveMemory[] => []);
    forEachPart((part) => {
      const byId = new Map(part.map((memory) => [memory.id, memory]));
      for (const [at, query] of queries.entries())
        for (const { id } of rankNaively(part, query, shares[at])) {
          const memory = byId.get(id);
          if (memory !== undefined) best[at]?.push(memory);
        }
    });
    return { memories, hits: queries.map((query, at) => rankNaively(best[at] ?? [], query, shares[at])) };
  } finally {
    database.close();
  }
}

function added(sum: WordCounts | null, more: WordCounts): WordCounts {
  if (sum === null) return more;
  const holders = sum.holders.map((each, at) => {
    const { count = 0, meant = [], meantCount = 0 } = more.holders[at] ?? {};
    return {
      word: each.word,
      count: each.count + count,
      meant: [...new Set([...each.meant, ...meant])].sort(),
      meantCount: each.meantCount + meantCount,
    };
  });
  return { stored: sum.stored + more.stored, searched: sum.searched + more.searched, holders };
}
