// Owns the interface to the ledger of a database outside of calls: for a start, for doctor, and for a change of the signing key.

import type { Checkpoint, TreeCheckpoint } from "../../audit/checkpoint.ts";

/** What a note beside the database states, of either version. */
export type PublishedState = Checkpoint | TreeCheckpoint;

export interface StoredLedger {
  findKey(): Promise<KeyInUse>;
  /** From here on only this key may sign. */
  setKey(verifierKey: string): Promise<void>;
  /** The checkpoints that cover records which the database does not have. */
  findMissingRecords<Published extends PublishedState>(
    checkpoints: readonly Published[],
  ): Promise<readonly MissingRecords<Published>[]>;
  /** For each chain, the first record of a removal that no checkpoint of these keys covers. */
  findUncoveredRemovals(verifierKeys: readonly string[]): Promise<readonly UncoveredRemoval[]>;
  /** Checkpoints of each chain that cover more records than those of `published` do; oldest first. */
  findNewerCheckpoints(published: readonly PublishedState[]): Promise<readonly StoredCheckpoint[]>;
  /** The rotation statements in the records about changes of the key, oldest first; without those that retention has removed. */
  findRotations(): Promise<readonly string[]>;
  /** The erasures of subjects and conversations that the records name, oldest first; without those that retention has removed. */
  findErasures(): Promise<readonly RecordedErasure[]>;
}

export interface RecordedErasure {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Pseudonyms of the erased subjects; empty: a conversation was erased. */
  readonly subjects: readonly string[];
}

export interface KeyInUse {
  /** Verifier key of the signing key in use; null in a new database, and in one that version 0.1.0 wrote. */
  readonly verifierKey: string | null;
  /** The newest signed note; null when nothing has been signed yet. */
  readonly newestNote: string | null;
}

export interface MissingRecords<Published extends PublishedState> {
  readonly checkpoint: Published;
  /** Number of records that it covers; of version 2 at least so many if the chain has no tree in the database. */
  readonly size: number;
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
