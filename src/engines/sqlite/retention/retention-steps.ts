// Owns the small steps in which retention deletes: records before an anchor, payloads that are too old, and subjects and conversations that nothing needs. Each step is its own
// transaction, and waiting calls are settled between them.

import { type RecordDraft, toServerRecord } from "../../../audit/record.ts";
import { retentionBatchRows } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { isOfVersion2 } from "../ledger/tree-roots.ts";
import type { RetainedChain } from "./retained-chain.ts";

export interface RetentionTools {
  readonly database: Database;
  readonly logger: Logger;
  /** The last seq of a chain without a payload, according to a signed record. */
  announcedThrough(chain: { readonly number: number; readonly chain: string }): number;
  /** Runs work in a transaction of its own, in which records may be appended. */
  inTransaction(work: () => Promise<void>): Promise<void>;
  append(draft: RecordDraft): Promise<unknown>;
  /** Signs a checkpoint that covers the record that was appended last: a verifier accepts no other removal. */
  signCheckpoint(project: string | null, now: number): Promise<unknown>;
  /** As of Checkpoints. */
  growTrees(): boolean;
  cutTree(chain: number, through: number): void;
  /** Lets waiting calls be settled first. */
  pause(): Promise<void>;
}

export async function deleteEntries(
  { database, pause }: RetentionTools,
  chain: number,
  through: number,
): Promise<void> {
  const batch = database
    .prepare<[number, number], number>(
      `SELECT number FROM audit_entry WHERE chain = ? AND seq <= ? ORDER BY seq LIMIT ${retentionBatchRows}`,
    )
    .pluck();
  const deletePayload = database.prepare("DELETE FROM audit_payload WHERE entry = ?");
  const deletePseudonyms = database.prepare("DELETE FROM audit_pseudonym WHERE entry = ?");
  const deleteEntry = database.prepare("DELETE FROM audit_entry WHERE number = ?");
  const deleteCheckpoints = database.prepare(
    `DELETE FROM audit_checkpoint WHERE chain = ? AND size < ? AND NOT (${isOfVersion2})`,
  );
  const step = database.transaction((numbers: readonly number[]) => {
    for (const number of numbers) {
      deletePayload.run(number);
      deletePseudonyms.run(number);
      deleteEntry.run(number);
    }
    deleteCheckpoints.run(chain, through);
  });
  for (let numbers = batch.all(chain, through); numbers.length > 0; numbers = batch.all(chain, through)) {
    step(numbers);
    await pause();
  }
}

/** Subjects with numbers in a range that no record and no memory, check, suggestion, key or open exchange needs any more. */
const unneededSubjects = `SELECT s.serial AS pseudonym, o.serial AS owner FROM pseudonym s JOIN project o ON o.id = s.id
  WHERE s.serial BETWEEN ? AND ? AND s.kind = 'subject'
    AND NOT EXISTS (SELECT 1 FROM audit_pseudonym a WHERE a.pseudonym = s.serial)
    AND NOT EXISTS (SELECT 1 FROM pseudonym c WHERE c.owner = s.serial)
    AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.project = o.serial)
    AND NOT EXISTS (SELECT 1 FROM dead_pool d WHERE d.project = o.serial)
    AND NOT EXISTS (SELECT 1 FROM memory_check c WHERE c.project = o.serial)
    AND NOT EXISTS (SELECT 1 FROM suggestion g WHERE g.project = o.serial)
    AND NOT EXISTS (SELECT 1 FROM api_key k WHERE k.project = s.project AND k.subject = s.name)
    AND NOT EXISTS (SELECT 1 FROM open_exchange x WHERE x.subject = s.id)`;

/** Conversations with numbers in a range that no record, no memory and no open exchange needs any more. */
const unneededConversations = `SELECT c.serial FROM pseudonym c
  WHERE c.serial BETWEEN ? AND ? AND c.kind = 'conversation'
    AND NOT EXISTS (SELECT 1 FROM audit_pseudonym a WHERE a.pseudonym = c.serial)
    AND NOT EXISTS (SELECT 1 FROM conversation s WHERE s.name = c.name AND s.project = COALESCE(
      (SELECT o.serial FROM pseudonym p JOIN project o ON o.id = p.id WHERE p.serial = c.owner), c.project))
    AND NOT EXISTS (SELECT 1 FROM open_exchange x WHERE x.conversation = c.id)`;

/** Persons with numbers in a range that no record names any more. */
const unneededPersons = `SELECT p.serial FROM pseudonym p WHERE p.serial BETWEEN ? AND ? AND p.kind = 'person'
    AND NOT EXISTS (SELECT 1 FROM audit_pseudonym a WHERE a.pseudonym = p.serial)`;

/** Deletes the rows of subjects, conversations and persons that nothing needs any more: their names must not stay for ever. */
export async function deleteSubjects({ database, pause }: RetentionTools): Promise<void> {
  // Where no record was ever removed, each subject has one.
  const newest = database
    .prepare<[], number | null>("SELECT MAX(serial) FROM pseudonym WHERE EXISTS (SELECT 1 FROM audit_anchor)")
    .pluck();
  const unneeded = database.prepare<[number, number], { pseudonym: number; owner: number }>(unneededSubjects);
  const deletions = [
    "DELETE FROM memory_removal WHERE project = :owner",
    "DELETE FROM pool WHERE project = :owner",
    "DELETE FROM project WHERE serial = :owner",
    "DELETE FROM pseudonym WHERE serial = :pseudonym",
  ].map((sql) => database.prepare(sql));
  const others = [unneededConversations, unneededPersons].map((sql) =>
    database.prepare<[number, number], number>(sql).pluck(),
  );
  const deleteOther = database.prepare("DELETE FROM pseudonym WHERE serial = ?");
  const step = database.transaction((first: number) => {
    for (const unneeded of others)
      for (const serial of unneeded.all(first, first + retentionBatchRows - 1)) deleteOther.run(serial);
    for (const subject of unneeded.all(first, first + retentionBatchRows - 1))
      for (const statement of deletions) statement.run(subject);
  });
  const through = newest.get() ?? 0;
  for (let first = 1; first <= through; first += retentionBatchRows) {
    step(first);
    await pause();
  }
}

/**
 * Appends a record that older payloads were removed, then deletes them. Records of removals keep their payloads.
 * @returns how many payloads were deleted.
 */
export async function prunePayloads(
  { database, announcedThrough, inTransaction, append, signCheckpoint, pause, logger }: RetentionTools,
  chain: RetainedChain,
  through: number,
  now: number,
): Promise<number> {
  // The column is not trusted. If it is 0 and nothing is too old, there is nothing to delete.
  const announced = through > 0 || chain.payloadsThrough > 0 ? announcedThrough(chain) : 0;
  if (through > Math.max(announced, chain.anchored)) {
    const setThrough = database.prepare("UPDATE audit_chain SET payloads_through = ? WHERE number = ?");
    await inTransaction(async () => {
      setThrough.run(through, chain.number);
      await append(toServerRecord(chain.project, "audit.prune", now, { payloads_through: through }));
      await signCheckpoint(chain.project, now);
    });
    logger.info("retention", { project: chain.project, chain: chain.chain, payloads_through: through });
  }
  const deletePayloads = database.prepare(
    `DELETE FROM audit_payload WHERE entry IN (
       SELECT number FROM audit_entry
       WHERE chain = ? AND seq BETWEEN ? AND ? AND action NOT IN ('audit.prune', 'audit.redact'))`,
  );
  const bound = Math.max(through, announced);
  const done = progress.get(chain.number) ?? chain.anchored;
  let deleted = 0;
  for (let first = done + 1; first <= bound; first += retentionBatchRows) {
    const last = Math.min(first + retentionBatchRows - 1, bound);
    deleted += deletePayloads.run(chain.number, first, last).changes;
    progress.set(chain.number, last);
    await pause();
  }
  return deleted;
}

/** By chain: the last seq whose payload this process has deleted or kept, so that a run does not start from the first one again. */
const progress = new Map<number, number>();
