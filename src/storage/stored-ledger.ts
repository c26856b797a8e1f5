// Owns what the program asks a database about its ledger outside of calls: at a start, for doctor, and when the signing key changes.

import type { Checkpoint } from "../audit/checkpoint.ts";

/** What the database says about its ledger, outside of calls. */
export interface StoredLedger {
  findKey(): Promise<KeyInUse>;
  /** From here on only this key may sign. */
  setKey(verifierKey: string): Promise<void>;
  /** Those of the checkpoints that cover more records than the database has, or other ones. */
  findMissingRecords<Published extends Checkpoint>(
    checkpoints: readonly Published[],
  ): Promise<readonly MissingRecords<Published>[]>;
  /** By chain, the first record that says that something was removed and that no checkpoint of these keys covers. */
  findUncoveredRemovals(verifierKeys: readonly string[]): Promise<readonly UncoveredRemoval[]>;
  /** Checkpoints of each chain that cover more records than `sizes` has for it; oldest first. */
  findNewerCheckpoints(sizes: ReadonlyMap<string, number>): Promise<readonly StoredCheckpoint[]>;
  /** The statements of the records about changes of the key, oldest first; without those that retention has removed. */
  findRotations(): Promise<readonly string[]>;
}

export interface KeyInUse {
  /** Verifier key of the signing key in use; null in a new database, and in one that version 0.1.0 wrote. */
  readonly verifierKey: string | null;
  /** The newest signed note; null when nothing has been signed yet. */
  readonly newestNote: string | null;
}

export interface MissingRecords<Published extends Checkpoint> {
  readonly checkpoint: Published;
  /** The newest record of the chain in the database; null: the database does not have the chain. */
  readonly newest: number | null;
}

export interface UncoveredRemoval {
  readonly chain: string;
  readonly seq: number;
  readonly action: string;
}

export interface StoredCheckpoint {
  readonly chain: string;
  readonly size: number;
  readonly note: string;
}
