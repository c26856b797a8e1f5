// Owns all SQL that creates and changes memories. memory-removal.ts removes them.

import { madeOfText } from "../../../audit/parts/made-of.ts";
import type { MemoryTransaction } from "../../../calls/storage/memory-store.ts";
import { kindOf } from "../../../memory/kind.ts";
import { keepsContent, toSearched } from "../../../memory/memory.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { createModelLookup } from "../schema/model-binding.ts";
import type { WriterState } from "../threads/writer-state.ts";
import { createMemoryRemoval } from "./memory-removal.ts";
import {
  toMemory,
  toMetadataColumn,
  toOriginsColumn,
  toTagColumn,
  toVector,
  toVectorColumn,
} from "./memory-row.ts";
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
  return async (owner, memory, now) => {
    const {
      content,
      contentKey,
      type,
      importance,
      expiresAt,
      tags,
      metadata = null,
      origins = [],
      lead = null,
      previousOf = null,
      active = true,
      passage = false,
    } = memory;
    const kind = kindOf({ type, passage });
    const id = memory.id ?? state.createId(now);
    // A memory that a bulk delete has hidden may still have the id.
    if (typeof memory.id === "string") sql.giveUpId.run(state.createId(now), id);
    const revision = revisions.next(serialOf(owner));
    const { lastInsertRowid } = sql.insert.run({
      id,
      project: serialOf(owner),
      kind,
      epoch: epochOf(owner, kind),
      revision,
      content,
      contentKey,
      importance,
      active: active ? 1 : 0,
      now,
      expiresAt,
      tags: toTagColumn(tags),
      metadata: toMetadataColumn(metadata),
      origins: toOriginsColumn(origins),
      lead,
      previousOf,
    });
    sql.insertVector.run(lastInsertRowid, toBytes(memory.vector));
    state.changeWords("add", serialOf(owner), revision, toSearched({ lead, content }));
    addToPool(owner, kind, 1);
    return {
      id,
      content,
      type,
      passage,
      importance,
      expiresAt,
      tags,
      metadata,
      origins,
      lead,
      previousOf,
      active,
      createdAt: now,
      updatedAt: now,
      lastAccessedAt: null,
      supersededBy: null,
      subject: owner.subject === null ? null : (sql.subjectName.get(owner.subject) ?? null),
    };
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
    const { content, importance, active, updatedAt, expiresAt } = memory;
    const kind = kindOf(memory);
    const revision = revisions.next(serialOf(owner));
    const isRewritten = content !== before.content || memory.lead !== before.lead;
    sql.update.run({
      serial: before.serial,
      kind,
      content,
      importance,
      updatedAt,
      expiresAt,
      tags: toTagColumn(memory.tags),
      metadata: toMetadataColumn(memory.metadata),
      origins: toOriginsColumn(memory.origins),
      lead: memory.lead,
      supersededBy: memory.supersededBy,
      active: active ? 1 : 0,
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
