// Owns the report about one chain of a database, made from its checked ranges. Reads nothing.

import {
  checkPrunedRemainder,
  compareCheckpoints,
  coveredSize,
  joinSegments,
  type KnownCheckpoint,
} from "../../../audit/verify/chain-verification.ts";
import {
  checkRemovedPayloads,
  checkRemovedRecords,
  countRemovedAfter,
  findUnexplainedRemoval,
} from "../../../audit/verify/removals.ts";
import type { Segment } from "../../../audit/verify/segment.ts";
import { type ChainReport, earlier, type Failure } from "../../../audit/verify/verdict.ts";
import type { ChainFrame } from "./ledger.ts";

/**
 * The report about a chain whose ranges were checked.
 * @param covered the newest record that a checkpoint outside of `frame` and `more` covers
 */
export function reportChain(
  frame: ChainFrame,
  segments: readonly Segment[],
  more: readonly KnownCheckpoint[],
  covered = 0,
): ChainReport {
  const { chain, project, start, anchors, anchor, payloadsThrough } = frame;
  const { extent, hashes, failure } = joinSegments({ start, segments });
  const own = frame.checkpoints.map((checkpoint) => ({
    ...checkpoint,
    isOutside: false,
    isSigned: true,
    source: "a checkpoint in the database",
  }));
  const checkpoints = [...own, ...more.filter((checkpoint) => checkpoint.chain === chain)];
  const newest = extent.lastSeq ?? start.seq;
  const hashAt = (size: number) =>
    size === start.seq ? start.hash : (hashes.get(size) ?? genesisAt(size, frame));
  const through = Math.max(covered, coveredSize(checkpoints));
  const removals = earlier(
    checkRemovedRecords(anchor, segments, through),
    checkRemovedPayloads(payloadsThrough, start.seq, segments, through),
  );
  const removal = earlier(removals, findUnexplainedRemoval(segments, through));
  const weighed = compareCheckpoints({ chain, checkpoints, hashAt, newest, first: extent.firstSeq });
  return {
    chain,
    project,
    ...extent,
    anchors,
    checkpoints: checkpoints.length,
    ...weighed,
    uncoveredRecords: extent.records === 0 ? 0 : newest - Math.max(weighed.coveredThrough ?? 0, start.seq),
    uncoveredRemovals:
      weighed.coveredThrough === null ? 0 : countRemovedAfter(anchor, segments, weighed.coveredThrough),
    failure: earlier(earlier(frame.failure, failure), removal),
  };
}

function genesisAt(size: number, { genesisHash }: ChainFrame): string | null {
  return size === 0 ? genesisHash : null;
}

interface Rest {
  readonly frame: ChainFrame;
  /** Records before the anchor. */
  readonly leftovers: readonly Segment[];
}

/** Retention always leaves at least one record, and deletes the oldest records first. */
export function requireRest(report: ChainReport, { frame: { start }, leftovers }: Rest): ChainReport {
  const message = "there are no records after the anchor";
  const isEmpty = start.seq > 0 && report.records === 0;
  const empty: Failure | null = isEmpty ? { seq: start.seq + 1, check: "seq", message } : null;
  return {
    ...report,
    failure: earlier(report.failure, earlier(checkPrunedRemainder(leftovers, start), empty)),
  };
}
