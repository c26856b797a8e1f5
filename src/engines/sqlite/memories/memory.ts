// Owns all SQL that creates and changes memories. memory-removal.ts removes them.

import { madeOfText } from "../../../audit/parts/made-of.ts";
import type { MemoryTransaction } from "../../../calls/storage/memory-store.ts";
import { kindOf } from "../../../memory/kind.ts";
import { keepsContent, type Memory, toSearched } from "../../../memory/memory.ts";
import { defaults } from "../../../memory/values.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { createModelLookup } from "../schema/model-binding.ts";
import type { WriterState } from "../threads/writer-state.ts";
import { createMemoryRemoval } from "./memory-removal.ts";
import { toColumns, toMemory, toVector, toVectorColumn } from "./memory-row.ts";
import { createMemoryTable, type MemoryTable } from "./memory-table.ts";
import type { Revisions } from "./revisions.ts";

export function createMemoryTransaction(
  database: Database,
  state: WriterState,
  revisions: Revisions,
): MemoryTransaction {
  const table = createMemoryTable(database, state, revisions);
  const { sql, serialOf, findRow } = table;
  const bound = createModelLookup(database);
  const toBytes = (vector: Float32Array) => toVectorColumn(vector, bound()?.dimensions);

  return {
    async ownerOf(id) {
      return sql.owner.get(id) ?? null;
    },

    async find(owner, id) {
      const row = findRow(owner, id);
      return row === undefined ? null : toMemory(row);
    },

    async hasVersion(owner, id, revision) {
      return sql.version.get(id, serialOf(owner), revision) !== undefined;
    },

    async changedSince(owner, revision) {
      const rows = sql.changedSince.all(serialOf(owner), revision);
      return rows.map(({ id, embedding }) => ({ id, vector: toVector(embedding) }));
    },

    async count(project, origin) {
      return (origin === "kept" ? sql.memories : sql.passages).get(project.id) ?? 0;
    },

    async claimContent(owner, contentKey, now, claim = {}) {
      const holder = sql.holder.get(serialOf(owner), contentKey);
      if (holder === undefined || holder.id === claim.exceptId) return null;
      const alive = findRow(owner, holder.id);
      if (alive !== undefined && keepsContent(toMemory(alive), now, claim)) return holder.id;
      sql.releaseContent.run(holder.serial);
      return null;
    },

    insert: createInsert(table, toBytes),
    update: createUpdate(table, toBytes),
    ...createMemoryRemoval(table),

    async vectorOf(owner, id) {
      const bytes = sql.vector.get(id, serialOf(owner));
      if (bytes === undefined) throw new Error("a memory that was found has no vector");
      return toVector(bytes);
    },

    async madeOf(owner, id) {
      const text = sql.madeOf.get(id, serialOf(owner)) ?? null;
      return text === null ? null : JSON.parse(text);
    },

    async setMadeOf(made) {
      sql.setMadeOf.run(madeOfText(made), made.memory);
    },
  };
}

type ToBytes = (vector: Float32Array) => Uint8Array;

function createInsert(
  { state, revisions, sql, serialOf, epochOf, addToPool }: MemoryTable,
  toBytes: ToBytes,
): MemoryTransaction["insert"] {
  return async (owner, { id: given, contentKey, vector, ...said }, now) => {
    const id = given ?? state.createId(now);
    // A memory that a bulk delete has hidden may still have the id.
    if (typeof given === "string") sql.giveUpId.run(state.createId(now), id);
    const subject = owner.subject === null ? null : (sql.subjectName.get(owner.subject) ?? null);
    const times = { createdAt: now, updatedAt: now, lastAccessedAt: null };
    const memory: Memory = { ...defaults, ...said, id, ...times, subject };
    const kind = kindOf(memory);
    const revision = revisions.next(serialOf(owner));
    const { lastInsertRowid } = sql.insert.run({
      ...toColumns(memory),
      id,
      project: serialOf(owner),
      epoch: epochOf(owner, kind),
      revision,
      contentKey,
      createdAt: now,
    });
    sql.insertVector.run(lastInsertRowid, toBytes(vector));
    state.changeWords("add", serialOf(owner), revision, toSearched(memory));
    addToPool(owner, kind, 1);
    return memory;
  };
}

function createUpdate(
  { state, revisions, sql, serialOf, findRow, epochOf, addToPool }: MemoryTable,
  toBytes: ToBytes,
): MemoryTransaction["update"] {
  return async (owner, { memory, contentKey, vector }) => {
    const before = findRow(owner, memory.id);
    if (before === undefined)
      throw new Error("an update needs a memory that was found in the same transaction");
    const kind = kindOf(memory);
    const revision = revisions.next(serialOf(owner));
    const isRewritten = memory.content !== before.content || memory.lead !== before.lead;
    sql.update.run({
      ...toColumns(memory),
      serial: before.serial,
      epoch: epochOf(owner, kind),
      revision,
      contentRevision: isRewritten ? revision : before.content_revision,
    });
    if (isRewritten) {
      state.changeWords("remove", serialOf(owner), before.content_revision, toSearched(before));
      state.changeWords("add", serialOf(owner), revision, toSearched(memory));
      sql.setOutdated.run(before.serial);
    }
    if (contentKey !== null) sql.setContentKey.run(contentKey, before.serial);
    if (vector !== null) sql.updateVector.run(toBytes(vector), before.serial);
    if (kind !== before.memory_type) {
      addToPool(owner, before.memory_type, -1);
      addToPool(owner, kind, 1);
    }
  };
}
