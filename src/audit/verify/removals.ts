// Owns the checks of removed payloads and records: for each, a later record must document the removal, and a signed checkpoint must cover
// this record. Pure; must never read a file.
//
// Why a checkpoint: anyone with write access to the database can append a record with valid hashes. Only the server can sign, and it
// signs a checkpoint in the transaction that removes something.

import type { Anchor } from "../checkpoint.ts";
import type { Removal } from "./record-checks.ts";
import type { Segment } from "./segment.ts";
import { earlier, type Failure } from "./verdict.ts";

/** The first missing payload or part whose removal is not documented by a later record; only records up to `coveredThrough` count. */
export function findUnexplainedRemoval(segments: readonly Segment[], coveredThrough: number): Failure | null {
  const removals = segments.flatMap((segment) => segment.removals);
  const recorded = recordedRemovals(removals.filter(({ seq }) => seq <= coveredThrough));
  for (const { missing, erased } of segments) {
    const payload = firstOf(
      missing.flatMap(([from, through]) => {
        const [first] = recorded.outside(from, through);
        return first ?? [];
      }),
    );
    const part = firstOf(
      erased.filter(([seq, parts]) => recorded.areOutside(seq, parts)).map(([seq]) => seq),
    );
    const seq = Math.min(payload, part);
    if (seq === Number.POSITIVE_INFINITY) continue;
    return { seq, check: "payload", message: unexplainedRemovalMessage(seq, removals) };
  }
  return null;
}

function firstOf(seqs: readonly number[]): number {
  return seqs[0] ?? Number.POSITIVE_INFINITY;
}

/**
 * What a covered record of an erasure (of version 2) names must be missing, and so must the names of what was erased. Only records up to
 * `newest` count: what later ones name may have been read before they were written.
 */
export function findRestored(
  segments: readonly Segment[],
  {
    start,
    coveredThrough,
    newest,
  }: { readonly start: number; readonly coveredThrough: number; readonly newest: number },
): Failure | null {
  const binding = segments
    .flatMap((segment) => segment.removals)
    .filter(({ isBinding, seq }) => isBinding && seq <= Math.min(coveredThrough, newest));
  if (binding.length === 0) return null;
  const erased = new Map(
    segments.flatMap((segment) => segment.erased).map(([seq, parts]) => [seq, new Set(parts)]),
  );
  const isMissing = missingSeqs(segments);
  let failure: Failure | null = null;
  for (const { seq, redacted, erasedParts, leavesName } of binding) {
    const isRead = (target: number) => target > start && target < seq;
    const restored = [
      ...redacted.filter((target) => !isMissing(target)),
      ...erasedParts
        .filter(
          ([target, parts]) =>
            !isMissing(target) && parts.some((part) => erased.get(target)?.has(part) !== true),
        )
        .map(([target]) => target),
    ].filter(isRead);
    for (const target of restored) failure = earlier(failure, { seq: target, ...restoredBy(seq) });
    if (leavesName) failure = earlier(failure, { seq, ...nameLeft });
  }
  return failure;
}

const restoredBy = (seq: number) =>
  ({ check: "payload", message: `a text is present that record ${seq} says was erased` }) as const;
const nameLeft = {
  check: "owner",
  message: "the name of a subject or conversation is present that this record says was erased",
} as const;

/** @returns a function: whether the payload of a record is missing */
function missingSeqs(segments: readonly Segment[]): (seq: number) => boolean {
  const ranges = segments.flatMap(({ missing }) => missing);
  return (seq) => {
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle]?.[1] ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return (ranges[low]?.[0] ?? Number.POSITIVE_INFINITY) <= seq;
  };
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
    .reduce((sum, [from, through]) => sum + [...recorded.outside(from, through)].length, 0);
  const erased = segments
    .flatMap((segment) => segment.erased)
    .filter(([seq, parts]) => recorded.areOutside(seq, parts)).length;
  const isAttested = removals.some((removal) => removal.anchor?.through === anchor?.through);
  return payloads + erased + (anchor === null || isAttested ? 0 : anchor.count);
}

interface RecordedRemovals {
  /** The seqs in this range, ends included, whose removal no record documents; ascending. */
  outside(from: number, through: number): Generator<number>;
  /** Whether no record documents the erasure of one of these parts. */
  areOutside(seq: number, parts: readonly number[]): boolean;
}

function recordedRemovals(removals: readonly Removal[]): RecordedRemovals {
  const redactedBy = new Map<number, number>();
  const partsBy = new Map<string, number>();
  for (const { seq, redacted, erasedParts } of removals) {
    for (const target of redacted) redactedBy.set(target, Math.max(seq, redactedBy.get(target) ?? 0));
    for (const [target, parts] of erasedParts)
      for (const part of parts) {
        const name = `${target} ${part}`;
        partsBy.set(name, Math.max(seq, partsBy.get(name) ?? 0));
      }
  }
  const prunedThrough = furthestAfter(removals.map(({ seq, payloadsThrough }) => [seq, payloadsThrough]));
  const isWhollyRemoved = (seq: number) => (redactedBy.get(seq) ?? 0) > seq || prunedThrough(seq) >= seq;
  return {
    areOutside: (seq, parts) =>
      parts.some((part) => !((partsBy.get(`${seq} ${part}`) ?? 0) > seq)) && !isWhollyRemoved(seq),
    *outside(from, through) {
      // A prune covers a whole range: only seqs outside all ranges are checked one by one.
      for (let seq = Math.max(from, 1 + prunedThrough(through)); seq <= through; seq += 1) {
        if (!isWhollyRemoved(seq)) yield seq;
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
    (removal) =>
      removal.seq > seq &&
      (removal.payloadsThrough >= seq ||
        removal.redacted.includes(seq) ||
        removal.erasedParts.some(([target]) => target === seq)),
  );
  return later === undefined
    ? "the payload or a part of it is missing, and no later record documents its removal"
    : `the payload or a part of it is missing, and no checkpoint covers record ${later.seq}, which documents its removal`;
}
