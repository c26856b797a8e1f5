// The projects and keys of the test engine.

import type { AdministrationKey } from "../../../src/access/administration-key.ts";
import { type Caller, callerFor } from "../../../src/access/caller.ts";
import { isNamed, type Project } from "../../../src/access/project.ts";
import type { KnownSession, SignInLink } from "../../../src/access/session.ts";
import { createTokenEpoch } from "../../../src/access/token.ts";
import type { AccessReader, AccessTransaction } from "../../../src/calls/storage/access-store.ts";
import type { Data, KeyRow, SessionRow } from "./data.ts";
import { ownIds } from "./subjects.ts";

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
    findCallersNamed: (projectId, keyName) =>
      data.inTurn(() =>
        data.keys
          .all()
          .filter(({ project, key }) => project === projectId && key.name === keyName)
          .flatMap((row) => toCaller(data, row) ?? []),
      ),
    findAdministrationKey: (secretDigest) =>
      data.inTurn(() => {
        const digest = hexOf(secretDigest);
        return data.administrationKeys.all().find((each) => each.digest === digest)?.key ?? null;
      }),
    findSession: (secretDigest) =>
      data.inTurn(() => {
        const digest = hexOf(secretDigest);
        const row = data.sessions.all().find((each) => each.digest === digest);
        return row === undefined ? null : toKnownSession(data, row);
      }),
    findSignInLink: (secretDigest) =>
      data.inTurn(() => {
        const digest = hexOf(secretDigest);
        return data.links.all().find((each) => each.digest === digest)?.link ?? null;
      }),
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
  const { project, isDeleted: isProjectDeleted } = owner;
  return callerFor({ key: row.key, project, isProjectDeleted }, null);
}

function toKnownSession(data: Data, { session }: SessionRow): KnownSession {
  return { session, caller: session.keyId === null ? null : findCallerOf(data, session.keyId) };
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

export function createAccessTransaction(data: Data): AccessTransaction {
  const { projects, keys, administrationKeys, memories, sessions, links, createId } = data;
  const keysOf = (id: string) => keys.all().filter(({ project }) => project === id);
  const revoke = (row: KeyRow, now: number) =>
    keys.set(row.key.id, { ...row, key: { ...row.key, revokedAt: now } });
  const changeAdministrationKey = (id: string, change: Partial<AdministrationKey>) => {
    const row = administrationKeys.get(id);
    if (row !== undefined) administrationKeys.set(id, { ...row, key: { ...row.key, ...change } });
  };
  return {
    findCaller: async (keyId) => findCallerOf(data, keyId),
    async insertProject(fields, now) {
      const project = { ...fields, id: createId(now), createdAt: now };
      projects.set(project.id, { project, isDeleted: false });
      return project;
    },
    findProject: async (reference) => findProject(data, reference),
    async listProjects({ text, after, order, limit }, now) {
      const place = after === null ? -1 : projects.all().findIndex(({ project }) => project.id === after);
      if (after !== null && place < 0) return null;
      const behind = projects
        .all()
        .slice(place + 1)
        .filter(({ isDeleted }) => !isDeleted);
      const wanted = behind.map(({ project }) => project).filter((project) => isNamed(project, text));
      const countOf = (id: string, passage: boolean) =>
        memories
          .all()
          .filter((row) => ownIds(data, id).includes(row.project) && row.memory.passage === passage).length;
      const found = wanted.map((project) => ({
        project,
        memories: countOf(project.id, false),
        passages: countOf(project.id, true),
        keys: keysOf(project.id).filter(
          ({ key: { revokedAt, expiresAt } }) =>
            revokedAt === null && (expiresAt === null || expiresAt > now),
        ).length,
      }));
      if (order === "memories") found.sort((left, right) => right.memories - left.memories);
      return found.slice(0, limit);
    },
    async updateProject(project) {
      projects.set(project.id, { project, isDeleted: false });
    },
    async removeProject(project, now) {
      projects.set(project.id, { project, isDeleted: true });
      for (const row of keysOf(project.id)) if (row.key.revokedAt === null) revoke(row, now);
    },
    async insertKey(project, { name, permissions, expiresAt, subject, gateway, secretDigest }, now) {
      const key = {
        id: createId(now),
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
      keys.set(key.id, { key, project: project.id, digest: Buffer.from(secretDigest).toString("hex") });
      return key;
    },
    listKeys: async (project) => keysOf(project.id).map(({ key }) => key),
    async updateKey({ id, gateway }) {
      const row = keys.get(id);
      if (row !== undefined) keys.set(id, { ...row, key: { ...row.key, gateway } });
    },
    async revokeKey(keyId, now) {
      const row = keys.get(keyId);
      if (row !== undefined) revoke(row, now);
    },
    async insertAdministrationKey({ secretDigest, ...fields }, now) {
      const key = { ...fields, id: createId(now), createdAt: now, revokedAt: null, lastUsedAt: null };
      administrationKeys.set(key.id, { key, digest: hexOf(secretDigest) });
      return key;
    },
    findAdministrationKey: async (id) => administrationKeys.get(id)?.key ?? null,
    listAdministrationKeys: async () => administrationKeys.all().map(({ key }) => key),
    revokeAdministrationKey: async (id, now) => changeAdministrationKey(id, { revokedAt: now }),
    touchAdministrationKey: async (id, now) => changeAdministrationKey(id, { lastUsedAt: now }),
    async revokeTokens(keyId) {
      for (const row of keys.all())
        if (keyId === null || row.key.id === keyId)
          keys.set(row.key.id, { ...row, key: { ...row.key, tokenEpoch: createTokenEpoch() } });
    },
    async insertSession({ secretDigest, ...fields }, now) {
      const session = { ...fields, id: createId(now), createdAt: now, lastUsedAt: null };
      sessions.set(session.id, { session, digest: hexOf(secretDigest) });
      return session;
    },
    async findSession(id) {
      const row = sessions.get(id);
      return row === undefined ? null : toKnownSession(data, row);
    },
    listSessions: async () =>
      sessions
        .all()
        .map((row) => toKnownSession(data, row))
        .toSorted((a, b) => (a.session.id < b.session.id ? -1 : 1)),
    removeSession: async (id) => void sessions.delete(id),
    async insertSignInLink({ secretDigest, ...fields }, now) {
      const link: SignInLink = { ...fields, id: createId(now), createdAt: now, usedAt: null };
      links.set(link.id, { link, digest: hexOf(secretDigest) });
      return link;
    },
    findSignInLink: async (id) => links.get(id)?.link ?? null,
    listSignInLinks: async () =>
      links
        .all()
        .map(({ link }) => link)
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    async useSignInLink(id, now) {
      const row = links.get(id);
      if (row !== undefined) links.set(id, { ...row, link: { ...row.link, usedAt: now } });
    },
    removeSignInLink: async (id) => void links.delete(id),
  };
}
