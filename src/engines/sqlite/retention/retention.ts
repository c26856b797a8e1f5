// Owns the removal of records by retention: checks the records that are too old, and signs an anchor that replaces them. Never removes
// records that do not verify. audit/retention.ts says what may be removed.

import type { Plans } from "../../../access/plan.ts";
import { entryHash } from "../../../audit/chain.ts";
import { type Anchor, anchorText, parseAnchor } from "../../../audit/checkpoint.ts";
import { toServerRecord } from "../../../audit/record.ts";
import { choosePruning, retentionCutOff } from "../../../audit/retention.ts";
import type { Signer } from "../../../audit/signed-note.ts";
import { TreeDifference } from "../../../audit/tree.ts";
import { parseEntry } from "../../../audit/verify/entry-parser.ts";
import type { RetentionResult } from "../../../calls/storage/ledger-store.ts";
import { retentionBatchRows } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { createSeek } from "../ledger/audit-reader.ts";
import { LedgerChanged } from "../ledger/known-heads.ts";
import { type RetainedChain, readRetainedChains } from "./retained-chain.ts";
import { deleteEntries, deleteSubjects, prunePayloads, type RetentionTools } from "./retention-steps.ts";

export interface RetentionOptions extends RetentionTools {
  readonly plans: Plans;
  readonly signer: Signer;
  /** Days that records of the installation's own chain are kept; null: without a limit. */
  readonly installationDays: number | null;
  /** Days that payloads are kept, if that is shorter than for their entries; null: as long as the entries. */
  readonly payloadDays: number | null;
}

interface Segment {
  readonly first: number;
  readonly through: number;
}

interface RetentionTimes {
  readonly now: number;
  /** The time from which the age of records is computed. */
  readonly ageAt: number;
}

/** Prunes every chain whose oldest records have passed their retention. @returns the chains that it changed or had to skip. */
export async function prune(options: RetentionOptions, times: RetentionTimes): Promise<RetentionResult[]> {
  // Removed records leave the nodes of their tree.
  while (options.growTrees()) await options.pause();
  const swept: RetentionResult[] = [];
  for (const chain of readRetainedChains(options.database, options.plans, options.installationDays)) {
    const found = await pruneChain(options, chain, times).catch((error: unknown) =>
      skip(options, chain, error),
    );
    if (found.records > 0 || found.payloads > 0 || found.skipped !== null) swept.push(found);
  }
  await deleteSubjects(options);
  return swept;
}

/** Other chains must not wait for one whose records or nodes were changed. @throws the error if it is another one */
function skip(
  { logger }: RetentionOptions,
  { chain, project, anchored }: RetainedChain,
  error: unknown,
): RetentionResult {
  if (!(error instanceof LedgerChanged || error instanceof TreeDifference)) throw error;
  logger.error(skipped, { project, chain, error });
  const anchoredThrough = anchored === 0 ? null : anchored;
  return { chain, project, records: 0, payloads: 0, anchoredThrough, skipped: notVerified };
}

async function pruneChain(
  options: RetentionOptions,
  chain: RetainedChain,
  { now, ageAt }: RetentionTimes,
): Promise<RetentionResult> {
  const { number, anchored, last, exportFirst } = chain;
  const seek = createSeek(options.database);
  const oldThrough = (days: number | null) => {
    const before = retentionCutOff(days, ageAt);
    return before === null ? 0 : seek({ number, first: anchored + 1, last }, before) - 1;
  };
  const { through, payloadsThrough, keptForExportFrom } = choosePruning({
    last,
    exportFirst,
    oldThrough: oldThrough(chain.days),
    oldPayloadsThrough: oldThrough(options.payloadDays),
  });
  const isGood =
    through <= anchored || (await anchorSegment(options, chain, { first: anchored + 1, through }, now));
  const reached = isGood ? Math.max(through, anchored) : anchored;
  await deleteEntries(options, number, reached);
  const payloads = await prunePayloads(options, chain, payloadsThrough, now);
  const neededByExport = keptForExportFrom === null ? null : waitsForExport(keptForExportFrom);
  return {
    chain: chain.chain,
    project: chain.project,
    records: reached - anchored,
    payloads,
    anchoredThrough: reached === 0 ? null : reached,
    skipped: isGood ? neededByExport : notVerified,
  };
}

const skipped = "retention skipped a chain that does not verify; run memledger audit verify";
const notVerified = "its oldest records do not verify; run memledger audit verify";

function waitsForExport(seq: number): string {
  return `a running export needs the records from ${seq}; they are removed after it`;
}

/** @returns false when the segment does not verify; then nothing is changed. */
async function anchorSegment(
  options: RetentionOptions,
  chain: RetainedChain,
  { first, through }: Segment,
  now: number,
): Promise<boolean> {
  const { database, signer, logger } = options;
  const ends = await verifyRemovableRange(options, chain, { first, through });
  if (ends === null) {
    logger.error(skipped, { project: chain.project, chain: chain.chain });
    return false;
  }
  const count = through - first + 1;
  const anchor: Anchor = { chain: chain.chain, through, count, cause: "retention", ...ends };
  const insert = database.prepare("INSERT INTO audit_anchor (chain, through, at, note) VALUES (?, ?, ?, ?)");
  await options.inTransaction(async () => {
    options.cutTree(chain.number, through);
    insert.run(chain.number, through, now, signer.sign(anchorText(anchor)));
    await options.append(
      toServerRecord(chain.project, "audit.prune", now, { through, count, cause: "retention" }),
    );
    await options.signCheckpoint(chain.project, now);
  });
  logger.info("retention", { project: chain.project, chain: chain.chain, records: count, through });
  return true;
}

interface SegmentEnds {
  readonly hash: string;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Null when a hash, a link or a position is wrong. */
async function verifyRemovableRange(
  { database, pause }: RetentionOptions,
  { number }: RetainedChain,
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
      const prev = parseEntry(entry)?.prev;
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
