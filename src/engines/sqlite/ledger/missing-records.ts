// Compares the database with checkpoints that were published before: an older copy of a database lacks records that they cover.
// Only reads.

import type { Checkpoint } from "../../../audit/checkpoint.ts";
import type { Database } from "../../../native/sqlite.ts";
import type { MissingRecords } from "../../../storage/stored-ledger.ts";

/** The checkpoints that cover more records than the database has, or other records. */
export function findMissingRecords<KnownCheckpoint extends Checkpoint>(
  database: Database,
  checkpoints: readonly KnownCheckpoint[],
): MissingRecords<KnownCheckpoint>[] {
  const find = database.prepare<[{ chain: string; size: number }], { newest: number; hash: string | null }>(
    `SELECT MAX(COALESCE((SELECT MAX(seq) FROM audit_entry WHERE chain = c.number), 0),
                COALESCE((SELECT MAX(through) FROM audit_anchor WHERE chain = c.number), 0)) AS newest,
       (SELECT hash FROM audit_entry WHERE chain = c.number AND seq = :size) AS hash
     FROM audit_chain c WHERE c.id = :chain`,
  );
  return checkpoints.flatMap((checkpoint): MissingRecords<KnownCheckpoint>[] => {
    const { chain, size, hash } = checkpoint;
    const found = find.get({ chain, size });
    if (found === undefined) return [{ checkpoint, newest: null }];
    // A record that retention has removed can no longer be compared.
    const isHeld = size <= found.newest && (found.hash === null || found.hash === hash);
    return isHeld ? [] : [{ checkpoint, newest: found.newest }];
  });
}
