// Owns all SQL about projects and keys.

import type { Caller } from "../../access/caller.ts";
import { isNamed, type Project } from "../../access/project.ts";
import type {
  AccessReader,
  AccessTransaction,
  NewProject,
  ProjectSummary,
} from "../../calls/storage/access-store.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import {
  type CallerRow,
  callerBy,
  type KeyRow,
  keyColumns,
  projectColumns,
  toCaller,
  toKey,
  toText,
} from "./access-rows.ts";
import { createAdministrationKeyReader, createAdministrationKeyTransaction } from "./administration-keys.ts";
import { createPoolInsertion, lookupOf, memoriesOf, passagesOf } from "./project-serials.ts";
import { createSessionReader, createSessionTransaction } from "./sessions.ts";
import type { WriterState } from "./threads/writer-state.ts";
import { createTokenTransaction } from "./token-epochs.ts";

/** An id means the project that has it, even where another one is named like it. */
const projectByReference = `SELECT ${projectColumns} FROM project p
  WHERE (p.id = ? OR p.name = ?) AND p.deleted_at IS NULL AND p.parent IS NULL ORDER BY p.id = ? DESC LIMIT 1`;

export function createAccessReader(database: Database): AccessReader {
  const bySecret = database.prepare<[Uint8Array], CallerRow>(callerBy("secret_digest"));
  const byId = database.prepare<[string], CallerRow>(callerBy("id"));
  const credits = database.prepare<[string], { credits: number | null }>(
    "SELECT credits FROM project WHERE id = ? AND deleted_at IS NULL",
  );
  const byReference = database.prepare<[string, string, string], Project>(projectByReference);
  const named = database.prepare<[string, string], CallerRow>(
    `SELECT ${projectColumns}, ${keyColumns}, p.deleted_at AS deletedAt FROM api_key k JOIN project p ON p.serial = k.project
     WHERE k.project = (SELECT serial FROM project WHERE id = ?) AND k.name = ? ORDER BY k.id`,
  );
  const callerOf = (keyId: string) => {
    const row = byId.get(keyId);
    return row === undefined ? null : toCaller(row);
  };
  return {
    async findCaller(secretDigest) {
      const row = bySecret.get(secretDigest);
      return row === undefined ? null : toCaller(row);
    },
    findCallerOfKey: async (keyId) => callerOf(keyId),
    findCallersNamed: async (projectId, keyName) => named.all(projectId, keyName).map(toCaller),
    ...createAdministrationKeyReader(database),
    ...createSessionReader(database, callerOf),
    findProject: async (idOrName) => byReference.get(idOrName, idOrName, idOrName) ?? null,
    async findCredits({ id }) {
      const row = credits.get(id);
      return row === undefined ? 0 : row.credits;
    },
  };
}

/** @returns a function that finds a key and its project inside a transaction. */
export function createCallerLookup(
  database: Database,
  { callers: known }: WriterState,
): (keyId: string) => Caller | null {
  const byId = database.prepare<[string], CallerRow>(callerBy("id"));
  return (keyId) => {
    const found = known.get(keyId);
    if (found !== undefined) return found;
    const row = byId.get(keyId);
    if (row === undefined) return null;
    const caller = toCaller(row);
    known.set(keyId, caller);
    return caller;
  };
}

export function createAccessTransaction(
  database: Database,
  state: WriterState,
  findCaller: (keyId: string) => Caller | null,
): AccessTransaction {
  const { find, serialOf } = lookupOf(database);
  const byReference = database.prepare<[string, string, string], Project>(projectByReference);
  const insertProject = database.prepare(
    `INSERT INTO project (id, name, plan, subscription, credits, memory_limit, passage_limit, retention_days, created_at)
     VALUES (:id, :name, :plan, :subscription, :credits, :memoryLimit, :passageLimit, :retentionDays, :createdAt)`,
  );
  const insertPools = createPoolInsertion(database);
  const updateProject = database.prepare(
    `UPDATE project SET plan = :plan, subscription = :subscription, credits = :credits,
       memory_limit = :memoryLimit, passage_limit = :passageLimit, retention_days = :retentionDays
     WHERE id = :id`,
  );
  const summariesBy = (order: string) =>
    database.prepare<[number, number], Project & Omit<ProjectSummary, "project">>(
      `SELECT ${projectColumns},
       ${memoriesOf("p")} AS memories, ${passagesOf("p")} AS passages,
       (SELECT COUNT(*) FROM api_key WHERE project = p.serial AND revoked_at IS NULL
         AND (expires_at IS NULL OR expires_at > ?)) AS keys
     FROM project p WHERE p.deleted_at IS NULL AND p.parent IS NULL AND p.serial > ? ORDER BY ${order}`,
    );
  const summaries = { created_at: summariesBy("p.serial"), memories: summariesBy("memories DESC, p.serial") };
  const markDeleted = database.prepare(
    "UPDATE project SET deleted_at = :now WHERE serial = :project OR parent = :project",
  );
  const revokeAll = database.prepare(
    "UPDATE api_key SET revoked_at = ? WHERE project = ? AND revoked_at IS NULL",
  );
  const insertKey = database.prepare(
    `INSERT INTO api_key (id, project, name, secret_digest, permissions, created_at, expires_at, subject, gateway)
     VALUES (:id, :project, :name, :secretDigest, :permissions, :createdAt, :expiresAt, :subject, :gateway)`,
  );
  const keysOfProject = database.prepare<[number], KeyRow>(
    `SELECT ${keyColumns} FROM api_key k WHERE k.project = ? ORDER BY k.id`,
  );
  const updateKey = database.prepare("UPDATE api_key SET gateway = ? WHERE id = ?");
  const revoke = database.prepare("UPDATE api_key SET revoked_at = ? WHERE id = ?");

  return {
    findCaller: async (keyId) => findCaller(keyId),
    async insertProject(project: NewProject, now) {
      const id = state.createId(now);
      const serial = Number(insertProject.run({ ...project, id, createdAt: now }).lastInsertRowid);
      insertPools(serial);
      return { ...project, id, createdAt: now };
    },
    findProject: async (idOrName) => byReference.get(idOrName, idOrName, idOrName) ?? null,
    async listProjects({ text, after, order, limit }, now) {
      const place = after === null ? 0 : find(after);
      if (place === undefined) return null;
      const found: ProjectSummary[] = [];
      for (const { memories, passages, keys, ...project } of summaries[order].iterate(now, place)) {
        if (isNamed(project, text)) found.push({ project, memories, passages, keys });
        if (found.length >= limit) break;
      }
      return found;
    },
    async updateProject({ id, plan, subscription, credits, memoryLimit, passageLimit, retentionDays }) {
      state.callers.clear();
      updateProject.run({ id, plan, subscription, credits, memoryLimit, passageLimit, retentionDays });
    },
    async removeProject(project, now) {
      state.callers.clear();
      markDeleted.run({ now, project: serialOf(project.id) });
      revokeAll.run(now, serialOf(project.id));
    },
    async insertKey(project, key, now) {
      const id = state.createId(now);
      const { name, permissions, expiresAt, subject, gateway } = key;
      insertKey.run({
        id,
        project: serialOf(project.id),
        name,
        secretDigest: key.secretDigest,
        permissions: permissions.join(" "),
        createdAt: now,
        expiresAt,
        subject,
        gateway: toText(gateway),
      });
      return {
        id,
        name,
        permissions,
        createdAt: now,
        expiresAt,
        revokedAt: null,
        lastUsedAt: null,
        subject,
        gateway,
        tokenEpoch: 0,
      };
    },
    async listKeys(project) {
      return keysOfProject.all(serialOf(project.id)).map(toKey);
    },
    async updateKey({ id, gateway }) {
      state.callers.clear();
      updateKey.run(toText(gateway), id);
    },
    async revokeKey(keyId, now) {
      state.callers.clear();
      revoke.run(now, keyId);
    },
    ...createAdministrationKeyTransaction(database, state),
    ...createTokenTransaction(database, state),
    ...createSessionTransaction(database, state, findCaller),
  };
}
