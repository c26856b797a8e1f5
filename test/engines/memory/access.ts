// The projects and keys of the test engine.

import type { Caller } from "../../../src/access/caller.ts";
import type { Project } from "../../../src/access/project.ts";
import type { AccessReader, AccessTransaction } from "../../../src/access/store.ts";
import type { Data, KeyRow } from "./data.ts";

export function createAccessReader(data: Data): AccessReader {
  return {
    findCaller: (secretDigest) =>
      data.inTurn(() => {
        const digest = Buffer.from(secretDigest).toString("hex");
        return toCaller(
          data,
          data.keys.all().find((row) => row.digest === digest),
        );
      }),
    findCallerOfKey: (keyId) => data.inTurn(() => findCallerOf(data, keyId)),
    findProject: (idOrName) => data.inTurn(() => findProject(data, idOrName)),
    findCredits: ({ id }) =>
      data.inTurn(() => {
        const row = data.projects.get(id);
        return row === undefined || row.isDeleted ? 0 : row.project.credits;
      }),
  };
}

export function findCallerOf(data: Data, keyId: string): Caller | null {
  return toCaller(data, data.keys.get(keyId));
}

function alive({ projects }: Data): Project[] {
  return projects.all().flatMap(({ project, isDeleted }) => (isDeleted ? [] : [project]));
}

/** An id means the project that has it, even where another one is named like it. */
function findProject(data: Data, reference: string): Project | null {
  const all = alive(data);
  return all.find(({ id }) => id === reference) ?? all.find(({ name }) => name === reference) ?? null;
}

function toCaller({ projects }: Data, row: KeyRow | undefined): Caller | null {
  const owner = row && projects.get(row.project);
  if (row === undefined || owner === undefined) return null;
  return { key: row.key, project: owner.project, isProjectDeleted: owner.isDeleted };
}

export function createAccessTransaction(data: Data): AccessTransaction {
  const { projects, keys, memories, createId } = data;
  const keysOf = (id: string) => keys.all().filter(({ project }) => project === id);
  const revoke = (row: KeyRow, now: number) =>
    keys.set(row.key.id, { ...row, key: { ...row.key, revokedAt: now } });
  return {
    findCaller: async (keyId) => findCallerOf(data, keyId),
    async insertProject(fields, now) {
      const project = { ...fields, id: createId(now), createdAt: now };
      projects.set(project.id, { project, isDeleted: false });
      return project;
    },
    findProject: async (reference) => findProject(data, reference),
    listProjects: async (now) =>
      alive(data).map((project) => ({
        project,
        memories: memories.all().filter((row) => row.project === project.id).length,
        keys: keysOf(project.id).filter(
          ({ key: { revokedAt, expiresAt } }) =>
            revokedAt === null && (expiresAt === null || expiresAt > now),
        ).length,
      })),
    async updateProject(project) {
      projects.set(project.id, { project, isDeleted: false });
    },
    async removeProject(project, now) {
      projects.set(project.id, { project, isDeleted: true });
      for (const row of keysOf(project.id)) if (row.key.revokedAt === null) revoke(row, now);
    },
    async insertKey(project, { name, permissions, expiresAt, secretDigest }, now) {
      const key = {
        id: createId(now),
        name,
        permissions,
        createdAt: now,
        expiresAt,
        revokedAt: null,
        lastUsedAt: null,
      };
      keys.set(key.id, { key, project: project.id, digest: Buffer.from(secretDigest).toString("hex") });
      return key;
    },
    listKeys: async (project) => keysOf(project.id).map(({ key }) => key),
    async revokeKey(keyId, now) {
      const row = keys.get(keyId);
      if (row !== undefined) revoke(row, now);
    },
  };
}
