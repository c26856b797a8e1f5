// Owns all SQL that changes memories, except the purge (purge.ts).

import type { Project } from "../../../access/project.ts";
import { madeOfText } from "../../../audit/made-of.ts";
import { keepsContent, type MemoryType, memoryTypes } from "../../../memory/memory.ts";
import type { MemoryTransaction } from "../../../memory/store.ts";
import type { Database } from "../../../native/sqlite.ts";
import { isUnitVector } from "../../../ranking/scores.ts";
import { serialsOf } from "../project-serials.ts";
import { createModelLookup } from "../schema/model-binding.ts";
import type { WriterState } from "../threads/writer-state.ts";
import { aliveJoin, type MemoryRow, toMemory, toTagColumn, toVector } from "./memory-row.ts";
import { memoryStatements } from "./memory-statements.ts";
import type { Revisions } from "./revisions.ts";
import { taggedMemories } from "./tags.ts";

export function createMemoryTransaction(
  database: Database,
  state: WriterState,
  revisions: Revisions,
): MemoryTransaction {
  const sql = memoryStatements(database);
  const serialOf = serialsOf(database);
  const bound = createModelLookup(database);

  const toBytes = (vector: Float32Array): Uint8Array => {
    if (!isUnitVector(vector, bound()?.dimensions)) {
      throw new Error(`a vector of ${vector.length} numbers is not a unit vector of the model`);
    }
    return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  };

  const findRow = (project: Project, id: string): MemoryRow | undefined =>
    sql.find.get(id, serialOf(project.id));
  const epochOf = (project: Project, type: MemoryType): number => {
    const epoch = sql.epoch.get(serialOf(project.id), type);
    if (epoch === undefined) throw new Error(`project ${project.id} has no pool for ${type}`);
    return epoch;
  };
  const addToPool = (project: Project, type: MemoryType, count: number): void => {
    sql.count.run(count, serialOf(project.id), type);
  };

  return {
    async ownerOf(id) {
      return sql.owner.get(id) ?? null;
    },

    async find(project, id) {
      const row = findRow(project, id);
      return row === undefined ? null : toMemory(row);
    },

    async hasVersion(project, id, revision) {
      return sql.version.get(id, serialOf(project.id), revision) !== undefined;
    },

    async changedSince(project, revision) {
      const rows = sql.changedSince.all(serialOf(project.id), revision);
      return rows.map(({ id, embedding }) => ({ id, vector: toVector(embedding) }));
    },

    async count(project) {
      return sql.total.get(serialOf(project.id)) ?? 0;
    },

    async claimContent(project, contentKey, now, claim = {}) {
      const holder = sql.holder.get(serialOf(project.id), contentKey);
      if (holder === undefined || holder.id === claim.exceptId) return null;
      const alive = findRow(project, holder.id);
      if (alive !== undefined && keepsContent(toMemory(alive), now, claim)) return holder.id;
      sql.releaseContent.run(holder.serial);
      return null;
    },

    async insert(project, memory, now) {
      const { content, contentKey, type, importance, expiresAt, tags, active = true } = memory;
      const id = memory.id ?? state.createId(now);
      // A memory that a bulk delete has hidden may still have the id.
      if (typeof memory.id === "string") sql.giveUpId.run(state.createId(now), id);
      const revision = revisions.next(serialOf(project.id));
      const { lastInsertRowid } = sql.insert.run({
        id,
        project: serialOf(project.id),
        type,
        epoch: epochOf(project, type),
        revision,
        content,
        contentKey,
        importance,
        active: active ? 1 : 0,
        now,
        expiresAt,
        tags: toTagColumn(tags),
      });
      sql.insertVector.run(lastInsertRowid, toBytes(memory.vector));
      state.changeWords("add", serialOf(project.id), revision, content);
      addToPool(project, type, 1);
      return {
        id,
        content,
        type,
        importance,
        expiresAt,
        tags,
        active,
        createdAt: now,
        updatedAt: now,
        lastAccessedAt: null,
        supersededBy: null,
      };
    },

    async update(project, { memory, contentKey, vector }) {
      const before = findRow(project, memory.id);
      if (before === undefined)
        throw new Error("an update needs a memory that was found in the same transaction");
      const { type, content, importance, active, updatedAt, expiresAt } = memory;
      const revision = revisions.next(serialOf(project.id));
      const isRewritten = content !== before.content;
      sql.update.run({
        serial: before.serial,
        type,
        content,
        importance,
        updatedAt,
        expiresAt,
        tags: toTagColumn(memory.tags),
        supersededBy: memory.supersededBy,
        active: active ? 1 : 0,
        epoch: epochOf(project, type),
        revision,
        contentRevision: isRewritten ? revision : before.content_revision,
      });
      if (isRewritten) {
        state.changeWords("remove", serialOf(project.id), before.content_revision, before.content);
        state.changeWords("add", serialOf(project.id), revision, content);
        sql.setOutdated.run(before.serial);
      }
      if (contentKey !== null) sql.setContentKey.run(contentKey, before.serial);
      if (vector !== null) sql.updateVector.run(toBytes(vector), before.serial);
      if (type !== before.memory_type) {
        addToPool(project, before.memory_type, -1);
        addToPool(project, type, 1);
      }
    },

    async setMadeOf(made) {
      sql.setMadeOf.run(madeOfText(made), made.memory);
    },

    async remove(project, id, now) {
      const row = findRow(project, id);
      if (row === undefined) return false;
      state.changeWords("remove", serialOf(project.id), row.content_revision, row.content);
      sql.removeVector.run(row.serial);
      sql.removeNextVector.run(row.serial);
      sql.remove.run(row.serial);
      sql.insertRemoval.run(serialOf(project.id), revisions.next(serialOf(project.id)), row.serial, now);
      addToPool(project, row.memory_type, -1);
      return true;
    },

    async removeAll(project, type) {
      let removed = 0;
      for (const each of type === null ? memoryTypes : [type]) {
        const count = sql.poolCount.get(serialOf(project.id), each) ?? 0;
        if (count === 0) continue;
        sql.bury.run(serialOf(project.id), each);
        sql.nextEpoch.run(revisions.next(serialOf(project.id)), serialOf(project.id), each);
        removed += count;
      }
      return removed;
    },

    async removeTagged(project, type, filter, now) {
      const serial = serialOf(project.id);
      const tagged = taggedMemories(filter);
      const found = database
        .prepare<[Record<string, unknown>], { serial: number; memory_type: MemoryType }>(
          `SELECT m.serial, m.memory_type FROM memory m ${aliveJoin}
           WHERE m.serial IN (${tagged.sql}) AND (:type IS NULL OR m.memory_type = :type)`,
        )
        .all({ ...tagged.parameters, project: serial, type });
      for (const [each, rows] of Map.groupBy(found, (row) => row.memory_type)) {
        // They leave their pool for a dead one, without their tags, so that nothing shows them and the purge deletes them.
        const epoch = revisions.next(serial);
        sql.buryEpoch.run(serial, each, epoch);
        for (const row of rows) {
          sql.moveToEpoch.run(epoch, row.serial);
          sql.insertRemoval.run(serial, revisions.next(serial), row.serial, now);
        }
        addToPool(project, each, -rows.length);
      }
      return found.length;
    },
  };
}
