// Owns the interface to what is known of deposits: files with records of a chain that destinations elsewhere keep (audit/deposit.ts).

import type { DepositHead } from "../../audit/deposit.ts";
import type { JsonObject } from "../../platform/json/json.ts";
import type { AttestableCheckpoint, NewestAttestation } from "./attestation-store.ts";

/** What a destination lacks. */
export interface DepositQuery {
  /** As the settings name it. */
  readonly destination: string;
  /** Milliseconds since 1970; checkpoints that were signed later are not considered yet. */
  readonly signedBefore: number;
}

/** A chain with records that a destination lacks, up to its newest checkpoint. */
export interface DueDeposit extends AttestableCheckpoint {
  /** Number of the records that it lacks. */
  readonly records: number;
  /** When the first of them was made, in milliseconds since 1970. */
  readonly oldestAt: number;
}

/** The records of the next file. */
export interface DepositRange extends Pick<DepositHead, "chain" | "log" | "first"> {
  /** The largest checkpoint of the log that is not beyond the limit, or the limit. */
  readonly last: number;
}

/** What a destination has kept. */
export interface StoredDeposit extends DepositRange {
  /** The destination, as the settings name it. */
  readonly destination: string;
  /** Of the file, in hexadecimal. */
  readonly sha256: string;
  readonly answer: JsonObject;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** `at`: when its answer was stored. */
export interface LastDeposit extends NewestAttestation {
  readonly answer: JsonObject;
}

export interface DepositStore {
  due(query: DepositQuery): Promise<readonly DueDeposit[]>;
  /** Null: nothing is left to do for the chain. */
  next(query: DepositQuery, chain: string, recordsMax: number): Promise<DepositRange | null>;
  /** Entries of the records, at most some hundred, each with a line feed, and the last seq. @throws Error when one is missing */
  entries(range: DepositRange): Promise<{ readonly text: string; readonly through: number }>;
  head(range: DepositRange): Promise<DepositHead>;
  /** Receipts of the erasures whose records are in the range, each with a line feed. */
  erasures(range: DepositRange): Promise<string>;
  /** What a destination has kept last; null: nothing. */
  last(destination: string): Promise<LastDeposit | null>;
  add(deposit: StoredDeposit): Promise<void>;
}
