// Owns all SQL about the sessions and sign-in links of the console.

import type { Administrator } from "../../access/administrator.ts";
import type { Caller } from "../../access/caller.ts";
import { endedKeptMs } from "../../access/limits.ts";
import type { KnownSession, Session, SignInLink } from "../../access/session.ts";
import type { AccessReader, AccessTransaction } from "../../calls/storage/access-store.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import { type DatabaseFile, openWriting } from "./database-file/connection.ts";
import { checkFormat } from "./schema/migrate.ts";
import type { WriterState } from "./threads/writer-state.ts";
import { revokeAllTokens } from "./token-epochs.ts";

type SessionRow = Omit<Session, "administrator"> & Administrator;
type LinkRow = Omit<SignInLink, "administrator"> & Administrator;

type FindCaller = (keyId: string) => Caller | null;

const commonColumns =
  "id, os_uid AS osUid, os_user AS osUser, sudo_user AS sudoUser, created_at AS createdAt, expires_at AS expiresAt";
const sessionColumns = `${commonColumns}, key AS keyId, ip_address AS ip, user_agent AS userAgent, last_used_at AS lastUsedAt`;
const linkColumns = `${commonColumns}, used_at AS usedAt`;

export function createSessionReader(
  database: Database,
  findCaller: FindCaller,
): Pick<AccessReader, "findSession" | "findSignInLink"> {
  const session = database.prepare<[Uint8Array], SessionRow>(
    `SELECT ${sessionColumns} FROM console_session WHERE secret_digest = ?`,
  );
  const link = database.prepare<[Uint8Array], LinkRow>(
    `SELECT ${linkColumns} FROM console_link WHERE secret_digest = ?`,
  );
  return {
    async findSession(secretDigest) {
      const row = session.get(secretDigest);
      return row === undefined ? null : toKnownSession(row, findCaller);
    },
    async findSignInLink(secretDigest) {
      const row = link.get(secretDigest);
      return row === undefined ? null : toLink(row);
    },
  };
}

type SessionTransaction = Pick<
  AccessTransaction,
  | "insertSession"
  | "findSession"
  | "listSessions"
  | "removeSession"
  | "insertSignInLink"
  | "findSignInLink"
  | "listSignInLinks"
  | "useSignInLink"
  | "removeSignInLink"
>;

export function createSessionTransaction(
  database: Database,
  state: WriterState,
  findCaller: FindCaller,
): SessionTransaction {
  const insertSession = database.prepare(
    `INSERT INTO console_session (id, secret_digest, key, os_uid, os_user, sudo_user, ip_address, user_agent, created_at, expires_at)
     VALUES (:id, :secretDigest, :keyId, :osUid, :osUser, :sudoUser, :ip, :userAgent, :createdAt, :expiresAt)`,
  );
  const session = database.prepare<[string], SessionRow>(
    `SELECT ${sessionColumns} FROM console_session WHERE id = ?`,
  );
  const sessions = database.prepare<[], SessionRow>(
    `SELECT ${sessionColumns} FROM console_session ORDER BY id`,
  );
  const removeSession = database.prepare("DELETE FROM console_session WHERE id = ?");
  const insertLink = database.prepare(
    `INSERT INTO console_link (id, secret_digest, os_uid, os_user, sudo_user, created_at, expires_at)
     VALUES (:id, :secretDigest, :osUid, :osUser, :sudoUser, :createdAt, :expiresAt)`,
  );
  const link = database.prepare<[string], LinkRow>(`SELECT ${linkColumns} FROM console_link WHERE id = ?`);
  const links = database.prepare<[], LinkRow>(`SELECT ${linkColumns} FROM console_link ORDER BY id`);
  const useLink = database.prepare("UPDATE console_link SET used_at = ? WHERE id = ?");
  const removeLink = database.prepare("DELETE FROM console_link WHERE id = ?");
  return {
    async insertSession({ secretDigest, ...fields }, now) {
      const id = state.createId(now);
      const { keyId, administrator, ip, userAgent, expiresAt } = fields;
      const names = administrator ?? unknownAdministrator;
      insertSession.run({ id, secretDigest, keyId, ...names, ip, userAgent, createdAt: now, expiresAt });
      return { id, ...fields, createdAt: now, lastUsedAt: null };
    },
    async findSession(id) {
      const row = session.get(id);
      return row === undefined ? null : toKnownSession(row, findCaller);
    },
    listSessions: async () => sessions.all().map((row) => toKnownSession(row, findCaller)),
    removeSession: async (id) => void removeSession.run(id),
    async insertSignInLink({ secretDigest, administrator, expiresAt }, now) {
      const id = state.createId(now);
      insertLink.run({ id, secretDigest, ...administrator, createdAt: now, expiresAt });
      return { id, administrator, createdAt: now, expiresAt, usedAt: null };
    },
    async findSignInLink(id) {
      const row = link.get(id);
      return row === undefined ? null : toLink(row);
    },
    listSignInLinks: async () => links.all().map(toLink),
    useSignInLink: async (id, now) => void useLink.run(now, id),
    removeSignInLink: async (id) => void removeLink.run(id),
  };
}

/** @returns a step that deletes the sessions and links that ended some time ago. */
export function createSessionCleanup(database: Database): (now: number) => void {
  const deleteSessions = database.prepare(
    `DELETE FROM console_session WHERE expires_at <= :now OR key IN
       (SELECT id FROM api_key WHERE revoked_at <= :now OR expires_at <= :now)`,
  );
  const deleteLinks = database.prepare("DELETE FROM console_link WHERE expires_at <= :now");
  return database.transaction((at: number) => {
    const now = at - endedKeptMs;
    deleteSessions.run({ now });
    deleteLinks.run({ now });
  });
}

/**
 * Deletes all sessions and sign-in links of a database that no server uses, and leaves no file beside it.
 * @returns how many they were
 */
export function endAllSessions(file: DatabaseFile): number {
  const database = openWriting(file);
  try {
    // Older formats have none.
    if (checkFormat(database) < formatWithSessions) return 0;
    const end = database.transaction(() => {
      revokeAllTokens(database);
      return (
        database.prepare("DELETE FROM console_session").run().changes +
        database.prepare("DELETE FROM console_link").run().changes
      );
    });
    return end();
  } finally {
    database.pragma("journal_mode = DELETE");
    database.close();
  }
}

const formatWithSessions = 7;

const unknownAdministrator: Administrator = { osUid: null, osUser: null, sudoUser: null };

function toKnownSession(row: SessionRow, findCaller: FindCaller): KnownSession {
  const { osUid, osUser, sudoUser, ...session } = row;
  const { keyId } = session;
  const administrator = keyId === null ? { osUid, osUser, sudoUser } : null;
  return { session: { ...session, administrator }, caller: keyId === null ? null : findCaller(keyId) };
}

function toLink({ osUid, osUser, sudoUser, ...link }: LinkRow): SignInLink {
  return { ...link, administrator: { osUid, osUser, sudoUser } };
}
