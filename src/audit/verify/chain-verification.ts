// Owns the checks of one whole chain: joins its verified segments, and compares the chain with its anchors. Pure; must
// never read a file.

import type { Anchor } from "../checkpoint.ts";
import { gapMessage, linkMessage, type Segment, timeMessage } from "./segment.ts";
import { type ChainExtent, earlier, type Failure } from "./verdict.ts";

/** The point after which a chain begins: its genesis, or its newest anchor. */
export interface ChainStart {
  readonly seq: number;
  /** Null: unknown; then the first link is not checked. */
  readonly hash: string | null;
  readonly at: string | null;
}

export interface JoinedChain {
  readonly extent: ChainExtent;
  readonly lastHash: string | null;
  /** The requested hashes, by seq. */
  readonly hashes: ReadonlyMap<number, string | null>;
  readonly failure: Failure | null;
}

interface JoinOptions {
  readonly start: ChainStart;
  /** In the order of the chain, without a gap between their ranges. */
  readonly segments: readonly Segment[];
}

export function joinSegments({ start, segments }: JoinOptions): JoinedChain {
  let [{ seq, hash, at }, failure] = [start, null as Failure | null];
  for (const segment of segments) {
    failure = earlier(failure, checkBorder({ seq, hash, at }, segment));
    failure = earlier(failure, segment.failure);
    ({ seq, hash } = segment.last);
    at = segment.lastAt ?? at;
  }
  const missing = segments.flatMap((segment) => segment.missing);
  return {
    extent: {
      records: segments.reduce((sum, { records }) => sum + records, 0),
      appended: segments.reduce((sum, { appended }) => sum + appended, 0),
      firstSeq: segments[0]?.first.seq ?? null,
      lastSeq: segments.at(-1)?.last.seq ?? null,
      withoutPayload: missing.reduce((sum, [from, through]) => sum + through - from + 1, 0),
    },
    lastHash: hash,
    hashes: new Map(segments.flatMap((segment) => segment.hashes)),
    failure,
  };
}

function checkBorder({ seq, hash, at }: ChainStart, { first, firstAt }: Segment): Failure | null {
  if (first.seq !== seq + 1) {
    return { seq: Math.min(first.seq, seq + 1), check: "seq", message: gapMessage(seq + 1, first.seq) };
  }
  if (first.prev !== null && hash !== null && first.prev !== hash) {
    return { seq: first.seq, check: "link", message: linkMessage };
  }
  if (firstAt !== null && at !== null && firstAt < at) {
    return { seq: first.seq, check: "time", message: timeMessage };
  }
  return null;
}

/** Checks the records that the newest anchor has removed and that are not deleted yet: they must end with the record that it names. */
export function checkPrunedRemainder(
  segments: readonly Segment[],
  { seq, hash }: ChainStart,
): Failure | null {
  const [oldest] = segments;
  if (oldest === undefined) return null;
  const before = { seq: oldest.first.seq - 1, hash: null, at: null };
  const { extent, failure, lastHash } = joinSegments({ start: before, segments });
  if (failure !== null) return failure;
  if (extent.lastSeq !== seq) {
    const message = `the remaining records before the anchor end with record ${extent.lastSeq}, but the anchor removed the records up to this one`;
    return { seq, check: "seq", message };
  }
  if (hash === null || hash === lastHash) return null;
  return { seq, check: "link", message: "the record is not the one that the anchor names" };
}

/** The first failure of the anchors, which are in the order of the chain. */
export function checkAnchors(anchors: readonly Anchor[]): Failure | null {
  let [through, at] = [0, Number.NEGATIVE_INFINITY];
  for (const anchor of anchors) {
    const continues = anchor.count === anchor.through - through && anchor.firstAt >= at;
    if (!continues || anchor.lastAt < anchor.firstAt) {
      const message = "the anchor does not continue the previous anchor";
      return { seq: anchor.through, check: "anchor", message };
    }
    [through, at] = [anchor.through, anchor.lastAt];
  }
  return null;
}
