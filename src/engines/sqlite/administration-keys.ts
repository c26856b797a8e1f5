// Owns all SQL about administration keys.

import type { AdministrationKey } from "../../access/administration-key.ts";
import type { AccessReader, AccessTransaction } from "../../calls/storage/access-store.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import type { WriterState } from "./threads/writer-state.ts";

interface AdministrationKeyRow {
  id: string;
  name: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
}

const columns = "id, name, created_at, expires_at, revoked_at, last_used_at";

export function createAdministrationKeyReader(
  database: Database,
): Pick<AccessReader, "findAdministrationKey"> {
  const bySecret = database.prepare<[Uint8Array], AdministrationKeyRow>(
    `SELECT ${columns} FROM administration_key WHERE secret_digest = ?`,
  );
  return {
    async findAdministrationKey(secretDigest) {
      const row = bySecret.get(secretDigest);
      return row === undefined ? null : toKey(row);
    },
  };
}

type AdministrationKeyTransaction = Pick<
  AccessTransaction,
  | "insertAdministrationKey"
  | "findAdministrationKey"
  | "listAdministrationKeys"
  | "revokeAdministrationKey"
  | "touchAdministrationKey"
>;

export function createAdministrationKeyTransaction(
  database: Database,
  { createId }: Pick<WriterState, "createId">,
): AdministrationKeyTransaction {
  const insert = database.prepare(
    `INSERT INTO administration_key (id, name, secret_digest, created_at, expires_at)
     VALUES (:id, :name, :secretDigest, :createdAt, :expiresAt)`,
  );
  const byId = database.prepare<[string], AdministrationKeyRow>(
    `SELECT ${columns} FROM administration_key WHERE id = ?`,
  );
  const all = database.prepare<[], AdministrationKeyRow>(
    `SELECT ${columns} FROM administration_key ORDER BY id`,
  );
  const revoke = database.prepare("UPDATE administration_key SET revoked_at = ? WHERE id = ?");
  const touch = database.prepare("UPDATE administration_key SET last_used_at = ? WHERE id = ?");
  return {
    async insertAdministrationKey({ name, secretDigest, expiresAt }, now) {
      const id = createId(now);
      insert.run({ id, name, secretDigest, createdAt: now, expiresAt });
      return { id, name, createdAt: now, expiresAt, revokedAt: null, lastUsedAt: null };
    },
    async findAdministrationKey(id) {
      const row = byId.get(id);
      return row === undefined ? null : toKey(row);
    },
    listAdministrationKeys: async () => all.all().map(toKey),
    revokeAdministrationKey: async (id, now) => void revoke.run(now, id),
    touchAdministrationKey: async (id, now) => void touch.run(now, id),
  };
}

function toKey(row: AdministrationKeyRow): AdministrationKey {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}
