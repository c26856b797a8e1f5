// Owns the comparison of a chain with signed checkpoints of both versions. Pure; must never read a file.

import { toHex } from "../../platform/text/byte-text.ts";
import { counted } from "../../platform/text/plural.ts";
import { type Checkpoint, sizeOfCheckpoint } from "../checkpoint.ts";
import type { SignedRoot } from "./note-reader.ts";
import type { ChainReport, Contradiction } from "./verdict.ts";

/** A checkpoint with a valid signature, or one that the server keeps in memory. */
export interface KnownCheckpoint extends Checkpoint {
  readonly isOutside: boolean;
  /** False: kept in memory. Such a checkpoint can contradict the chain, but confirms nothing. */
  readonly isSigned: boolean;
  /** Where a person finds it. */
  readonly source: string;
}

type Comparison = Pick<ChainReport, "coveredThrough" | "contradiction">;

interface CheckpointComparison {
  readonly chain: string;
  readonly checkpoints: readonly KnownCheckpoint[];
  /** The hash of the ledger at a size; null when the ledger does not contain it. */
  readonly hashAt: (size: number) => string | null;
  /** The newest record. A larger checkpoint shows that records were removed at the end; null: larger ones are ignored. */
  readonly newest: number | null;
  /** The first record that a checkpoint can cover; null: none. */
  readonly first: number | null;
}

export function compareCheckpoints({
  chain,
  checkpoints,
  hashAt,
  newest,
  first,
}: CheckpointComparison): Comparison {
  let coveredThrough: number | null = null;
  let contradiction: Contradiction | null = null;
  for (const { size, hash, isOutside, source } of checkpoints) {
    const known = hashAt(size);
    if (newest !== null && size > newest) {
      const covered = Math.max(...checkpoints.map((one) => one.size));
      const message = describeTruncation(source, size, newest, covered);
      contradiction = lower(contradiction, { kind: "truncated", chain, size, message });
    } else if (known !== null && known !== hash) {
      const message = `${source} does not match record ${size}: this record or an earlier one was replaced`;
      contradiction = lower(contradiction, { kind: "rewritten", chain, size, message });
    } else if (known !== null && isOutside && first !== null && size >= first) {
      coveredThrough = Math.max(coveredThrough ?? 0, size);
    }
  }
  return { coveredThrough, contradiction };
}

/** `covered`: by the checkpoint that covers the most records. */
function describeTruncation(source: string, size: number, newest: number, covered: number): string {
  const missing =
    covered - newest === 1
      ? `Record ${covered} is missing: it was`
      : `The ${covered - newest} records from ${newest + 1} to ${covered} are missing: they were`;
  return `${source} covers ${counted(size, "record")}, but the last record is number ${newest}. ${missing} removed, or an older copy of the file was restored`;
}

/** A checkpoint of version 2 with a valid signature. */
export interface KnownRoot extends SignedRoot {
  readonly isOutside: boolean;
  /** Where a person finds it. */
  readonly source: string;
}

interface RootComparison {
  readonly chain: string;
  readonly roots: readonly KnownRoot[];
  /** `through` of the statement; null: the chain has no tree. */
  readonly through: number | null;
  /** Undefined: not known. Null: nodes to compute it are missing. */
  readonly rootAt: (leaves: number) => Uint8Array | null | undefined;
  /** The newest record; null: larger checkpoints are ignored. */
  readonly newest: number | null;
  readonly first: number | null;
  /** The log in which the newest checkpoint is. */
  readonly log: string;
}

/** The comparison of checkpoints of version 2. */
export function compareRoots({
  chain,
  roots,
  through,
  rootAt,
  newest,
  first,
  log,
}: RootComparison): Comparison {
  let coveredThrough: number | null = null;
  let contradiction: Contradiction | null = null;
  const matching = new Set(roots.filter(({ leaves, root }) => hexOf(rootAt(leaves)) === root));
  const trusted = [...matching].filter(({ isOutside }) => isOutside).map((one) => sizeOf(one, through));
  for (const one of roots) {
    const { leaves, isOutside, source } = one;
    const size = sizeOf(one, through);
    const accepted =
      one.log === log || log === firstLog
        ? ""
        : `. An administrator has accepted a loss of records: record ${log}`;
    if (through === null || (newest !== null && size > newest)) {
      const covered = Math.max(...roots.map((root) => sizeOf(root, through)));
      const message =
        newest === null || through === null
          ? `${source} covers ${counted(size, "record")}, but the chain has no tree: an older copy of the file was restored`
          : describeTruncation(source, size, newest, covered);
      contradiction = lower(contradiction, { kind: "truncated", chain, size, message: message + accepted });
    } else if (rootAt(leaves) !== undefined && !matching.has(one)) {
      const replaced = describeReplaced(Math.max(0, ...trusted.filter((each) => each < size)), size);
      const message = `${source} does not match the records up to ${size}: ${replaced}${accepted}`;
      contradiction = lower(contradiction, { kind: "rewritten", chain, size, message });
    } else if (matching.has(one) && isOutside && first !== null && size >= first) {
      coveredThrough = Math.max(coveredThrough ?? 0, size);
    }
  }
  return { coveredThrough, contradiction };
}

const hexOf = (hash: Uint8Array | null | undefined) => (hash ? toHex(hash) : null);

/** @param trusted records that a smaller checkpoint from outside confirms; 0: none */
function describeReplaced(trusted: number, size: number): string {
  if (trusted === 0) return "one of them was replaced";
  const which = trusted + 1 === size ? `record ${size}` : `one of the records from ${trusted + 1} to ${size}`;
  return `${which} was replaced, because those up to ${trusted} match another checkpoint from outside`;
}

/** The log of a chain whose records were never lost. */
export const firstLog = "2";

/** The seq that a checkpoint of version 2 covers. `through`: of the statement. */
export function sizeOf({ leaves }: Pick<KnownRoot, "leaves">, through: number | null): number {
  return sizeOfCheckpoint({ leaves }, through ?? 0);
}

/** What both kinds of checkpoints say together. */
export function joinComparisons(one: Comparison, other: Comparison): Comparison {
  return {
    coveredThrough:
      one.coveredThrough === null || other.coveredThrough === null
        ? (one.coveredThrough ?? other.coveredThrough)
        : Math.max(one.coveredThrough, other.coveredThrough),
    contradiction:
      other.contradiction === null ? one.contradiction : lower(one.contradiction, other.contradiction),
  };
}

/** The largest size of a signed checkpoint; 0 when there is none. Whether the checkpoint matches the chain is checked elsewhere. */
export function coveredSize(
  checkpoints: readonly KnownCheckpoint[],
  roots: readonly KnownRoot[] = [],
  through: number | null = null,
): number {
  const sizes = checkpoints.filter(({ isSigned }) => isSigned).map(({ size }) => size);
  const covered = through === null ? [] : roots.map((root) => sizeOf(root, through));
  return [...sizes, ...covered].reduce((most, size) => Math.max(most, size), 0);
}

function lower(one: Contradiction | null, other: Contradiction): Contradiction {
  return one !== null && one.size <= other.size ? one : other;
}
