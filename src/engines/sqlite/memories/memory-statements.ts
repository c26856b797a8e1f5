// Owns the statements with which a call changes memories. Must never decide when one runs; memory.ts does.

import type { Owner } from "../../../memory/owner.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { memoriesOf, ownersOfProject, passagesOf } from "../project-serials.ts";
import { aliveJoin, fromAliveById, type MemoryRow, memoryColumns, writtenColumns } from "./memory-row.ts";

/** Prepared once per connection. */
export function memoryStatements(database: Database) {
  return {
    find: database.prepare<[string, number], MemoryRow>(`SELECT ${memoryColumns} ${fromAliveById}`),
    version: database.prepare<[string, number, number], unknown>(
      `SELECT 1 ${fromAliveById} AND m.revision = ?`,
    ),
    owner: database.prepare<[string], Owner>(
      `SELECT COALESCE(p.id, o.id) AS project, CASE WHEN p.id IS NULL THEN NULL ELSE o.id END AS subject
         FROM memory m JOIN project o ON o.serial = m.project LEFT JOIN project p ON p.serial = o.parent
         WHERE m.id = ? AND m.epoch =
           (SELECT epoch FROM pool WHERE pool.project = m.project AND pool.memory_type = m.memory_type)`,
    ),
    subjectName: database.prepare<[string], string | null>("SELECT name FROM pseudonym WHERE id = ?").pluck(),
    vector: database
      .prepare<[string, number], Uint8Array>(
        "SELECT v.embedding FROM memory m JOIN memory_vector v ON v.memory = m.serial WHERE m.id = ? AND m.project = ?",
      )
      .pluck(),
    changedSince: database.prepare<[number, number], { id: string; embedding: Uint8Array }>(
      `SELECT m.id, v.embedding FROM memory m ${aliveJoin}
       JOIN memory_vector v ON v.memory = m.serial
       WHERE m.project = ? AND m.revision > ? AND m.memory_type <> 'passage'`,
    ),
    epoch: database
      .prepare<[number, string], number>("SELECT epoch FROM pool WHERE project = ? AND memory_type = ?")
      .pluck(),
    memories: database
      .prepare<[string], number>(`SELECT ${memoriesOf("p")} FROM project p WHERE p.id = ?`)
      .pluck(),
    passages: database
      .prepare<[string], number>(`SELECT ${passagesOf("p")} FROM project p WHERE p.id = ?`)
      .pluck(),
    oldestPassages: database.prepare<[string, number], MemoryRow & { subject_id: string | null }>(
      `SELECT ${memoryColumns}, CASE WHEN o.parent IS NOT NULL THEN o.id END AS subject_id
       FROM memory m INDEXED BY memory_passage JOIN project o ON o.serial = m.project ${aliveJoin}
       WHERE m.passage_of = (SELECT serial FROM project WHERE id = ?) ORDER BY m.serial LIMIT ?`,
    ),
    poolCount: database
      .prepare<[number, string], number>("SELECT memories FROM pool WHERE project = ? AND memory_type = ?")
      .pluck(),
    count: database.prepare("UPDATE pool SET memories = memories + ? WHERE project = ? AND memory_type = ?"),
    countOfSubjects: database.prepare(
      "UPDATE project SET subject_memories = subject_memories + ? WHERE id = ?",
    ),
    countPassagesOfSubjects: database.prepare(
      "UPDATE project SET subject_passages = subject_passages + ? WHERE id = ?",
    ),
    holder: database.prepare<[number, Uint8Array], { serial: number; id: string }>(
      "SELECT serial, id FROM memory WHERE project = ? AND content_key = ?",
    ),
    releaseContent: database.prepare("UPDATE memory SET content_key = NULL WHERE serial = ?"),
    insert: database.prepare(
      `INSERT INTO memory (id, project, epoch, revision, content_revision, content_key, created_at, passage_of,
         ${writtenColumns.join(", ")})
       VALUES (:id, :project, :epoch, :revision, :revision, :contentKey, :createdAt,
         CASE :memory_type WHEN 'passage' THEN (SELECT COALESCE(parent, serial) FROM project WHERE serial = :project) END,
         ${writtenColumns.map((name) => `:${name}`).join(", ")})`,
    ),
    giveUpId: database.prepare("UPDATE memory SET id = ? WHERE id = ?"),
    insertVector: database.prepare("INSERT INTO memory_vector (memory, embedding) VALUES (?, vec_f32(?))"),
    update: database.prepare(
      `UPDATE memory SET epoch = :epoch, revision = :revision, content_revision = :contentRevision,
         passage_of = CASE :memory_type WHEN 'passage' THEN passage_of END,
         ${writtenColumns.map((name) => `${name} = :${name}`).join(", ")}
       WHERE serial = :serial`,
    ),
    madeOf: database
      .prepare<[string, number], string | null>("SELECT made_of FROM memory WHERE id = ? AND project = ?")
      .pluck(),
    setMadeOf: database.prepare("UPDATE memory SET made_of = ? WHERE id = ?"),
    setContentKey: database.prepare("UPDATE memory SET content_key = ? WHERE serial = ?"),
    updateVector: database.prepare("UPDATE memory_vector SET embedding = vec_f32(?) WHERE memory = ?"),
    removeVector: database.prepare("DELETE FROM memory_vector WHERE memory = ?"),
    removeNextVector: database.prepare("DELETE FROM memory_vector_next WHERE memory = ?"),
    setOutdated: database.prepare(
      `INSERT OR IGNORE INTO memory_vector_outdated (memory)
       SELECT ? WHERE EXISTS (SELECT 1 FROM installation WHERE name = 'next_embedding_model')`,
    ),
    remove: database.prepare("DELETE FROM memory WHERE serial = ?"),
    insertRemoval: database.prepare(
      "INSERT INTO memory_removal (project, revision, memory, removed_at) VALUES (?, ?, ?, ?)",
    ),
    markForPurge: database.prepare(
      `INSERT INTO dead_pool (project, memory_type, epoch)
       SELECT project, memory_type, epoch FROM pool WHERE project = ? AND memory_type = ?`,
    ),
    markForPurgeEpoch: database.prepare(
      "INSERT INTO dead_pool (project, memory_type, epoch) VALUES (?, ?, ?)",
    ),
    markForPurgeAll: database.prepare(
      `INSERT INTO dead_pool (project, memory_type, epoch)
       SELECT project, memory_type, epoch FROM pool WHERE memories > 0 AND project IN (${ownersOfProject})`,
    ),
    // Nobody writes to a pool of a deleted project again, so no memory gets this epoch.
    nextEpochs: database.prepare(
      `UPDATE pool SET memories = 0, epoch = 1 + (SELECT MAX(epoch, revision) FROM project o WHERE o.serial = pool.project)
       WHERE memories > 0 AND project IN (${ownersOfProject})`,
    ),
    forgetSubjectMemories: database.prepare(
      "UPDATE project SET subject_memories = 0, subject_passages = 0 WHERE id = ?",
    ),
    moveToEpoch: database.prepare(
      "UPDATE memory SET epoch = ?, tags = NULL, metadata = NULL WHERE serial = ?",
    ),
    nextEpoch: database.prepare(
      "UPDATE pool SET epoch = ?, memories = 0 WHERE project = ? AND memory_type = ?",
    ),
  };
}
