// Owns the interface to a third party that attests checkpoints.

import type { AttestationSource, UnattestedCheckpoint } from "../../calls/storage/attestation-store.ts";

export interface Destination extends AttestationSource {
  /** For people, the log and metrics. */
  readonly name: string;
  /** A chain is attested at most once in this time; 0: each checkpoint. */
  readonly everyMs: number;
  /**
   * @returns the statement, verified: `content` of an Attestation
   * @throws AttestationRefused when it has answered, and will not attest this checkpoint
   * @throws Error when it could not be asked
   */
  attest(checkpoint: UnattestedCheckpoint, signal: AbortSignal): Promise<string>;
}

/** The message says what to do. */
export class AttestationRefused extends Error {}

/** For metrics, the overview and `memledger doctor`. */
export interface DestinationState extends Pick<Destination, "kind" | "name"> {
  /** Chains whose newest checkpoint it has not attested. */
  readonly waiting: number;
  /** When the oldest of these checkpoints was signed, in milliseconds since 1970; null: none waits. */
  readonly oldestAt: number | null;
  readonly attested: number;
  /** It could not be asked. */
  readonly failed: number;
  /** Why what waits was not sent or not accepted the last time, with what to do; null: nothing has failed. */
  readonly failure: string | null;
  readonly refused: number;
}
