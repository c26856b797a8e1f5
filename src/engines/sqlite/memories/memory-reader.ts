// Owns the SQL that finds memories without ranking them by relevance and without pages: by id, by content, rules, the most important and most recent ones.

import type { HeldQuery, MemoryVersion, TopMemoriesQuery } from "../../../calls/storage/memory-store.ts";
import { kindsOf } from "../../../memory/kind.ts";
import type { Memory } from "../../../memory/memory.ts";
import type { Owner } from "../../../memory/owner.ts";
import { highestPriority } from "../../../memory/ranking/priority.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { ownerSerialsOf } from "../project-serials.ts";
import {
  aliveJoin,
  fromAliveById,
  type MemoryRow,
  memoryColumns,
  ofKinds,
  toKindsParameter,
  toMemory,
} from "./memory-row.ts";
import { selectedMemories } from "./selected-memories.ts";

/** `aliveJoin` in the other order: sorts the visible memories instead of skipping all hidden ones and those of other types. */
export const aliveFirst = aliveJoin.replace("JOIN pool ON", "pool CROSS JOIN memory m ON");

export function createMemoryFinder(database: Database): (owner: Owner, id: string) => MemoryVersion | null {
  const serialOf = ownerSerialsOf(database);
  const find = database.prepare<[string, number], MemoryRow & { revision: number }>(
    `SELECT ${memoryColumns}, m.revision ${fromAliveById}`,
  );
  return (owner, id) => {
    const row = find.get(id, serialOf(owner));
    return row === undefined ? null : { memory: toMemory(row), revision: row.revision };
  };
}

/** Which of the items the owner has, by id or by content. */
export function createHeldFinder(
  database: Database,
): (owner: Owner, items: readonly HeldQuery[], now: number) => readonly boolean[] {
  const serialOf = ownerSerialsOf(database);
  const byId = database.prepare<[string, number], unknown>(`SELECT 1 ${fromAliveById}`);
  const byContent = database.prepare<[number, Uint8Array, number], unknown>(
    `SELECT 1 FROM memory m WHERE m.project = ? AND m.content_key = ? AND (m.expires_at IS NULL OR m.expires_at > ?)
       AND m.epoch = (SELECT epoch FROM pool WHERE pool.project = m.project AND pool.memory_type = m.memory_type)`,
  );
  return (owner, items, now) => {
    const serial = serialOf(owner);
    return items.map(
      ({ id, contentKey }) =>
        (id !== null && byId.get(id, serial) !== undefined) ||
        byContent.get(serial, contentKey, now) !== undefined,
    );
  };
}

/** All active rules of owners that have not expired, by importance, then oldest first, so that a new rule leaves the text in front of it as it is. */
export function createRuleReader(database: Database): (owners: readonly number[], now: number) => Memory[] {
  const rules = database.prepare<[Record<string, unknown>], MemoryRow>(
    // The plus makes SQLite sort the few rules instead of scanning all memories by importance.
    `SELECT ${memoryColumns} FROM ${aliveFirst}
     WHERE m.project = :owner AND m.memory_type = 'rule' AND m.is_active = 1
       AND (m.expires_at IS NULL OR m.expires_at > :now)
     ORDER BY +m.importance DESC, m.serial`,
  );
  return (owners, now) => {
    const rows = owners.flatMap((owner) => rules.all({ owner, now }));
    if (owners.length > 1) rows.sort((a, b) => b.importance - a.importance || a.serial - b.serial);
    return rows.map(toMemory);
  };
}

/**
 * The most important and most recent of all active, unexpired memories of some types. Reads numbers of each, and the contents of the best only. Pauses as
 * highestPriority does.
 */
export function createTopReader(
  database: Database,
): (owners: readonly number[], query: TopMemoriesQuery) => Generator<undefined, Memory[], undefined> {
  const rank = (condition: string) =>
    database.prepare<[Record<string, unknown>], { serial: number; importance: number; updatedAt: number }>(
      `SELECT m.serial, m.importance, m.updated_at AS updatedAt FROM ${aliveFirst}
       WHERE m.project = :project AND ${ofKinds("pool")} AND m.is_active = 1
         AND (m.expires_at IS NULL OR m.expires_at > :now) ${condition}`,
    );
  const ranked = rank("");
  const bySerial = database.prepare<[number], MemoryRow>(
    `SELECT ${memoryColumns} FROM memory m WHERE m.serial = ?`,
  );
  return function* read(owners, { types, origin, tags, metadata, topK, now }) {
    const selected = selectedMemories({ tags, metadata });
    const statement = selected === null ? ranked : rank(`AND m.serial IN (${selected.sql})`);
    const wanted = { kinds: toKindsParameter(kindsOf(types, origin)), now, ...selected?.parameters };
    const rows = owners.values().flatMap((project) => statement.iterate({ ...wanted, project }));
    const best = yield* highestPriority(rows, topK, now);
    return best.map(({ serial }) => {
      const row = bySerial.get(serial);
      if (row === undefined) throw new Error("a memory disappeared within a transaction");
      return toMemory(row);
    });
  };
}
