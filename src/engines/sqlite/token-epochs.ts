// Owns the SQL of the epochs of tokens: a new one revokes all tokens of a key. Tokens themselves have no row.

import { createTokenEpoch } from "../../access/token.ts";
import type { AccessTransaction } from "../../calls/storage/access-store.ts";
import type { Database } from "../../platform/native/sqlite.ts";
import type { WriterState } from "./threads/writer-state.ts";

/** @returns a function that begins an epoch of a key; null: of each key */
function createBeginning(database: Database): (keyId: string | null) => void {
  const all = database.prepare<[], string>("SELECT id FROM api_key").pluck();
  const begin = database.prepare("UPDATE api_key SET token_epoch = ? WHERE id = ?");
  return (keyId) => {
    for (const id of keyId === null ? all.all() : [keyId]) begin.run(createTokenEpoch(), id);
  };
}

export function createTokenTransaction(
  database: Database,
  state: WriterState,
): Pick<AccessTransaction, "revokeTokens"> {
  const begin = createBeginning(database);
  return {
    async revokeTokens(keyId) {
      state.callers.clear();
      begin(keyId);
    },
  };
}

/** In a database that no server uses. Those of older formats have no tokens. */
export function revokeAllTokens(database: Database): void {
  const hasTokens = "SELECT 1 FROM pragma_table_info('api_key') WHERE name = 'token_epoch'";
  if (database.prepare(hasTokens).get() !== undefined) createBeginning(database)(null);
}
