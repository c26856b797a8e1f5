// Owns all SQL about administration keys.

import type { AdministrationKey } from "../../access/administration-key.ts";
import type { AccessReader, AccessTransaction } from "../../calls/storage/access-store.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import type { WriterState } from "./threads/writer-state.ts";

const columns =
  "id, name, created_at AS createdAt, expires_at AS expiresAt, revoked_at AS revokedAt, last_used_at AS lastUsedAt";

export function createAdministrationKeyReader(
  database: Database,
): Pick<AccessReader, "findAdministrationKey"> {
  const bySecret = database.prepare<[Uint8Array], AdministrationKey>(
    `SELECT ${columns} FROM administration_key WHERE secret_digest = ?`,
  );
  return {
    findAdministrationKey: async (secretDigest) => bySecret.get(secretDigest) ?? null,
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
  const byId = database.prepare<[string], AdministrationKey>(
    `SELECT ${columns} FROM administration_key WHERE id = ?`,
  );
  const all = database.prepare<[], AdministrationKey>(
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
    findAdministrationKey: async (id) => byId.get(id) ?? null,
    listAdministrationKeys: async () => all.all(),
    revokeAdministrationKey: async (id, now) => void revoke.run(now, id),
    touchAdministrationKey: async (id, now) => void touch.run(now, id),
  };
}
