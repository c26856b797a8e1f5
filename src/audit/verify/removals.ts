// Owns the checks of removed payloads and records: for each, a later record must document the removal, and a signed checkpoint must cover
// this record. Pure; must never read a file.
//
// Why a checkpoint: anyone with write access to the database can append a record with valid hashes. Only the server can sign, and it
// signs a checkpoint in the transaction that removes something.

import type { Anchor } from "../checkpoint.ts";
import type { Removal } from "./record-checks.ts";
import type { Segment } from "./segment.ts";
import type { Failure } from "./verdict.ts";

/** The first missing payload whose removal is not documented by a later record; only records up to `coveredThrough` count. */
export function findUnexplainedRemoval(segments: readonly Segment[], coveredThrough: number): Failure | null {
  const removals = segments.flatMap((segment) => segment.removals);
  const recorded = recordedRemovals(removals.filter(({ seq }) => seq <= coveredThrough));
  for (const { missing } of segments) {
    for (const [from, through] of missing) {
      const seq = recorded.outside(from, through).next().value;
      if (seq === undefined) continue;
      return { seq, check: "payload", message: unexplainedRemovalMessage(seq, removals) };
    }
  }
  return null;
}

/** Checks that a record documents the newest anchor, and that a checkpoint covers this record. */
export function checkRemovedRecords(
  anchor: Anchor | null,
  segments: readonly Segment[],
  coveredThrough: number,
): Failure | null {
  if (anchor === null) return null;
  const { through: seq, count, cause } = anchor;
  const records = segments
    .flatMap((segment) => segment.removals)
    .filter(({ anchor: named }) => named?.through === seq && named.count === count && named.cause === cause);
  if (records.some((record) => record.seq > seq && record.seq <= coveredThrough)) return null;
  const [record] = records;
  const message =
    record === undefined
      ? "the records up to this one were removed, but no record of the chain documents it"
      : `the records up to this one were removed, but no checkpoint covers record ${record.seq}, which documents it`;
  return { seq, check: "anchor", message };
}

/**
 * Checks `payloads_through` of the database, up to which the server shows payloads as expired: it must be the value of the newest covered
 * record. At or below `start` it is not checked, because the records with the value may have been removed. `payloadsThrough` null: the
 * chain was not read from its start.
 */
export function checkRemovedPayloads(
  payloadsThrough: number | null,
  start: number,
  segments: readonly Segment[],
  coveredThrough: number,
): Failure | null {
  // The check of the tables reports a value that is not a number.
  if (!Number.isSafeInteger(payloadsThrough) || payloadsThrough === null) return null;
  const documented =
    segments
      .flatMap((segment) => segment.removals)
      .findLast((removal) => removal.seq <= coveredThrough && removal.payloadsThrough > 0)?.payloadsThrough ??
    0;
  const furthest = Math.max(payloadsThrough, documented);
  if (payloadsThrough === documented || (payloadsThrough >= 0 && furthest <= start)) return null;
  const message = `payloads_through of the database is ${payloadsThrough}, but the newest record of a removal that a checkpoint covers names ${documented}`;
  return { seq: Math.max(furthest, 0), check: "payload", message };
}

/** Number of payloads and records whose removal is documented only after `coveredThrough`. */
export function countRemovedAfter(
  anchor: Anchor | null,
  segments: readonly Segment[],
  coveredThrough: number,
): number {
  const removals = segments.flatMap((segment) => segment.removals).filter(({ seq }) => seq <= coveredThrough);
  const recorded = recordedRemovals(removals);
  const payloads = segments
    .flatMap(({ missing }) => missing)
    .reduce((sum, [from, through]) => sum + recorded.outside(from, through).toArray().length, 0);
  const isAttested = removals.some((removal) => removal.anchor?.through === anchor?.through);
  return payloads + (anchor === null || isAttested ? 0 : anchor.count);
}

interface RecordedRemovals {
  /** The seqs in this range, ends included, whose removal no record documents; ascending. */
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
      // A prune covers a whole range: only seqs outside all ranges are checked one by one.
      for (let seq = Math.max(from, 1 + prunedThrough(through)); seq <= through; seq += 1) {
        if (!((redactedBy.get(seq) ?? 0) > seq || prunedThrough(seq) >= seq)) yield seq;
      }
    },
  };
}

/** @returns a function: the largest reach of all pairs whose position is after a seq; 0 when there is none. */
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
    ? "the payload is missing, and no later record documents its removal"
    : `the payload is missing, and no checkpoint covers record ${later.seq}, which documents its removal`;
}
