// Owns the SQL of a change of the embedding model: which memories have no vector of the new model, where its vectors are stored, and how
// they replace the previous ones. Never changes the vectors in use before that.

import type {
  ContentToEmbed,
  EmbeddedContent,
  ModelChange,
  ModelTransaction,
} from "../../../calls/storage/model-change-store.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import {
  createModelLookup,
  readChange,
  replaceModel,
  type StoredChange,
  writeChange,
} from "../schema/model-binding.ts";
import { aliveJoin, searchedText } from "./memory-row.ts";

/** The tables exchange their names: dropping one would write all of its pages. schema.sql has what this makes of them. */
export const exchangeTables = `ALTER TABLE memory_vector RENAME TO memory_vector_former;
ALTER TABLE memory_vector_next RENAME TO memory_vector;
ALTER TABLE memory_vector_former RENAME TO memory_vector_next;`;

/** Rows that one step deletes. */
const removalRows = 100;

export function createModelTransaction(database: Database): ModelTransaction {
  const bound = createModelLookup(database);
  const isMissing = database
    .prepare<[number], number>(
      `SELECT EXISTS (SELECT 1 FROM memory m ${aliveJoin} WHERE m.serial > ?)
         OR EXISTS (SELECT 1 FROM memory_vector_outdated o JOIN memory m ON m.serial = o.memory ${aliveJoin})`,
    )
    .pluck();
  const forgetOutdated = database.prepare("DELETE FROM memory_vector_outdated");
  const count = countMemories(database);
  return {
    bound: async () => bound(),
    change: async () => toChange(readChange(database)),
    async begin(to, now) {
      forgetOutdated.run();
      // Vectors of an earlier change may still be there. They are replaced, or belong to memories that no search finds.
      writeChange(database, { to, startedAt: now, done: 0, failure: null, through: 0 });
    },
    async retry() {
      const change = readChange(database);
      if (change !== null) writeChange(database, { ...change, failure: null });
    },
    async cancel() {
      forgetOutdated.run();
      writeChange(database, null);
    },
    async finish() {
      const change = readChange(database);
      if (change === null || isMissing.get(change.through) === 1) return null;
      database.exec(exchangeTables);
      forgetOutdated.run();
      writeChange(database, null);
      replaceModel(database, change.to);
      return count();
    },
  };
}

/** What takes no time, for a connection that only reads. */
export function createModelReader(database: Database) {
  return { bound: createModelLookup(database), change: () => toChange(readChange(database)) };
}

/** For a connection that only reads. */
export function createMissingReader(database: Database) {
  const behind = database.prepare<[number, number], ContentToEmbed>(
    `SELECT m.id AS memory, m.content_revision AS version, ${searchedText} AS content FROM memory m ${aliveJoin}
     WHERE m.serial > ? ORDER BY m.serial LIMIT ?`,
  );
  const outdated = database.prepare<[number, number], ContentToEmbed>(
    `SELECT m.id AS memory, m.content_revision AS version, ${searchedText} AS content
     FROM memory_vector_outdated o JOIN memory m ON m.serial = o.memory ${aliveJoin}
     WHERE o.memory <= ? ORDER BY o.memory LIMIT ?`,
  );
  const count = countMemories(database);
  return {
    countMemories: () => count(),
    findMissing: database.transaction((limit: number): readonly ContentToEmbed[] => {
      const change = readChange(database);
      if (change === null) return [];
      const found = behind.all(change.through, limit);
      return found.length === limit
        ? found
        : [...found, ...outdated.all(change.through, limit - found.length)];
    }),
  };
}

/** For the writing connection, between groups. Each function is one transaction. */
export function createNextVectors(database: Database) {
  const find = database.prepare<[string], { serial: number; content_revision: number }>(
    "SELECT serial, content_revision FROM memory WHERE id = ?",
  );
  const insert = database.prepare(
    "INSERT OR REPLACE INTO memory_vector_next (memory, embedding) VALUES (?, vec_f32(?))",
  );
  const isCurrent = database.prepare("DELETE FROM memory_vector_outdated WHERE memory = ?");

  /** @returns the change, if it is still the one in progress */
  const inProgress = ({ to, startedAt }: ModelChange): StoredChange | null => {
    const change = readChange(database);
    return change?.to.sha256 === to.sha256 && change.startedAt === startedAt ? change : null;
  };
  return {
    add: database.transaction((given: ModelChange, vectors: readonly EmbeddedContent[]) => {
      const change = inProgress(given);
      if (change === null) return;
      let { through, done } = change;
      for (const { memory, version, vector } of vectors) {
        const row = find.get(memory);
        // Deleted, created again with the same id, or changed, which has made it outdated.
        if (row?.content_revision !== version) continue;
        if (row.serial > through) done += 1;
        through = Math.max(through, row.serial);
        insert.run(row.serial, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
        isCurrent.run(row.serial);
      }
      writeChange(database, { ...change, through, done });
    }),
    fail: database.transaction((given: ModelChange, failure: string) => {
      const change = inProgress(given);
      if (change !== null) writeChange(database, { ...change, failure });
    }),
  };
}

/**
 * @returns a step that deletes a few vectors that no search uses, in a transaction of its own, and tells whether more are left. While a
 * change is in progress they are its own.
 */
export function createUnusedVectorRemoval(database: Database): () => boolean {
  const remove = database.prepare<[number]>(
    "DELETE FROM memory_vector_next WHERE memory IN (SELECT memory FROM memory_vector_next ORDER BY memory LIMIT ?)",
  );
  const step = database.transaction(() => {
    if (readChange(database) !== null) return false;
    return remove.run(removalRows).changes === removalRows;
  });
  return () => {
    const isMoreLeft = step();
    // As after a step of the purge: written back while the pages are few, so that no commit has to wait for it.
    if (isMoreLeft) database.pragma("wal_checkpoint(PASSIVE)");
    return isMoreLeft;
  };
}

export function toChange(stored: StoredChange | null): ModelChange | null {
  if (stored === null) return null;
  const { to, startedAt, done, failure } = stored;
  return { to, startedAt, done, failure };
}

/** @returns the number of memories that a bulk delete has not hidden */
export function countMemories(database: Database): () => number {
  const total = database.prepare<[], number>("SELECT TOTAL(memories) FROM pool").pluck();
  return () => total.get() ?? 0;
}
