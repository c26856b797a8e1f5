// Answers questions about the ledger outside of calls, from one connection. Decides nothing.

import type { StoredLedger } from "../../../calls/storage/stored-ledger.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { readAuditKey, writeAuditKey } from "./audit-key.ts";
import { findNewerCheckpoints, readRecordedErasures, readRecordedRotations } from "./ledger-copies.ts";
import { findMissingRecords } from "./missing-records.ts";
import { findUncoveredRemovals } from "./uncovered-removals.ts";

export function readStoredLedger(database: Database): StoredLedger {
  return {
    findKey: async () => readAuditKey(database),
    setKey: async (verifierKey) => writeAuditKey(database, verifierKey),
    findMissingRecords: async (checkpoints) => findMissingRecords(database, checkpoints),
    findUncoveredRemovals: async (verifierKeys) => findUncoveredRemovals(database, verifierKeys),
    findNewerCheckpoints: async (published) => findNewerCheckpoints(database, published),
    findRotations: async () => readRecordedRotations(database),
    findErasures: async () => readRecordedErasures(database),
  };
}
