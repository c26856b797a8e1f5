// Owns the slow part of a bulk delete and other housekeeping, in small transactions between calls. Deletes only rows that no call can
// see any more.

import {
  accessResolutionMs,
  flushBatchRows,
  purgeBatchRows,
  purgeErasureRows,
} from "../../../platform/limits.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import type { MemoryTouch, WriterState } from "../threads/writer-state.ts";
import type { WordMerge } from "../words/merge.ts";
import { createRowRemoval } from "./row-removal.ts";

const removalLifeMs = 3_600_000;

interface DeadPool {
  project: number;
  memory_type: string;
  epoch: number;
}

/**
 * @returns a step that purges one batch in a transaction of its own and tells whether more is left. Words are removed from
 * the file along the way: all at once, they would be merged in one long step.
 */
export function createPurge(database: Database, state: WriterState, wordMerge: WordMerge): () => boolean {
  const nextDeadPool = database.prepare<[], DeadPool>(
    "SELECT project, memory_type, epoch FROM dead_pool LIMIT 1",
  );
  const batch = database
    .prepare<[DeadPool & { limit: number }], number>(
      `SELECT serial FROM memory WHERE project = :project AND memory_type = :memory_type AND epoch = :epoch ORDER BY serial LIMIT :limit`,
    )
    .pluck();
  const removeRows = createRowRemoval(database, state);
  const forget = database.prepare<[DeadPool]>(
    "DELETE FROM dead_pool WHERE project = :project AND memory_type = :memory_type AND epoch = :epoch",
  );
  let purged = 0;
  const purgeBatch = database.transaction(() => {
    const pool = nextDeadPool.get();
    // Only now: if the step fails, the purge stays due, and the next settled call starts it again.
    state.purgeIsDue = pool !== undefined;
    if (pool === undefined) return false;
    const serials = batch.all({ ...pool, limit: purgeBatchRows });
    removeRows(serials);
    purged += serials.length;
    if (serials.length < purgeBatchRows) forget.run(pool);
    return true;
  });
  return () => {
    if (purged >= purgeErasureRows) {
      if (!wordMerge.erase()) purged = 0;
      return true;
    }
    const isMoreLeft = purgeBatch();
    // A batch changes pages all over the file. They are written back while they are few, so that no commit has to wait for it.
    if (isMoreLeft) database.pragma("wal_checkpoint(PASSIVE)");
    return isMoreLeft;
  };
}

interface Touches {
  readonly keys: readonly [string, number][];
  readonly sessions: readonly [string, number][];
}

/** @returns a step that writes a batch of the access times in the state in a transaction of its own and tells whether more is left. */
export function createAccessFlush(database: Database, state: WriterState): () => boolean {
  // The operations ask for no time that is stored already. The conditions are for calls that were prepared before it was stored.
  const touchMemory = database.prepare(
    `UPDATE memory SET last_accessed_at = :at
     WHERE id = :id AND project = (SELECT serial FROM project WHERE id = :project) AND (last_accessed_at IS NULL OR last_accessed_at <= :at - ${accessResolutionMs} OR last_accessed_at > :at)`,
  );
  const touchKey = database.prepare(
    `UPDATE api_key SET last_used_at = :at
     WHERE id = :id AND (last_used_at IS NULL OR last_used_at <= :at - ${accessResolutionMs} OR last_used_at > :at)`,
  );
  const touchSession = database.prepare(
    `UPDATE console_session SET last_used_at = :at
     WHERE id = :id AND (last_used_at IS NULL OR last_used_at <= :at - ${accessResolutionMs} OR last_used_at > :at)`,
  );
  const write = database.transaction((memories: [string, MemoryTouch][], others: Touches) => {
    for (const [id, { project, at }] of memories) touchMemory.run({ id, project, at });
    for (const [id, at] of others.keys) touchKey.run({ id, at });
    for (const [id, at] of others.sessions) touchSession.run({ id, at });
  });
  return () => {
    const memories = [...state.touchedMemories.entries().take(flushBatchRows)];
    const keys = [...state.touchedKeys.entries().take(flushBatchRows)];
    const sessions = [...state.touchedSessions.entries().take(flushBatchRows)];
    if (memories.length + keys.length + sessions.length > 0) write(memories, { keys, sessions });
    for (const [id] of memories) state.touchedMemories.delete(id);
    for (const [id] of keys) state.touchedKeys.delete(id);
    for (const [id] of sessions) state.touchedSessions.delete(id);
    return state.touchedMemories.size + state.touchedKeys.size + state.touchedSessions.size > 0;
  };
}

/** @returns a step that deletes the rows of removals that every search index has read long ago. */
export function createRemovalCleanup(database: Database): (now: number) => void {
  const remove = database.prepare("DELETE FROM memory_removal WHERE removed_at < ?");
  return (now) => {
    remove.run(now - removalLifeMs);
  };
}
