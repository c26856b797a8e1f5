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

/** For metrics. */
export interface DestinationState extends Pick<Destination, "kind" | "name"> {
  /** Chains whose newest checkpoint it has not attested. */
  readonly waiting: number;
  /** When the oldest of these checkpoints was signed, in milliseconds since 1970; null: none waits. */
  readonly oldestAt: number | null;
  readonly attested: number;
  /** It could not be asked. */
  readonly failed: number;
  readonly refused: number;
}
