// Owns pruning by retention: what of each chain is too old, the check of these records, and the anchor that is signed in their place.
// Never removes the newest record of a chain, nor what a running export still needs, nor what does not verify.

import type { PlanName, Plans } from "../../../access/plan.ts";
import { entryHash } from "../../../audit/chain.ts";
import { type Anchor, anchorText, parseAnchor } from "../../../audit/checkpoint.ts";
import { type RecordDraft, toServerRecord } from "../../../audit/record.ts";
import type { Signer } from "../../../audit/signed-note.ts";
import type { RetentionResult } from "../../../audit/store.ts";
import { retentionBatchRows } from "../../../limits.ts";
import type { Logger } from "../../../log/logger.ts";
import type { Database } from "../../../native/sqlite.ts";
import { createSeek } from "../ledger/audit-reader.ts";
import { deleteEntries, prunePayloads } from "./retention-steps.ts";

const dayMs = 86_400_000;

export interface RetentionOptions {
  readonly database: Database;
  readonly plans: Plans;
  readonly signer: Signer;
  readonly logger: Logger;
  /** Days that records of the installation's own chain stay; null: for ever. */
  readonly installationDays: number | null;
  /** Days that payloads stay, where that is shorter than their entries; null: as long as these. */
  readonly payloadDays: number | null;
  /** The last seq of a chain without a payload, as an attested record says. */
  announcedThrough(chain: { readonly number: number; readonly chain: string }): number;
  /** Runs work in a transaction of its own, in which records may be appended. */
  inTransaction(work: () => Promise<void>): Promise<void>;
  append(draft: RecordDraft): Promise<unknown>;
  /** Attests what the record says that was appended last: a verifier believes no other. */
  signCheckpoint(project: ProjectOfChain, now: number): Promise<unknown>;
  /** Lets waiting calls go first. */
  pause(): Promise<void>;
}

/** Null: the installation. */
export type ProjectOfChain = { readonly id: string; readonly serial: number } | null;

interface ChainRow {
  number: number;
  chain: string;
  payloads_through: number;
  serial: number | null;
  id: string | null;
  plan: PlanName | null;
  retention_days: number | null;
  anchored: number;
  last: number;
  export_first: number | null;
}

/** A chain as retention found it. */
export interface OldChain extends Omit<ChainRow, "serial" | "id" | "plan" | "retention_days"> {
  readonly project: ProjectOfChain;
  /** Days that its records stay; null: for ever. */
  readonly days: number | null;
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

/** Prunes every chain whose oldest records have passed their retention. @returns the chains that it changed or had to skip. */
export async function prune(options: RetentionOptions, times: RetentionTimes): Promise<RetentionResult[]> {
  const swept: RetentionResult[] = [];
  for (const chain of chainsOf(options)) {
    const found = await pruneChain(options, chain, times);
    if (found.records > 0 || found.payloads > 0 || found.skipped !== null) swept.push(found);
  }
  return swept;
}

async function pruneChain(
  options: RetentionOptions,
  chain: OldChain,
  { now, ageAt }: RetentionTimes,
): Promise<RetentionResult> {
  const { number, anchored, last, export_first: exported } = chain;
  const span = { number, first: anchored + 1, last };
  const seek = createSeek(options.database);
  const olderThan = (days: number | null) => (days === null ? 0 : seek(span, ageAt - days * dayMs) - 1);
  const limit = Math.min(last - 1, (exported ?? Number.POSITIVE_INFINITY) - 1);
  const old = Math.min(olderThan(chain.days), last - 1);
  const through = Math.min(old, limit);
  const isGood =
    through <= anchored || (await anchorSegment(options, chain, { first: anchored + 1, through }, now));
  const reached = isGood ? Math.max(through, anchored) : anchored;
  await deleteEntries(options, number, reached);
  const payloads = await prunePayloads(options, chain, Math.min(olderThan(options.payloadDays), limit), now);
  return {
    ...{ chain: chain.chain, project: chain.project?.id ?? null },
    ...{ records: reached - anchored, payloads, anchoredThrough: reached === 0 ? null : reached },
    skipped: isGood ? (old > limit ? neededByExport(limit + 1) : null) : notVerified,
  };
}

const notVerified = "its oldest records do not verify; run memledger audit verify";

function neededByExport(seq: number): string {
  return `an export that is running needs the records from ${seq} on; they are removed after it`;
}

function chainsOf({ database, plans, installationDays }: RetentionOptions): OldChain[] {
  return database
    .prepare<[], ChainRow>(
      `SELECT c.number, c.id AS chain, c.payloads_through, p.serial, p.id, p.plan, p.retention_days,
         COALESCE((SELECT MAX(through) FROM audit_anchor WHERE chain = c.number), 0) AS anchored,
         COALESCE((SELECT MAX(seq) FROM audit_entry WHERE chain = c.number), 0) AS last,
         (SELECT MIN(first_seq) FROM audit_export WHERE project = p.serial AND status = 'processing') AS export_first
       FROM audit_chain c LEFT JOIN project p ON p.serial = c.project`,
    )
    .all()
    .map(({ serial, id, plan, retention_days, ...chain }) => ({
      ...chain,
      project: serial === null || id === null ? null : { id, serial },
      days: plan === null ? installationDays : (retention_days ?? plans[plan].retentionDays),
    }));
}

/** @returns false when the segment does not verify; nothing has happened then. */
async function anchorSegment(
  options: RetentionOptions,
  chain: OldChain,
  { first, through }: Segment,
  now: number,
): Promise<boolean> {
  const { database, signer, logger } = options;
  const ends = await verifySegment(options, chain, { first, through });
  if (ends === null) {
    const message = "retention skipped a chain that does not verify; run memledger audit verify";
    logger.error(message, { project: chain.project?.id ?? null, chain: chain.chain });
    return false;
  }
  const count = through - first + 1;
  const anchor: Anchor = { chain: chain.chain, through, count, cause: "retention", ...ends };
  const insert = database.prepare("INSERT INTO audit_anchor (chain, through, at, note) VALUES (?, ?, ?, ?)");
  await options.inTransaction(async () => {
    insert.run(chain.number, through, now, signer.sign(anchorText(anchor)));
    await options.append(
      toServerRecord(chain.project, "audit.prune", now, { through, count, cause: "retention" }),
    );
    await options.signCheckpoint(chain.project, now);
  });
  const project = chain.project?.id ?? null;
  logger.info("retention", { project, chain: chain.chain, records: count, through });
  return true;
}

interface SegmentEnds {
  readonly hash: string;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Null when a hash, a link or a position is wrong. */
async function verifySegment(
  { database, pause }: RetentionOptions,
  { number }: OldChain,
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
