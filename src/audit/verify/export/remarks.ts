// Owns the sentences about an export that was verified: which parts it lacks, what it cannot prove, and with which checkpoints it was
// compared. Must never decide a verdict.

import { counted } from "../../../platform/text/plural.ts";
import { firstLog, type KnownCheckpoint, type KnownRoot, sizeOf } from "../checkpoint-comparison.ts";
import type { Segment } from "../segment.ts";
import type { ChainReport } from "../verdict.ts";
import type { Manifest } from "./manifest.ts";

/** External checkpoints with valid signatures. */
interface Given {
  readonly checkpoints: readonly KnownCheckpoint[];
  /** Those of version 2. */
  readonly roots: readonly KnownRoot[];
  readonly isWhole?: boolean;
}

/** A given checkpoint of either version. */
interface Sized {
  readonly source: string;
  readonly size: number;
  readonly log?: string;
}

export function exportRemarks(
  { v2, root, isVerifiable }: Manifest,
  { chain, lastSeq, coveredThrough, failure, contradiction }: ChainReport,
  segments: readonly Segment[],
  { checkpoints, roots, isWhole = false }: Given,
): string[] {
  if (!isVerifiable) return [unverifiable];
  const hasGaps = v2?.hasGaps === true;
  const through = v2?.statement.through ?? null;
  const ofTree = roots.filter((one) => one.chain === chain);
  const canCompare = ({ leaves }: KnownRoot) => (hasGaps ? leaves === root?.leaves : v2?.before != null);
  const sized = ofTree.filter(canCompare).map((one) => ({ ...one, size: sizeOf(one, through) }));
  const ofChain: readonly Sized[] = checkpoints.filter((one) => one.chain === chain);
  const bySeq = hasGaps ? ofChain : [...ofChain, ...sized];
  const covering = hasGaps ? sized : bySeq.filter(({ size }) => size === coveredThrough);
  const isConfirmed = v2 !== null && coveredThrough !== null && failure === null && contradiction === null;
  const last = isWhole || lastSeq === null ? Number.POSITIVE_INFINITY : lastSeq;
  const others = ofTree.filter((one) => lastSeq !== null && !canCompare(one));
  return [
    ...missingParts(segments),
    ...(hasGaps ? [selection(root === null ? null : sizeOf(root, through))] : []),
    ...new Set(isConfirmed ? covering.map(compared) : []),
    ...bySource(bySeq.filter(({ size }) => size > last)).map((late) => tooLate(late, last)),
    ...bySource(others).map((group) => notCompared(group, hasGaps)),
  ];
}

const unverifiable =
  "This export has no hashes: the signature confirms that the file is unchanged, but its records cannot be verified.";

function missingParts(segments: readonly Segment[]): string[] {
  const erased = segments.flatMap((segment) => segment.erased);
  const count = erased.reduce((sum, [, parts]) => sum + parts.length, 0);
  const withheld = segments.reduce((sum, segment) => sum + segment.withheld, 0);
  const parts = (number: number, what: string) => `${counted(number, "part was", "parts were")} ${what}`;
  return [
    ...(count === 0
      ? []
      : [
          `${parts(count, "erased")}, in ${counted(erased.length, "record")}. Their texts are not in the file, which is not a failure: the rest of these records was verified.`,
        ]),
    ...(withheld === 0
      ? []
      : [
          `${parts(withheld, "withheld")}: the file has only the parts about the subjects that its manifest lists. That is not a failure: the rest of these records was verified.`,
        ]),
  ];
}

function selection(size: number | null): string {
  const named =
    size === null
      ? ""
      : ` It can be compared only with the checkpoint that its manifest names, which covers the records up to ${size}.`;
  return `This export has the records that a filter selected. It proves the records that it contains, and not that none was left out.${named}`;
}

function compared({ source, size, log = firstLog }: Sized): string {
  const accepted =
    log === firstLog
      ? ""
      : ` It is from the log ${log}: this is the id of the record in which an administrator accepted that records were lost.`;
  return `Compared with the checkpoint in ${source}, which covers the records up to ${size}: it matches.${accepted}`;
}

/** A checkpoint that is later than an export contradicts nothing. */
function tooLate([first, ...more]: Group<Sized>, last: number): string {
  const { source, size } = first;
  const which =
    more.length === 0
      ? `${source} was signed after record ${size}`
      : `${more.length + 1} checkpoints in ${source} were signed after record ${size} or later`;
  return `${which}, and this export ends with record ${last}, so they cannot be compared. No record is missing. Make an export that has record ${size}, or give an earlier checkpoint.`;
}

function notCompared([first, ...more]: Group<KnownRoot>, hasGaps: boolean): string {
  const which = `Not compared: ${counted(more.length + 1, "checkpoint")} in ${first.source}`;
  return hasGaps
    ? `${which} that the manifest does not name.`
    : `${which} of version 2 of the audit format. This export cannot be compared with such checkpoints: make a new export.`;
}

type Group<Item> = readonly [Item, ...Item[]];

/** What was given in the same file, the smallest first. */
function bySource<Item extends { readonly source: string; readonly size?: number }>(
  items: readonly Item[],
): Group<Item>[] {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items.toSorted((one, other) => (one.size ?? 0) - (other.size ?? 0))) {
    const group = groups.get(item.source);
    if (group === undefined) groups.set(item.source, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
