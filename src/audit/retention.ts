// Owns the rules of retention: which records and payloads of a chain are too old and may be removed. Pure: reads no database, clock or
// file, and removes nothing.

import { dayMs } from "../platform/time/clock.ts";

/** Records before this time are too old; null: no record ever is. `days`: how long records are kept; null: forever. */
export function retentionCutOff(days: number | null, ageAt: number): number | null {
  return days === null ? null : ageAt - days * dayMs;
}

/** The state of a chain. Every position is a seq; 0 is before the first record. */
interface PrunableChain {
  /** The newest record. */
  readonly last: number;
  /** The first record that a running export needs; null: no export is running. */
  readonly exportFirst: number | null;
  /** The newest record and the newest payload that are too old; 0: none. */
  readonly oldThrough: number;
  readonly oldPayloadsThrough: number;
}

export interface Pruning {
  /** Records up to here may be removed. */
  readonly through: number;
  /** Payloads up to here may be removed. */
  readonly payloadsThrough: number;
  /** Records from here on are too old too, but a running export needs them; null: there are none. */
  readonly keptForExportFrom: number | null;
}

/** Never removes the newest record, because the next one links to it, nor records that a running export needs. */
export function choosePruning(chain: PrunableChain): Pruning {
  const newestKept = chain.last - 1;
  const limit = Math.min(newestKept, (chain.exportFirst ?? Number.POSITIVE_INFINITY) - 1);
  const old = Math.min(chain.oldThrough, newestKept);
  return {
    through: Math.max(0, Math.min(old, limit)),
    payloadsThrough: Math.max(0, Math.min(chain.oldPayloadsThrough, limit)),
    keptForExportFrom: old > limit ? limit + 1 : null,
  };
}
