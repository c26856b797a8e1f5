// Owns pruning by retention: verifies the oldest records of a chain, signs an anchor in their place, and deletes them in small
// steps. Never removes the newest record of a chain, nor what a running export still needs, nor what does not verify.

import type { PlanName, Plans } from "../access/plan.ts";
import { entryHash } from "../audit/chain.ts";
import { type Anchor, anchorText, parseAnchor } from "../audit/checkpoint.ts";
import type { Signer } from "../audit/note.ts";
import { type RecordDraft, toServerRecord } from "../audit/record.ts";
import { retentionBatchRows } from "../limits.ts";
import type { Logger } from "../logger.ts";
import type { Database } from "../native/sqlite.ts";
import { createSeek } from "./audit-reader.ts";

const dayMs = 86_400_000;

export interface RetentionOptions {
  readonly database: Database;
  readonly plans: Plans;
  readonly signer: Signer;
  readonly logger: Logger;
  /** Days that payloads stay, where that is shorter than their entries; null: as long as these. */
  readonly payloadDays: number | null;
  /** Runs work in a transaction of its own, in which records may be appended. */
  inTransaction(work: () => Promise<void>): Promise<void>;
  append(draft: RecordDraft): Promise<unknown>;
  /** Attests what the record says that was appended last: a verifier believes no other. */
  signCheckpoint(project: ProjectOfChain, now: number): Promise<unknown>;
  /** Lets waiting calls go first. */
  pause(): Promise<void>;
}

export type ProjectOfChain = { readonly id: string; readonly serial: number };

interface ChainRow {
  number: number;
  chain: string;
  genesis: string;
  payloads_through: number;
  serial: number;
  id: string;
  plan: PlanName;
  retention_days: number | null;
  anchored: number;
  last: number;
  export_first: number | null;
}

interface Segment {
  readonly first: number;
  readonly through: number;
}

export interface RetentionTimes {
  readonly now: number;
  /** Records are as old as this time says. */
  readonly ageAt: number;
}

/** Prunes every chain whose oldest records have passed their retention. */
export async function prune(options: RetentionOptions, { now, ageAt }: RetentionTimes): Promise<void> {
  const { database, plans } = options;
  const seek = createSeek(database);
  for (const chain of chainsOf(database)) {
    const { number, anchored, last } = chain;
    const span = { number, first: anchored + 1, last };
    const olderThan = (days: number | null) => (days === null ? 0 : seek(span, ageAt - days * dayMs) - 1);
    const days = chain.retention_days ?? plans[chain.plan].retentionDays;
    const limit = Math.min(last - 1, (chain.export_first ?? Number.POSITIVE_INFINITY) - 1);
    const through = Math.min(olderThan(days), limit);
    if (through > anchored) await anchorSegment(options, chain, { first: anchored + 1, through }, now);
    await deleteEntries(options, number, Math.max(through, anchored));
    await prunePayloads(options, chain, Math.min(olderThan(options.payloadDays), limit), now);
  }
}

function chainsOf(database: Database): ChainRow[] {
  return database
    .prepare<[], ChainRow>(
      `SELECT c.number, c.id AS chain, c.genesis, c.payloads_through, p.serial, p.id, p.plan, p.retention_days,
         COALESCE((SELECT MAX(through) FROM audit_anchor WHERE chain = c.number), 0) AS anchored,
         COALESCE((SELECT MAX(seq) FROM audit_entry WHERE chain = c.number), 0) AS last,
         (SELECT MIN(first_seq) FROM audit_export WHERE project = p.serial AND status = 'processing') AS export_first
       FROM audit_chain c JOIN project p ON p.serial = c.project`,
    )
    .all();
}

async function anchorSegment(
  options: RetentionOptions,
  chain: ChainRow,
  { first, through }: Segment,
  now: number,
): Promise<void> {
  const { database, signer, logger } = options;
  const ends = await verifySegment(options, chain, { first, through });
  if (ends === null) {
    const message = "retention skipped a chain that does not verify; run memledger audit verify";
    logger.error(message, { project: chain.id, chain: chain.chain });
    return;
  }
  const count = through - first + 1;
  const anchor: Anchor = { chain: chain.chain, through, count, cause: "retention", ...ends };
  const insert = database.prepare("INSERT INTO audit_anchor (chain, through, at, note) VALUES (?, ?, ?, ?)");
  await options.inTransaction(async () => {
    insert.run(chain.number, through, now, signer.sign(anchorText(anchor)));
    await options.append(toServerRecord(chain, "audit.prune", now, { through, count, cause: "retention" }));
    await options.signCheckpoint(chain, now);
  });
  logger.info("retention", { project: chain.id, chain: chain.chain, records: count, through });
}

interface SegmentEnds {
  readonly hash: string;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Null when a hash, a link or a position is wrong. */
async function verifySegment(
  { database, pause }: RetentionOptions,
  { number }: ChainRow,
  { first, through }: Segment,
): Promise<SegmentEnds | null> {
  const rows = database.prepare<
    [number, number, number],
    { seq: number; at: number; entry: string; hash: string }
  >(
    `SELECT seq, at, entry, hash FROM audit_entry WHERE chain = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ${retentionBatchRows}`,
  );
  let previous = startOf(database, number, first);
  let firstAt = 0;
  let lastAt = 0;
  let next = first;
  while (next <= through) {
    const batch = rows.all(number, next, through);
    if (batch.length === 0) return null;
    for (const { seq, at, entry, hash } of batch) {
      const { prev } = JSON.parse(entry) as { prev: unknown };
      if (seq !== next || prev !== previous || entryHash(entry) !== hash) return null;
      if (seq === first) firstAt = at;
      lastAt = at;
      previous = hash;
      next++;
    }
    await pause();
  }
  return { hash: previous, firstAt, lastAt };
}

/** The hash that the record at `first` must point back to. */
function startOf(database: Database, chain: number, first: number): string {
  if (first > 1) {
    const before = database
      .prepare("SELECT hash FROM audit_entry WHERE chain = ? AND seq = ?")
      .pluck()
      .get(chain, first - 1);
    if (typeof before === "string") return before;
    const note = database
      .prepare("SELECT note FROM audit_anchor WHERE chain = ? AND through = ?")
      .pluck()
      .get(chain, first - 1);
    const [text = ""] = String(note).split("\n\n");
    return parseAnchor(`${text}\n`)?.hash ?? "";
  }
  return String(database.prepare("SELECT hash FROM audit_chain WHERE number = ?").pluck().get(chain));
}

async function deleteEntries(
  { database, pause }: RetentionOptions,
  chain: number,
  through: number,
): Promise<void> {
  const batch = database
    .prepare<[number, number], number>(
      `SELECT number FROM audit_entry WHERE chain = ? AND seq <= ? ORDER BY seq LIMIT ${retentionBatchRows}`,
    )
    .pluck();
  const deletePayload = database.prepare("DELETE FROM audit_payload WHERE entry = ?");
  const deleteEntry = database.prepare("DELETE FROM audit_entry WHERE number = ?");
  const deleteCheckpoints = database.prepare("DELETE FROM audit_checkpoint WHERE chain = ? AND size < ?");
  const step = database.transaction((numbers: readonly number[]) => {
    for (const number of numbers) {
      deletePayload.run(number);
      deleteEntry.run(number);
    }
    deleteCheckpoints.run(chain, through);
  });
  for (let numbers = batch.all(chain, through); numbers.length > 0; numbers = batch.all(chain, through)) {
    step(numbers);
    await pause();
  }
}

/** Says on the chain that older payloads are gone, then deletes them; the records that say so keep theirs. */
async function prunePayloads(
  { database, inTransaction, append, signCheckpoint, pause, logger }: RetentionOptions,
  chain: ChainRow,
  through: number,
  now: number,
): Promise<void> {
  if (through > chain.payloads_through) {
    const note = database.prepare("UPDATE audit_chain SET payloads_through = ? WHERE number = ?");
    await inTransaction(async () => {
      note.run(through, chain.number);
      await append(toServerRecord(chain, "audit.prune", now, { payloads_through: through }));
      await signCheckpoint(chain, now);
    });
    logger.info("retention", { project: chain.id, chain: chain.chain, payloads_through: through });
  }
  const deletePayloads = database.prepare(
    `DELETE FROM audit_payload WHERE entry IN (
       SELECT number FROM audit_entry
       WHERE chain = ? AND seq BETWEEN ? AND ? AND action NOT IN ('audit.prune', 'audit.redact'))`,
  );
  const bound = Math.max(through, chain.payloads_through);
  const done = progress.get(chain.number) ?? chain.anchored;
  for (let first = done + 1; first <= bound; first += retentionBatchRows) {
    const last = Math.min(first + retentionBatchRows - 1, bound);
    deletePayloads.run(chain.number, first, last);
    progress.set(chain.number, last);
    await pause();
  }
}

/** By chain: the last seq whose payload this process has looked at, so that a sweep does not begin from the start each time. */
const progress = new Map<number, number>();
