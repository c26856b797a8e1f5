// Owns the queries that count calls of the past by their records: which there were, and what those of the gateway cost. Records that clients
// have appended are no calls.

import { isOwn } from "../../../audit/verify/own-records.ts";
import type { ChainOwner } from "../../../calls/storage/ledger-store.ts";
import type { GatewayCost, PastCalls, PastCallsQuery } from "../../../calls/storage/statistics.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { createChainSpan, createSeek } from "./audit-reader.ts";

interface CallRow {
  at: number;
  action: string;
  project: string | null;
  code: number | null;
  duration: number | null;
  performed: number | null;
}

/** The newest records of all chains, back to a time. They are in the order in which they were written. */
export function createPastCallsReader(database: Database): (query: PastCallsQuery) => PastCalls {
  const newest = database.prepare<[number], CallRow>(
    `SELECT e.at, e.action, p.id AS project, json_extract(e.entry, '$.code') AS code,
            json_extract(e.entry, '$.numbers.duration') AS duration, json_extract(e.entry, '$.performed') AS performed
     FROM audit_entry e JOIN audit_chain c ON c.number = e.chain LEFT JOIN project p ON p.serial = c.project
     ORDER BY e.number DESC LIMIT ?`,
  );
  return ({ from, before, most }) => {
    const calls: PastCalls["calls"][number][] = [];
    let since = before;
    for (const { at, action, project, code, duration, performed } of newest.iterate(most)) {
      since = Math.max(from, Math.min(at, since));
      if (at < from) break;
      const isCall = isOwn({ action, project, isPerformed: performed === 1 });
      if (isCall && at < before && code !== null && duration !== null)
        calls.push({ at, operation: action, code, seconds: duration / 1_000, project });
    }
    return { since, calls };
  };
}

/** By the index of actions, so that only records of the gateway are read. */
export function createGatewayCostReader(
  database: Database,
): (project: ChainOwner, from: number) => GatewayCost {
  const span = createChainSpan(database);
  const seek = createSeek(database);
  const total = database.prepare<[number, number], GatewayCost>(
    `SELECT COUNT(*) AS calls, TOTAL(usd) AS usd, COALESCE(SUM(usd = 0), 0) AS withoutCost FROM (
       SELECT json_extract(entry, '$.numbers.balance_consumed_usd') AS usd FROM audit_entry
       WHERE chain = ? AND action > 'gateway.' AND action < 'gateway/' AND seq >= ?
         AND json_extract(entry, '$.performed') AND json_type(entry, '$.numbers.tokens') = 'object'
     )`,
  );
  return database.transaction((project: ChainOwner, from: number): GatewayCost => {
    const chain = span(project);
    const nothing = { calls: 0, usd: 0, withoutCost: 0 };
    return chain === null ? nothing : (total.get(chain.number, seek(chain, from)) ?? nothing);
  });
}
