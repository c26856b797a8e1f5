// Owns reading single entries from a database that is evidence, to compare them with what was kept elsewhere. Verifies nothing, and never writes.

import type { StoredEntries } from "../../../calls/storage/ledger-verifier.ts";
import { checkSchema } from "./database-checks.ts";
import { openEvidence } from "./source.ts";

/** As LedgerVerifier. */
export function readStoredEntries(path: string): StoredEntries | null {
  const source = openEvidence(path);
  source.all("BEGIN");
  if (checkSchema(source) !== null) {
    source.close();
    return null;
  }
  const chains = source.all(
    `SELECT number, id, (SELECT MAX(seq) FROM audit_entry WHERE chain = number) AS newest,
       (SELECT MAX(through) FROM audit_anchor WHERE chain = number) AS removed FROM audit_chain`,
  ) as { number: number; id: string; newest: number | null; removed: number | null }[];
  const known = new Map(chains.map((chain) => [chain.id, chain]));
  return {
    extent(chain) {
      const { newest, removed } = known.get(chain) ?? {};
      return { newest: newest ?? 0, removed: removed ?? 0 };
    },
    find(chain, seq) {
      const [row] = source.all(
        "SELECT entry, hash FROM audit_entry WHERE chain = ? AND seq = ?",
        known.get(chain)?.number ?? -1,
        seq,
      ) as { entry: unknown; hash: unknown }[];
      return row === undefined ? null : { entry: String(row.entry), hash: String(row.hash) };
    },
    [Symbol.dispose]: () => source.close(),
  };
}
