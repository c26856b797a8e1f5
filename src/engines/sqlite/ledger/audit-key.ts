// Owns what the database knows about the key that signs its ledger: which one is in use. Holds public keys only.

import type { KeyInUse } from "../../../calls/storage/stored-ledger.ts";
import type { Database } from "../../../platform/native/sqlite.ts";

export function readAuditKey(database: Database): KeyInUse {
  const text = (sql: string): string | null => {
    const value = database.prepare(sql).pluck().get();
    return typeof value === "string" ? value : null;
  };
  return {
    verifierKey: text("SELECT value FROM installation WHERE name = 'audit_key'"),
    newestNote: text("SELECT note FROM audit_checkpoint ORDER BY at DESC LIMIT 1"),
  };
}

/** Whether this key may sign: before a change of the key is committed, the new one may not. */
export function isKeyInUse(database: Database, verifierKey: string): boolean {
  const inUse = database.prepare("SELECT value FROM installation WHERE name = 'audit_key'").pluck().get();
  return inUse === undefined || inUse === verifierKey;
}

/** From now on only this key may sign. */
export function writeAuditKey(database: Database, verifierKey: string): void {
  database
    .prepare("INSERT OR REPLACE INTO installation (name, value) VALUES ('audit_key', ?)")
    .run(verifierKey);
}
