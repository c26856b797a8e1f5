// Owns the verdict about one chain: joins its stretches, weighs removed payloads against what excuses them, and compares the chain
// with its checkpoints. Pure; must never look at a file.

import { counted } from "../../text/plural.ts";
import type { Anchor, Checkpoint } from "../checkpoint.ts";
import { gap, linkMessage, type Segment, timeMessage } from "./segment.ts";
import { type ChainReport, type Contradiction, earlier, type Failure } from "./verdict.ts";

/** Where a chain begins: after its genesis, or after the newest anchor. */
export interface ChainStart {
  readonly seq: number;
  /** Null: unknown, so the first link cannot be checked. */
  readonly hash: string | null;
  readonly at: string | null;
}

export interface JoinedChain {
  readonly records: number;
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  readonly lastHash: string | null;
  readonly withoutPayload: number;
  /** Hashes by seq, of those that were wanted. */
  readonly hashes: ReadonlyMap<number, string | null>;
  readonly failure: Failure | null;
}

export interface JoinOptions {
  readonly start: ChainStart;
  /** In the order of the chain, without a gap between what they cover. */
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
    records: segments.reduce((sum, { records }) => sum + records, 0),
    firstSeq: segments[0]?.first.seq ?? null,
    lastSeq: segments.at(-1)?.last.seq ?? null,
    lastHash: hash,
    withoutPayload: missing.reduce((sum, [from, through]) => sum + through - from + 1, 0),
    hashes: new Map(segments.flatMap((segment) => segment.hashes)),
    failure,
  };
}

function checkBorder({ seq, hash, at }: ChainStart, { first, firstAt }: Segment): Failure | null {
  if (first.seq !== seq + 1) {
    return { seq: Math.min(first.seq, seq + 1), check: "seq", message: gap(seq + 1, first.seq) };
  }
  if (first.prev !== null && hash !== null && first.prev !== hash) {
    return { seq: first.seq, check: "link", message: linkMessage };
  }
  if (firstAt !== null && at !== null && firstAt < at) {
    return { seq: first.seq, check: "time", message: timeMessage };
  }
  return null;
}

/** What is wrong with records that the newest anchor has removed and that are not deleted yet: the last of them, if any. */
export function checkPrunedRemainder(
  segments: readonly Segment[],
  { seq, hash }: ChainStart,
): Failure | null {
  const [oldest] = segments;
  if (oldest === undefined) return null;
  const before = { seq: oldest.first.seq - 1, hash: null, at: null };
  const { failure, lastSeq, lastHash } = joinSegments({ start: before, segments });
  if (failure !== null) return failure;
  if (lastSeq !== seq) {
    const message = `records before the anchor are there up to ${lastSeq}, but those that it removed end here`;
    return { seq, check: "seq", message };
  }
  if (hash === null || hash === lastHash) return null;
  return { seq, check: "link", message: "it is not the record that the anchor names" };
}

/** The first thing that is wrong with the anchors themselves, which are in order. */
export function checkAnchors(anchors: readonly Anchor[]): Failure | null {
  let [through, at] = [0, Number.NEGATIVE_INFINITY];
  for (const anchor of anchors) {
    const continues = anchor.count === anchor.through - through && anchor.firstAt >= at;
    if (!continues || anchor.lastAt < anchor.firstAt) {
      const message = "this anchor does not continue the one before";
      return { seq: anchor.through, check: "anchor", message };
    }
    [through, at] = [anchor.through, anchor.lastAt];
  }
  return null;
}

/** A checkpoint whose signature is good, or one that the server itself remembers. */
export interface KnownCheckpoint extends Checkpoint {
  readonly isOutside: boolean;
  /** False: remembered. Such a checkpoint can contradict, but it attests nothing. */
  readonly isSigned: boolean;
  /** How a person finds it. */
  readonly source: string;
}

export interface CheckpointComparison {
  readonly chain: string;
  readonly checkpoints: readonly KnownCheckpoint[];
  /** The hash at a size, as the ledger has it; null when the ledger does not say. */
  readonly hashAt: (size: number) => string | null;
  /** Larger ones say that the chain was cut; null: they say nothing. */
  readonly newest: number | null;
  /** Records that can be attested. */
  readonly first: number | null;
}

export function compareCheckpoints({
  chain,
  checkpoints,
  hashAt,
  newest,
  first,
}: CheckpointComparison): Pick<ChainReport, "attestedThrough" | "contradiction"> {
  let attestedThrough: number | null = null;
  let contradiction: Contradiction | null = null;
  for (const { size, hash, isOutside, source } of checkpoints) {
    const known = hashAt(size);
    if (newest !== null && size > newest) {
      const message = `${source} attests ${counted(size, "record")}, but the last record is number ${newest}: the newest were cut off, or an old copy was put in place`;
      contradiction = lower(contradiction, { kind: "truncated", chain, size, message });
    } else if (known !== null && known !== hash) {
      const message = `${source} attests another record ${size}: the ledger was rewritten there or before`;
      contradiction = lower(contradiction, { kind: "rewritten", chain, size, message });
    } else if (known !== null && isOutside && first !== null && size >= first) {
      attestedThrough = Math.max(attestedThrough ?? 0, size);
    }
  }
  return { attestedThrough, contradiction };
}

/** The largest size that a signed checkpoint states; 0 when there is none. One that the chain contradicts is told as that. */
export function coveredSize(checkpoints: readonly KnownCheckpoint[]): number {
  return checkpoints.reduce((most, { size, isSigned }) => (isSigned ? Math.max(most, size) : most), 0);
}

function lower(one: Contradiction | null, other: Contradiction): Contradiction {
  return one !== null && one.size <= other.size ? one : other;
}
