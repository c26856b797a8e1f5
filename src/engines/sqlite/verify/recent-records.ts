// Owns the verification of the newest records of each chain, for checks that must finish within seconds. The checks are those of
// `audit verify`. Never writes.

import { sizeOf } from "../../../audit/verify/checkpoint-comparison.ts";
import type { Segment } from "../../../audit/verify/segment.ts";
import { createReport } from "../../../audit/verify/verdict.ts";
import type { RecentFinding, RecentVerification } from "../../../calls/storage/ledger-verifier.ts";
import { recentRecordsInAll, recentRecordsPerChain } from "../../../platform/limits.ts";
import { toKey } from "./chain-key.ts";
import { checkSchema, checkTables } from "./database-checks.ts";
import { type ChainFrame, coveredThrough, readChains } from "./ledger.ts";
import { reportChain } from "./report.ts";
import { type ChainKey, type RowRange, verifyRange } from "./rows.ts";
import { type LedgerSource, openEvidence } from "./source.ts";
import { treeAfter } from "./version-2.ts";

interface RecentOptions extends RecentVerification {
  /** Default: as many as limits.ts allows for this number of chains. */
  readonly recordsPerChain?: number;
}

/** @throws UnusableInput */
export function verifyRecentRecords(options: RecentOptions): RecentFinding {
  const source = openEvidence(options.path);
  try {
    // The schema first: a query of a forged view may never end.
    source.all("BEGIN");
    const failure = checkSchema(source) ?? checkTables(source);
    if (failure !== null) {
      const report = createReport({ chains: [], failure, contradictions: [], remarks: [] });
      return { report, olderRecords: 0, newestAt: null };
    }
    return verifyChains(source, options);
  } finally {
    source.close();
  }
}

function verifyChains(
  source: LedgerSource,
  { reader, checkpoints, roots, recordsPerChain }: RecentOptions,
): RecentFinding {
  const frames = readChains(source, reader);
  const fair = Math.floor(recentRecordsInAll / Math.max(1, frames.length));
  const most = recordsPerChain ?? Math.max(1, Math.min(recentRecordsPerChain, fair));
  let [olderRecords, newestAt] = [0, null as number | null];
  const chains = frames.map((whole) => {
    const newest = newestOf(source, whole.number);
    newestAt = Math.max(newestAt ?? 0, newest.at);
    const frame = startAt(source, whole, newest.seq - most);
    olderRecords += frame.start.seq - whole.start.seq;
    const key = toKey(frame, { checkpoints, roots });
    const segments = readSegments(source, key, newest.seq);
    return reportChain(frame, segments, { checkpoints, roots }, coveredThrough(source, reader, key));
  });
  const present = new Set(frames.map(({ chain }) => chain));
  const contradictions = [...checkpoints, ...roots.map((root) => ({ ...root, size: sizeOf(root, null) }))]
    .filter(({ chain }) => !present.has(chain))
    .map(({ chain, size, source: from }) => ({
      ...({ kind: "replaced", chain, size } as const),
      message: `${from} covers the chain ${chain}, which is not in this database`,
    }));
  return {
    report: createReport({ chains, failure: null, contradictions, remarks: [] }),
    olderRecords,
    newestAt,
  };
}

function newestOf(source: LedgerSource, chain: number): { seq: number; at: number } {
  const [row] = source.all(
    "SELECT seq, at FROM audit_entry WHERE chain = ? ORDER BY seq DESC LIMIT 1",
    chain,
  ) as { seq: number; at: number }[];
  return row ?? { seq: 0, at: 0 };
}

/** The chain as if it began after the record `seq`, which is not checked; unchanged when its oldest record is newer. */
function startAt(source: LedgerSource, frame: ChainFrame, seq: number): ChainFrame {
  if (seq <= frame.start.seq) return frame;
  const [row] = source.all(
    "SELECT hash, entry ->> '$.at' AS at FROM audit_entry WHERE chain = ? AND seq = ?",
    frame.number,
    seq,
  ) as { hash: string; at: string }[];
  // The records of removals may be older than this one.
  return row === undefined
    ? frame
    : {
        ...frame,
        start: { seq, ...row },
        anchor: null,
        payloadsThrough: null,
        tree: frame.tree === null ? null : treeAfter(source, frame.number, frame.tree, seq),
      };
}

const recordsAtOnce = 1_000;
/** Rows of other chains between two records, on average, from which on the records are read one by one. */
const sparseRows = 10;

/** The records after `key.through`, in order. */
function readSegments(source: LedgerSource, key: ChainKey, newest: number): Segment[] {
  const segments: Segment[] = [];
  for (let seq = key.through; seq < newest; seq += recordsAtOnce) {
    const rows = source.all(
      "SELECT number FROM audit_entry WHERE chain = ? AND seq > ? AND seq <= ? ORDER BY seq",
      key.number,
      seq,
      Math.min(newest, seq + recordsAtOnce),
    ) as { number: number }[];
    for (const range of rangesOf(rows.map(({ number }) => number))) {
      segments.push(...verifyRange(source, [key], range, key.number).segments.map(([, segment]) => segment));
    }
  }
  return segments;
}

function rangesOf(rows: readonly number[]): RowRange[] {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (last - first <= rows.length * sparseRows) return [{ above: first - 1, through: last }];
  return rows.map((row) => ({ above: row - 1, through: row }));
}
