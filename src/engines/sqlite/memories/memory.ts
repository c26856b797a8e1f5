// Owns all SQL that changes memories, except the purge (purge.ts).

import { madeOfText } from "../../../audit/parts/made-of.ts";
import type { MemoryTransaction } from "../../../calls/storage/memory-store.ts";
import { type Kind, kindOf, kinds } from "../../../memory/kind.ts";
import { keepsContent, toSearched } from "../../../memory/memory.ts";
import { type Owner, ownerId } from "../../../memory/owner.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { ownerSerialsOf } from "../project-serials.ts";
import { createModelLookup } from "../schema/model-binding.ts";
import type { WriterState } from "../threads/writer-state.ts";
import {
  aliveJoin,
  type MemoryRow,
  ofKinds,
  toKindsParameter,
  toMemory,
  toMetadataColumn,
  toOriginsColumn,
  toTagColumn,
  toVector,
  toVectorColumn,
} from "./memory-row.ts";
import { memoryStatements } from "./memory-statements.ts";
import type { Revisions } from "./revisions.ts";
import { selectedMemories } from "./selected-memories.ts";

export function createMemoryTransaction(
  database: Database,
  state: WriterState,
  revisions: Revisions,
): MemoryTransaction {
  const sql = memoryStatements(database);
  const serialOf = ownerSerialsOf(database);
  const bound = createModelLookup(database);

  const toBytes = (vector: Float32Array) => toVectorColumn(vector, bound()?.dimensions);
  const findRow = (owner: Owner, id: string): MemoryRow | undefined => sql.find.get(id, serialOf(owner));
  const epochOf = (owner: Owner, kind: Kind): number => {
    const epoch = sql.epoch.get(serialOf(owner), kind);
    if (epoch === undefined) throw new Error(`${ownerId(owner)} has no pool for ${kind}`);
    return epoch;
  };
  const addToPool = (owner: Owner, kind: Kind, count: number): void => {
    sql.count.run(count, serialOf(owner), kind);
    if (owner.subject === null) return;
    (kind === "passage" ? sql.countPassagesOfSubjects : sql.countOfSubjects).run(count, owner.project);
  };
  const removeRow = (owner: Owner, row: MemoryRow, now: number): void => {
    state.changeWords("remove", serialOf(owner), row.content_revision, toSearched(row));
    sql.removeVector.run(row.serial);
    sql.removeNextVector.run(row.serial);
    sql.remove.run(row.serial);
    sql.insertRemoval.run(serialOf(owner), revisions.next(serialOf(owner)), row.serial, now);
    addToPool(owner, row.memory_type, -1);
  };

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

    async insert(owner, memory, now) {
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
        formerOf = null,
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
        formerOf,
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
        formerOf,
        active,
        createdAt: now,
        updatedAt: now,
        lastAccessedAt: null,
        supersededBy: null,
        subject: owner.subject === null ? null : (sql.subjectName.get(owner.subject) ?? null),
      };
    },

    async update(owner, { memory, contentKey, vector }) {
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
    },

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

    async remove(owner, id, now) {
      const row = findRow(owner, id);
      if (row !== undefined) removeRow(owner, row, now);
      return row !== undefined;
    },

    async removeOldestPassages({ id: project }, count, now) {
      for (const { subject_id: subject, ...row } of sql.oldestPassages.all(project, count))
        removeRow({ project, subject }, row, now);
    },

    async removeAll(owner, wanted) {
      let removed = 0;
      for (const each of wanted ?? kinds) {
        const count = sql.poolCount.get(serialOf(owner), each) ?? 0;
        if (count === 0) continue;
        sql.bury.run(serialOf(owner), each);
        addToPool(owner, each, -count);
        sql.nextEpoch.run(revisions.next(serialOf(owner)), serialOf(owner), each);
        removed += count;
      }
      return removed;
    },

    async removeAllOf({ id }) {
      const removed = (sql.memories.get(id) ?? 0) + (sql.passages.get(id) ?? 0);
      sql.buryAll.run(id);
      sql.nextEpochs.run(id);
      sql.forgetSubjectMemories.run(id);
      return removed;
    },

    async removeSelected(owner, wanted, by, now) {
      const serial = serialOf(owner);
      const selected = selectedMemories(by);
      const found = database
        .prepare<[Record<string, unknown>], { serial: number; memory_type: Kind }>(
          `SELECT m.serial, m.memory_type FROM memory m ${aliveJoin}
           WHERE ${selected === null ? "m.project = :project" : `m.serial IN (${selected.sql})`} AND ${ofKinds("m")}`,
        )
        .all({ ...selected?.parameters, project: serial, kinds: toKindsParameter(wanted) });
      for (const [each, rows] of Map.groupBy(found, (row) => row.memory_type)) {
        // They leave their pool for a dead one, without their tags and metadata, so that nothing shows them and the purge deletes them.
        const epoch = revisions.next(serial);
        sql.buryEpoch.run(serial, each, epoch);
        for (const row of rows) {
          sql.moveToEpoch.run(epoch, row.serial);
          sql.insertRemoval.run(serial, revisions.next(serial), row.serial, now);
        }
        addToPool(owner, each, -rows.length);
      }
      return found.length;
    },
  };
}
