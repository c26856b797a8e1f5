// Owns the verification of a database file: one snapshot, read in row ranges by several threads, and the verdict. Never writes, and
// needs no server, no network and no native library.

import { availableParallelism } from "node:os";
import { type KnownCheckpoint, type KnownRoot, sizeOf } from "../../../audit/verify/checkpoint-comparison.ts";
import { isSignedTooLate, signedTooLate } from "../../../audit/verify/note-reader.ts";
import type { Segment } from "../../../audit/verify/segment.ts";
import {
  type Contradiction,
  createReport,
  earlier,
  type Failure,
  type Report,
  UnusableInput,
} from "../../../audit/verify/verdict.ts";
import type { LedgerVerification } from "../../../calls/storage/ledger-verifier.ts";
import { toKey } from "./chain-key.ts";
import { checkSchema, checkTables } from "./database-checks.ts";
import { type ChainFrame, readChains } from "./ledger.ts";
import {
  findNumberOutOfRange,
  findStrayNode,
  findStrayNote,
  findStrayPayload,
  findStrayPseudonym,
} from "./orphans.ts";
import { findForeignName } from "./owners.ts";
import { reportChain, requireRest } from "./report.ts";
import { type ChainKey, type ChainSegment, type RangeResult, type RowRange, verifyRange } from "./rows.ts";
import { type LedgerSource, openEvidence } from "./source.ts";
import { startVerifiers, type Verifiers } from "./verify-workers.ts";

interface DatabaseVerification extends LedgerVerification {
  /** Default: one for each core, but not more than the number of rows justifies. */
  readonly threads?: number;
  readonly rowsPerRange?: number;
}

/** Below this a second thread takes longer to start than to help. */
const rowsPerThread = 30_000;
const defaultRowsPerRange = 10_000;

/** @throws UnusableInput */
export async function verifyDatabase(options: DatabaseVerification): Promise<Report> {
  const source = openEvidence(options.path);
  let verifiers: Verifiers | null = null;
  try {
    source.all("BEGIN");
    const forged = checkSchema(source);
    if (forged !== null) return createReport({ ...nothing, failure: forged, remarks: options.remarks });
    source.all("COMMIT");
    // The snapshots of the threads must not be newer than this one, so that this one has every row that they see.
    verifiers = await startThreads(source, options);
    source.all("BEGIN");
    const changed = checkSchema(source);
    if (changed !== null) return createReport({ ...nothing, failure: changed, remarks: options.remarks });
    const { frames, roots, refusedOutside } = withoutPreviousKeys(
      readChains(source, options.reader),
      options,
    );
    const others = { checkpoints: options.checkpoints, roots };
    const only = options.project === null ? null : findChain(source, frames, options.project);
    const wanted = frames.map((frame) => toKey(frame, others));
    const scope = { only: only?.number ?? null, options };
    const { results, damage } = await verifyRows(source, verifiers, wanted, scope);
    const segments = groupSegments(results.flatMap((result) => result.segments));
    const leftovers = groupSegments(results.flatMap((result) => result.leftovers));
    const shown = only === null ? frames : [only];
    const chains = shown.map((frame) =>
      requireRest(reportChain(frame, segments.get(frame.number) ?? [], others), {
        frame,
        leftovers: leftovers.get(frame.number) ?? [],
      }),
    );
    const orphan =
      findNumberOutOfRange(source) ??
      (only === null
        ? (results.find((result) => result.orphan !== null)?.orphan ?? findStray(source, frames))
        : null);
    return createReport({
      chains,
      failure:
        damage ?? (orphan === null ? null : toFailure(orphan)) ?? findForeignName(source) ?? refusedOutside,
      contradictions: findReplaced(frames, others),
      remarks: options.remarks,
    });
  } finally {
    await verifiers?.close();
    source.close();
  }
}

interface Others {
  readonly checkpoints: readonly KnownCheckpoint[];
  readonly roots: readonly KnownRoot[];
}

/** Checkpoints that a previous key has signed after its change count as not signed. */
function withoutPreviousKeys(
  frames: readonly ChainFrame[],
  { reader, roots, refusedOutside }: DatabaseVerification,
): { frames: readonly ChainFrame[]; roots: readonly KnownRoot[]; refusedOutside: Failure | null } {
  const all = [...frames.flatMap((frame) => frame.roots), ...roots];
  const isLate = (root: (typeof all)[number]) => reader !== null && isSignedTooLate(root, all, reader);
  const late = roots.find((root) => root.isOutside && isLate(root));
  return {
    frames: frames.map((frame) => {
      const through = frame.tree?.through ?? null;
      const failures = frame.roots
        .filter(isLate)
        .map((root): Failure => ({ seq: sizeOf(root, through), check: "signature", message: signedTooLate }));
      const failure = failures.reduce<Failure | null>(earlier, frame.failure);
      return { ...frame, roots: frame.roots.filter((root) => !isLate(root)), failure };
    }),
    roots: roots.filter((root) => !isLate(root)),
    refusedOutside:
      refusedOutside ??
      (late === undefined
        ? null
        : { seq: null, check: "signature", message: `${signedTooLate} (${late.source})` }),
  };
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

/** The row numbers in use: above `oldest`, up to `newest`. memledger never writes rows with other numbers than those that SQLite assigns. */
function extent(source: LedgerSource): { oldest: number; newest: number } {
  const [row] = source.all(
    `SELECT COALESCE((SELECT MIN(number) FROM audit_entry NOT INDEXED WHERE number > 0), 1) - 1 AS oldest,
       COALESCE((SELECT MAX(number) FROM audit_entry NOT INDEXED WHERE number <= ?1), 0) AS newest`,
    Number.MAX_SAFE_INTEGER,
  ) as { oldest: number; newest: number }[];
  const { oldest, newest } = row ?? { oldest: 0, newest: 0 };
  return { oldest, newest: Math.max(oldest, newest) };
}

function findChain(source: LedgerSource, frames: readonly ChainFrame[], project: string): ChainFrame {
  const [row] = source.all(
    "SELECT id FROM project NOT INDEXED WHERE id = ?1 OR name = ?1 ORDER BY id = ?1 DESC, deleted_at IS NULL DESC, serial DESC LIMIT 1",
    project,
  ) as { id: string }[];
  const frame = frames.find((candidate) => row !== undefined && candidate.project === row.id);
  if (frame !== undefined) return frame;
  throw new UnusableInput(
    `No project ${project} has a chain in this database. Give the id or name of a project.`,
  );
}

async function verifyRows(
  source: LedgerSource,
  verifiers: Verifiers | null,
  chains: readonly ChainKey[],
  { only, options }: { readonly only: number | null; readonly options: DatabaseVerification },
): Promise<{ readonly results: readonly RangeResult[]; readonly damage: Failure | null }> {
  const { oldest, newest } = extent(source);
  const shared = Math.max(oldest, Math.min(newest, verifiers?.newest ?? oldest));
  const { rowsPerRange = defaultRowsPerRange } = options;
  const ranges = split(source, { above: oldest, through: shared }, rowsPerRange);
  let done = 0;
  const advance = (range: RowRange) => {
    done += range.through - range.above;
    options.onProgress?.(done, newest - oldest);
  };
  const shares = await verifiers?.verify(ranges, chains, only, advance);
  const { results, damage } = shares ?? { results: [], damage: checkTables(source) };
  for (const range of split(source, { above: shared, through: newest }, rowsPerRange)) {
    results.push(verifyRange(source, chains, range, only));
    advance(range);
  }
  return { results, damage };
}

/** Skips numbers without rows: a forged row can have any 64-bit number. */
function split(source: LedgerSource, { above, through }: RowRange, rowsPerRange: number): RowRange[] {
  const next = "SELECT MIN(number) AS number FROM audit_entry NOT INDEXED WHERE number > ?";
  const ranges: RowRange[] = [];
  for (let from = above; from < through; ) {
    const [row] = source.all(next, from) as { number: number | null }[];
    const end = Math.min(through, (row?.number ?? through) - 1 + rowsPerRange);
    ranges.push({ above: from, through: end });
    from = end;
  }
  return ranges;
}

/** By number of the chain, in the order of the rows. */
function groupSegments(found: readonly ChainSegment[]): ReadonlyMap<number, readonly Segment[]> {
  const groups = new Map<number, Segment[]>();
  for (const [number, segment] of found) {
    const group = groups.get(number);
    if (group === undefined) groups.set(number, [segment]);
    else group.push(segment);
  }
  return groups;
}

function findReplaced(frames: readonly ChainFrame[], { checkpoints, roots }: Others): Contradiction[] {
  const present = new Set(frames.map(({ chain }) => chain));
  return [...checkpoints, ...roots.map((root) => ({ ...root, size: sizeOf(root, null) }))]
    .filter(({ chain }) => !present.has(chain))
    .map(({ chain, size, source }) => {
      const message = `${source} covers the chain ${chain}, which is not in this database: the chain was replaced, or this is another ledger`;
      return { kind: "replaced", chain, size, message };
    });
}

function findStray(source: LedgerSource, frames: readonly ChainFrame[]): string | null {
  const { oldest, newest } = extent(source);
  return (
    findStrayPayload(source, oldest, newest) ??
    findStrayNote(source) ??
    findStrayPseudonym(source) ??
    findStrayNode(source, frames)
  );
}
