// Owns the SQL that counts the records of a chain. Positions have no gaps, so a subtraction counts them. Reads no record at or below the
// newest anchor.

import type { ChainOwner, LedgerStatistics } from "../../../calls/storage/ledger-store.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { createChainSpan, createSeek } from "./audit-reader.ts";

/** Records whose size is measured. */
const sampleSize = 100;

interface End {
  readonly at: number;
  readonly hash: string;
}

export function createLedgerStatistics(
  database: Database,
): (project: ChainOwner, from: number | null) => LedgerStatistics {
  const span = createChainSpan(database);
  const seek = createSeek(database);
  const end = database.prepare<[number, number], End>(
    "SELECT at, hash FROM audit_entry WHERE chain = ? AND seq = ?",
  );
  const size = database
    .prepare<[number, number], number>(
      `SELECT octet_length(e.entry) + COALESCE(octet_length(p.text), 0) FROM audit_entry e
       LEFT JOIN audit_payload p ON p.entry = e.number WHERE e.chain = ? AND e.seq = ?`,
    )
    .pluck();

  return database.transaction((project: ChainOwner, from: number | null): LedgerStatistics => {
    const chain = span(project);
    if (chain === null)
      return { records: 0, firstAt: null, lastAt: null, headSeq: 0, headHash: null, bytes: 0 };
    const { number, last } = chain;
    const first = from === null ? chain.first : seek(chain, from);
    const records = Math.max(0, last - first + 1);
    const head = end.get(number, last);
    const measured = Math.min(records, sampleSize);
    let bytes = 0;
    for (let at = 0; at < measured; at++)
      bytes += size.get(number, first + Math.floor((at * records) / measured)) ?? 0;
    return {
      records,
      firstAt: records === 0 ? null : (end.get(number, first)?.at ?? null),
      lastAt: head?.at ?? null,
      headSeq: last,
      headHash: head?.hash ?? null,
      bytes: measured === 0 ? 0 : Math.round((bytes / measured) * records),
    };
  });
}
