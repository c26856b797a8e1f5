// Owns the judgement of what has been removed from a chain: each missing payload, and the records before the newest anchor, need a
// record that says so, and a checkpoint that attests this record. Pure; must never look at a file.
//
// Why a checkpoint: everybody who can write the database can append a record with good hashes. Only the server can sign, and it signs
// in the transaction that removes something.

import type { Anchor } from "../checkpoint.ts";
import type { Removal, Segment } from "./segment.ts";
import type { Failure } from "./verdict.ts";

/** The first payload that is missing although no record after it, of those up to `attested`, says that it was removed. */
export function findUnexplainedRemoval(segments: readonly Segment[], attested: number): Failure | null {
  const removals = segments.flatMap((segment) => segment.removals);
  const recorded = recordedRemovals(removals.filter(({ seq }) => seq <= attested));
  for (const { missing } of segments) {
    for (const [from, through] of missing) {
      const seq = recorded.outside(from, through).next().value;
      if (seq === undefined) continue;
      return { seq, check: "payload", message: unexplainedRemovalMessage(seq, removals) };
    }
  }
  return null;
}

/** The newest anchor without a record that says what it says, or with one that no checkpoint attests. */
export function checkRemovedRecords(
  anchor: Anchor | null,
  segments: readonly Segment[],
  attested: number,
): Failure | null {
  if (anchor === null) return null;
  const { through: seq, count, cause } = anchor;
  const records = segments
    .flatMap((segment) => segment.removals)
    .filter(({ anchor: said }) => said?.through === seq && said.count === count && said.cause === cause);
  if (records.some((record) => record.seq > seq && record.seq <= attested)) return null;
  const [record] = records;
  const message =
    record === undefined
      ? "records were removed up to here, but no record of the chain says so"
      : `records were removed without attestation: no checkpoint attests record ${record.seq}, which says so`;
  return { seq, check: "anchor", message };
}

/**
 * The database must say what the newest attested record says: the server shows payloads up to there as expired. At or below `start`,
 * where the records that say so may have been removed, it says nothing. Null: the chain was not read from its start.
 */
export function checkRemovedPayloads(
  payloadsThrough: number | null,
  start: number,
  segments: readonly Segment[],
  attested: number,
): Failure | null {
  // What is no number at all, the check of the tables finds.
  if (!Number.isSafeInteger(payloadsThrough) || payloadsThrough === null) return null;
  const said =
    segments
      .flatMap((segment) => segment.removals)
      .findLast((removal) => removal.seq <= attested && removal.payloadsThrough > 0)?.payloadsThrough ?? 0;
  const furthest = Math.max(payloadsThrough, said);
  if (payloadsThrough === said || (payloadsThrough >= 0 && furthest <= start)) return null;
  const message = `the database says that payloads were removed up to ${payloadsThrough}, the newest attested record that says so names ${said}`;
  return { seq: Math.max(furthest, 0), check: "payload", message };
}

/** How many payloads and records were removed by records after `attested`. */
export function countRemovedAfter(
  anchor: Anchor | null,
  segments: readonly Segment[],
  attested: number,
): number {
  const removals = segments.flatMap((segment) => segment.removals).filter(({ seq }) => seq <= attested);
  const recorded = recordedRemovals(removals);
  const payloads = segments
    .flatMap(({ missing }) => missing)
    .reduce((sum, [from, through]) => sum + recorded.outside(from, through).toArray().length, 0);
  const isAttested = removals.some((removal) => removal.anchor?.through === anchor?.through);
  return payloads + (anchor === null || isAttested ? 0 : anchor.count);
}

interface RecordedRemovals {
  /** Of these two and the seqs between them: those that no record excuses, ascending. */
  outside(from: number, through: number): Generator<number>;
}

function recordedRemovals(removals: readonly Removal[]): RecordedRemovals {
  const redactedBy = new Map<number, number>();
  for (const { seq, redacted } of removals) {
    for (const target of redacted) redactedBy.set(target, Math.max(seq, redactedBy.get(target) ?? 0));
  }
  const prunedThrough = furthestAfter(removals.map(({ seq, payloadsThrough }) => [seq, payloadsThrough]));
  return {
    *outside(from, through) {
      // A prune covers a run of records at once: only what none covers is asked one by one.
      for (let seq = Math.max(from, 1 + prunedThrough(through)); seq <= through; seq += 1) {
        if (!((redactedBy.get(seq) ?? 0) > seq || prunedThrough(seq) >= seq)) yield seq;
      }
    },
  };
}

/** @returns a function that finds the largest reach of all pairs whose position is after a seq; 0 when there is none. */
function furthestAfter(
  pairs: readonly (readonly [position: number, reach: number])[],
): (seq: number) => number {
  const sorted = pairs.toSorted(([one], [other]) => one - other);
  const furthest: number[] = [];
  for (let index = sorted.length - 1; index >= 0; index -= 1) {
    furthest[index] = Math.max(sorted[index]?.[1] ?? 0, furthest[index + 1] ?? 0);
  }
  return (seq) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle]?.[0] ?? 0) > seq) high = middle;
      else low = middle + 1;
    }
    return furthest[low] ?? 0;
  };
}

function unexplainedRemovalMessage(seq: number, removals: readonly Removal[]): string {
  const later = removals.find(
    (removal) => removal.seq > seq && (removal.payloadsThrough >= seq || removal.redacted.includes(seq)),
  );
  return later === undefined
    ? "its payload is missing, and no later record says why"
    : `its payload was erased without attestation: no checkpoint attests record ${later.seq}, which says so`;
}
