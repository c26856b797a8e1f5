// Owns the verification of a database file: one snapshot, read in stretches by as many threads as pay, and the verdict. Never writes,
// needs no server, no network and no native library.

import { availableParallelism } from "node:os";
import {
  type ChainReport,
  type Contradiction,
  earlier,
  type Failure,
  judge,
  type Report,
  Unusable,
} from "../audit/verdict.ts";
import { type Attested, attestedSize, joinSegments, weighCheckpoints } from "../audit/verify-chain.ts";
import type { NoteReader } from "../audit/verify-notes.ts";
import { checkRemovedRecords, countRemovedAfter, findUnexcused } from "../audit/verify-removals.ts";
import type { Segment } from "../audit/verify-segment.ts";
import { type ChainFrame, findStrayNote, readChains } from "./verify-ledger.ts";
import { type ChainKey, type Stretch, type StretchResult, verifyStretch } from "./verify-rows.ts";
import { checkSchema, checkTables } from "./verify-schema.ts";
import { type LedgerSource, openEvidence } from "./verify-source.ts";
import { startVerifiers, type Verifiers } from "./verify-workers.ts";

export interface DatabaseVerification {
  readonly path: string;
  /** Null: there is no key; then nothing may be signed. */
  readonly reader: NoteReader | null;
  /** From beside the database and from outside, with good signatures. */
  readonly checkpoints: readonly Attested[];
  /** Id or name of the one project to verify; null: everything. */
  readonly project: string | null;
  readonly remarks: readonly string[];
  /** Notes from outside that no key signed. */
  readonly refusedOutside: Failure | null;
  readonly onProgress?: (done: number, total: number) => void;
  /** Default: as many as the machine has cores and the work pays for. */
  readonly threads?: number;
  readonly rowsPerStretch?: number;
}

/** Below this a second thread takes longer to start than to help. */
const rowsPerThread = 30_000;
const defaultRowsPerStretch = 10_000;

/** @throws Unusable */
export async function verifyDatabase(options: DatabaseVerification): Promise<Report> {
  const source = openEvidence(options.path);
  let verifiers: Verifiers | null = null;
  try {
    source.all("BEGIN");
    const forged = checkSchema(source);
    if (forged !== null) return judge({ ...nothing, failure: forged, remarks: options.remarks });
    source.all("COMMIT");
    // The threads' snapshots must not be newer than ours: what they see, we see.
    verifiers = await startThreads(source, options);
    source.all("BEGIN");
    const changed = checkSchema(source);
    if (changed !== null) return judge({ ...nothing, failure: changed, remarks: options.remarks });
    const frames = readChains(source, options.reader);
    const only = options.project === null ? null : findChain(source, frames, options.project);
    const wanted = frames.map((frame) => toKey(frame, options.checkpoints));
    const scope = { only: only?.number ?? null, options };
    const { results, damage } = await verifyRows(source, verifiers, wanted, scope);
    const segments = groupSegments(results);
    const shown = only === null ? frames : [only];
    const chains = shown.map((frame) =>
      requireRest(reportChain(frame, segments.get(frame.number) ?? [], options.checkpoints), frame),
    );
    const orphan =
      only === null ? (results.find((result) => result.orphan !== null)?.orphan ?? findStray(source)) : null;
    return judge({
      chains,
      failure: damage ?? (orphan === null ? options.refusedOutside : toFailure(orphan)),
      contradictions: findReplaced(frames, options.checkpoints),
      remarks: options.remarks,
    });
  } finally {
    await verifiers?.close();
    source.close();
  }
}

const nothing = { chains: [], contradictions: [] };

function toFailure(orphan: string): Failure {
  return { seq: null, check: "orphan", message: orphan };
}

async function startThreads(source: LedgerSource, options: DatabaseVerification): Promise<Verifiers | null> {
  const { oldest, newest } = extent(source);
  const paying = Math.ceil((newest - oldest) / rowsPerThread);
  const threads = options.threads ?? Math.min(availableParallelism(), paying);
  return threads < 2 ? null : startVerifiers(options.path, threads);
}

/** Row numbers that are in use: above the one, up to the other. */
function extent(source: LedgerSource): { oldest: number; newest: number } {
  const [row] = source.all(
    `SELECT COALESCE((SELECT MIN(number) FROM audit_entry NOT INDEXED), 1) - 1 AS oldest,
       COALESCE((SELECT MAX(number) FROM audit_entry NOT INDEXED), 0) AS newest`,
  ) as { oldest: number; newest: number }[];
  return row ?? { oldest: 0, newest: 0 };
}

function findChain(source: LedgerSource, frames: readonly ChainFrame[], project: string): ChainFrame {
  const [row] = source.all(
    "SELECT id FROM project NOT INDEXED WHERE id = ?1 OR name = ?1 ORDER BY id = ?1 DESC, deleted_at IS NULL DESC, serial DESC LIMIT 1",
    project,
  ) as { id: string }[];
  const frame = frames.find((candidate) => row !== undefined && candidate.project === row.id);
  if (frame !== undefined) return frame;
  throw new Unusable(`No project ${project} has a chain in this database. Name one by its id or name.`);
}

function toKey(
  { number, chain, project, start, checkpoints }: ChainFrame,
  more: readonly Attested[],
): ChainKey {
  const sizes = [...checkpoints, ...more.filter((checkpoint) => checkpoint.chain === chain)].map(
    ({ size }) => size,
  );
  const wanted = [...new Set(sizes)].filter((size) => size > start.seq).sort((a, b) => a - b);
  return { number, chain, project, through: start.seq, wanted };
}

async function verifyRows(
  source: LedgerSource,
  verifiers: Verifiers | null,
  chains: readonly ChainKey[],
  { only, options }: { readonly only: number | null; readonly options: DatabaseVerification },
): Promise<{ readonly results: readonly StretchResult[]; readonly damage: Failure | null }> {
  const { oldest, newest } = extent(source);
  const shared = Math.max(oldest, Math.min(newest, verifiers?.newest ?? oldest));
  const { rowsPerStretch = defaultRowsPerStretch } = options;
  const stretches = split(oldest, shared, rowsPerStretch);
  let done = 0;
  const advance = (stretch: Stretch) => {
    done += stretch.through - stretch.above;
    options.onProgress?.(done, newest - oldest);
  };
  const shares = await verifiers?.verify(stretches, chains, only, advance);
  const { results, damage } = shares ?? { results: [], damage: checkTables(source) };
  for (const stretch of split(shared, newest, rowsPerStretch)) {
    results.push(verifyStretch(source, chains, stretch, only));
    advance(stretch);
  }
  return { results, damage };
}

export function split(above: number, through: number, rowsPerStretch: number): Stretch[] {
  const stretches: Stretch[] = [];
  for (let from = above; from < through; from += rowsPerStretch) {
    stretches.push({ above: from, through: Math.min(through, from + rowsPerStretch) });
  }
  return stretches;
}

/** By number of the chain, in the order of the rows. */
function groupSegments(results: readonly StretchResult[]): ReadonlyMap<number, readonly Segment[]> {
  const groups = new Map<number, Segment[]>();
  for (const [number, segment] of results.flatMap(({ segments }) => segments)) {
    const group = groups.get(number);
    if (group === undefined) groups.set(number, [segment]);
    else group.push(segment);
  }
  return groups;
}

/**
 * What is to be told about a chain whose stretches have been checked. `attested`: the newest record that a checkpoint attests which
 * is not among these.
 */
export function reportChain(
  frame: ChainFrame,
  segments: readonly Segment[],
  more: readonly Attested[],
  attested = 0,
): ChainReport {
  const { chain, project, start, anchors, anchor } = frame;
  const body = joinSegments({ start, segments });
  const own = frame.checkpoints.map((checkpoint) => ({
    ...checkpoint,
    isOutside: false,
    isSigned: true,
    source: "a checkpoint in the database",
  }));
  const checkpoints = [...own, ...more.filter((checkpoint) => checkpoint.chain === chain)];
  const newest = body.lastSeq ?? start.seq;
  const hashAt = (size: number) =>
    size === start.seq ? start.hash : (body.hashes.get(size) ?? genesisAt(size, frame));
  const through = Math.max(attested, attestedSize(checkpoints));
  const removal = earlier(checkRemovedRecords(anchor, segments, through), findUnexcused(segments, through));
  const weighed = weighCheckpoints({ chain, checkpoints, hashAt, newest, first: body.firstSeq });
  const { records, firstSeq, lastSeq, withoutPayload } = body;
  return {
    ...{
      chain,
      project,
      records,
      firstSeq,
      lastSeq,
      withoutPayload,
      anchors,
      checkpoints: checkpoints.length,
    },
    ...weighed,
    tail: records === 0 ? 0 : newest - Math.max(weighed.attestedThrough ?? 0, start.seq),
    removedInTail:
      weighed.attestedThrough === null ? 0 : countRemovedAfter(anchor, segments, weighed.attestedThrough),
    failure: earlier(earlier(frame.failure, body.failure), removal),
  };
}

function genesisAt(size: number, { genesisHash }: ChainFrame): string | null {
  return size === 0 ? genesisHash : null;
}

/** Retention always leaves a record. */
function requireRest(report: ChainReport, { start }: ChainFrame): ChainReport {
  if (start.seq === 0 || report.records > 0) return report;
  const message = "no record is left after the anchor";
  return { ...report, failure: earlier(report.failure, { seq: start.seq + 1, check: "seq", message }) };
}

function findReplaced(frames: readonly ChainFrame[], checkpoints: readonly Attested[]): Contradiction[] {
  const present = new Set(frames.map(({ chain }) => chain));
  return checkpoints
    .filter(({ chain }) => !present.has(chain))
    .map(({ chain, size, source }) => {
      const message = `${source} attests the chain ${chain}, which is not in this database: it was replaced, or this is another ledger`;
      return { kind: "replaced", chain, size, message };
    });
}

function findStray(source: LedgerSource): string | null {
  const { oldest, newest } = extent(source);
  const [payload] = source.all(
    "SELECT entry FROM audit_payload WHERE entry <= ? OR entry > ? LIMIT 1",
    oldest,
    newest,
  ) as {
    entry: number;
  }[];
  if (payload !== undefined) return `the payload of row ${payload.entry} belongs to no record`;
  return findStrayNote(source);
}
