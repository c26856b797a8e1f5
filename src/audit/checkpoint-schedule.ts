// Owns when a chain is due for a checkpoint: after a number of records, some time after a checkpoint when records were added, and once a
// day in any case. Pure: reads no database and no clock.

import { checkpointEveryMs, checkpointEveryRecords, checkpointIdleMs } from "../platform/limits.ts";

export interface CheckpointState {
  /** Seq of the newest record; 0: there is none. */
  readonly seq: number;
  /** Records that the newest checkpoint covers, and when it was signed; null: the chain has none. */
  readonly size: number | null;
  readonly signedAt: number | null;
}

/** After how many records, and after which time if there are new records, a chain is due. */
export interface CheckpointInterval {
  readonly everyRecords: number;
  readonly everyMs: number;
}

const usualInterval: CheckpointInterval = {
  everyRecords: checkpointEveryRecords,
  everyMs: checkpointEveryMs,
};

export function isCheckpointDue(
  { seq, size, signedAt }: CheckpointState,
  now: number,
  { everyRecords, everyMs } = usualInterval,
): boolean {
  const records = seq - (size ?? 0);
  // A checkpoint that is dated ahead of the clock was signed before the clock was set back.
  const ageMs = Math.abs(now - (signedAt ?? 0));
  if (records === 0) return seq > 0 && ageMs >= checkpointIdleMs;
  return records >= everyRecords || ageMs >= everyMs;
}

/** Whether records were added after the newest checkpoint. */
export function hasUnsigned({ seq, size }: CheckpointState): boolean {
  return seq > (size ?? 0);
}
