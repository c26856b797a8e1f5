// Owns the report about one chain of a database, made from its checked ranges. Reads nothing.

import { checkPrunedRemainder, joinSegments } from "../../../audit/verify/chain-verification.ts";
import {
  compareCheckpoints,
  compareRoots,
  coveredSize,
  firstLog,
  joinComparisons,
  type KnownCheckpoint,
  type KnownRoot,
} from "../../../audit/verify/checkpoint-comparison.ts";
import {
  checkRemovedPayloads,
  checkRemovedRecords,
  countRemovedAfter,
  findRestored,
  findUnexplainedRemoval,
} from "../../../audit/verify/removals.ts";
import type { Segment } from "../../../audit/verify/segment.ts";
import { verifyTree } from "../../../audit/verify/tree-verification.ts";
import { type ChainReport, earlier, type Failure } from "../../../audit/verify/verdict.ts";
import type { ChainFrame } from "./ledger.ts";
import { treeHasher } from "./version-2.ts";

/** Checkpoints that are not in the database, of both versions. */
interface OtherCheckpoints {
  readonly checkpoints: readonly KnownCheckpoint[];
  readonly roots: readonly KnownRoot[];
}

const stored = { isOutside: false, source: "a checkpoint in the database" };

/**
 * The report about a chain whose ranges were checked.
 * @param covered the newest record that a checkpoint outside of `frame` and `more` covers
 */
export function reportChain(
  frame: ChainFrame,
  segments: readonly Segment[],
  more: OtherCheckpoints,
  covered = 0,
): ChainReport {
  const { chain, project, start, anchors, anchor, payloadsThrough, tree } = frame;
  const { extent, hashes, failure } = joinSegments({ start, segments });
  const own = frame.checkpoints.map((checkpoint) => ({ ...checkpoint, ...stored, isSigned: true }));
  const checkpoints = [...own, ...more.checkpoints.filter((checkpoint) => checkpoint.chain === chain)];
  const roots = [
    ...frame.roots.map((root) => ({ ...root, ...stored })),
    ...more.roots.filter((root) => root.chain === chain),
  ];
  const newest = extent.lastSeq ?? start.seq;
  const hashAt = (size: number) =>
    size === start.seq ? start.hash : (hashes.get(size) ?? genesisAt(size, frame));
  const treeThrough = tree?.through ?? null;
  const through = Math.max(covered, coveredSize(checkpoints, roots, treeThrough));
  const removals = [
    checkRemovedPayloads(payloadsThrough, start.seq, segments, through),
    findUnexplainedRemoval(segments, through),
    findRestored(segments, { start: start.seq, coveredThrough: through, newest: tree?.newest ?? 0 }),
  ].reduce(earlier, checkRemovedRecords(anchor, segments, through));
  const verified = tree === null ? null : verifyTree(tree, segments, treeHasher);
  const common = { chain, newest, first: extent.firstSeq };
  const weighed = joinComparisons(
    compareCheckpoints({ ...common, checkpoints, hashAt }),
    compareRoots({
      ...common,
      roots,
      through: treeThrough,
      rootAt: (leaves) => verified?.rootAt(leaves),
      log: frame.roots.at(-1)?.log ?? firstLog,
    }),
  );
  const newer = [
    ...(tree?.newer?.members ?? []).map((member) => ({
      seq: 0,
      member,
      release: tree?.newer?.release ?? "",
    })),
    ...segments.flatMap((segment) => segment.newer),
  ].map((one) => ({ ...one, isCovered: one.seq <= through }));
  const failures = [failure, removals, verified?.failure ?? null, checkStatement(frame, segments)];
  return {
    chain,
    project,
    ...extent,
    anchors,
    checkpoints: checkpoints.length + roots.length,
    ...weighed,
    uncoveredRecords: extent.records === 0 ? 0 : newest - Math.max(weighed.coveredThrough ?? 0, start.seq),
    uncoveredRemovals:
      weighed.coveredThrough === null ? 0 : countRemovedAfter(anchor, segments, weighed.coveredThrough),
    failure: failures.reduce(earlier, frame.failure),
    ...(newer.length > 0 ? { newer } : {}),
  };
}

/** A chain that has no tree must have no record of version 2. */
function checkStatement({ tree }: ChainFrame, segments: readonly Segment[]): Failure | null {
  if (tree !== null || segments.every(({ firstOfVersion2 }) => firstOfVersion2 === null)) return null;
  return { seq: 0, check: "tree", message: "the chain has records of version 2, but no statement of a tree" };
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
