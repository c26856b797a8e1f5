// Owns the SQL that finds the records about a memory, a limited number of payloads in each step. The index of memories has only records whose
// entry names one; which memories a batch or a search was about is in the payloads.

import type { ChainOwner, MentionQuery, Mentions } from "../../../calls/storage/ledger-store.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import {
  createChainSpan,
  createSeek,
  payloadJoin,
  type RecordRow,
  recordColumns,
  toStoredRecord,
} from "./audit-reader.ts";

/** Records that one step reads. */
const stepRecords = 200;

interface Place {
  readonly number: number;
  readonly seq: number;
  /** Whether the record is found without its payload. */
  readonly certain: number;
}

export function createMemoryMentions(
  database: Database,
): (project: ChainOwner, query: MentionQuery) => Mentions {
  const span = createChainSpan(database);
  const seek = createSeek(database);
  const inRange =
    "e.chain = :chain AND e.seq BETWEEN :low AND :high AND COALESCE(e.key NOT IN (SELECT value FROM json_each(:withoutKeys)), TRUE)";
  const newest = "ORDER BY e.seq DESC LIMIT :limit";
  const naming = database.prepare<[Record<string, unknown>], Place>(
    `SELECT e.number, e.seq, 1 AS certain FROM audit_entry e INDEXED BY audit_entry_by_memory
     WHERE ${inRange} AND e.memory = :memoryId AND e.action IN (SELECT value FROM json_each(:actions)) ${newest}`,
  );
  const ofAction = database.prepare<[Record<string, unknown>], Place>(
    `SELECT e.number, e.seq, :certain AS certain FROM audit_entry e INDEXED BY audit_entry_by_action
     WHERE ${inRange} AND e.action = :action ${newest}`,
  );
  const byNumber = database.prepare<[number], RecordRow>(
    `SELECT ${recordColumns} FROM audit_entry e ${payloadJoin} WHERE e.number = ?`,
  );

  return database.transaction((project: ChainOwner, query: MentionQuery): Mentions => {
    const chain = span(project);
    if (chain === null) return { records: [], below: null };
    const { memoryId, always } = query;
    const low = query.from === null ? chain.first : seek(chain, query.from);
    const high = query.below === null ? chain.last : query.below - 1;
    const withoutKeys = JSON.stringify(query.withoutKeys);
    const range = { chain: chain.number, low, high, limit: stepRecords, withoutKeys };
    const places = [
      ...naming.all({ ...range, memoryId, actions: JSON.stringify(query.naming) }),
      ...query.mentioning.flatMap((action) => ofAction.all({ ...range, action, certain: 0 })),
      ...(always === null ? [] : ofAction.all({ ...range, action: always, certain: 1 })),
    ].sort((a, b) => b.seq - a.seq);
    const step = places.slice(0, stepRecords);
    const records = step.flatMap(({ number, certain }) => {
      const row = byNumber.get(number);
      const record = row === undefined ? null : toStoredRecord(row);
      return record !== null && (certain === 1 || record.payload?.includes(memoryId)) ? [record] : [];
    });
    // Each source has its newest records, so those of the step are the newest of all.
    const last = step.length < stepRecords ? undefined : step.at(-1);
    return { records, below: last === undefined ? null : last.seq };
  });
}
