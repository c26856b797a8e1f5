// Owns the interfaces to those to whom checkpoints are sent: third parties that attest them, and destinations that keep them with their records.

import type {
  AttestableCheckpoint,
  Attestation,
  AttestationSource,
  NewestAttestation,
  UnattestedCheckpoint,
} from "../../calls/storage/attestation-store.ts";
import type { Store } from "../../calls/storage/store.ts";
import type { Clock } from "../../platform/time/clock.ts";

export interface Destination<Waiting extends WaitingCheckpoint = WaitingCheckpoint> {
  readonly kind: Attestation["kind"] | "deposit";
  /** For people, the log and metrics. */
  readonly name: string;
  /** @throws Error that says what to do when nothing could be sent now, such as to a folder that is not there */
  check?(): Promise<void>;
  waiting(): Promise<readonly Waiting[]>;
  /**
   * Sends a checkpoint, and stores what was answered.
   * @throws AttestationRefused when it has answered, and will not accept this checkpoint
   * @throws Error when it could not be asked
   */
  attest(checkpoint: Waiting, signal: AbortSignal): Promise<void>;
  /** What it has confirmed or kept last; null: nothing yet. */
  last(): Promise<NewestAttestation | null>;
  /** Number of records that wait; absent: it gets none. */
  records?(): number;
}

/** The newest one of a chain. */
export interface WaitingCheckpoint extends AttestableCheckpoint {
  /** When the first record was made, or the first checkpoint signed, that waits. */
  readonly oldestAt: number;
}

/** The message says what to do. */
export class AttestationRefused extends Error {}

/** A third party that attests checkpoints. */
export interface Party extends AttestationSource {
  readonly name: string;
  /** A chain is attested at most once in this time; 0: each checkpoint. */
  readonly everyMs: number;
  /**
   * @returns the statement, verified: `content` of an Attestation
   * @throws as Destination
   */
  attest(checkpoint: UnattestedCheckpoint, signal: AbortSignal): Promise<string>;
}

/** What a party has attested is in the database, so a restart changes nothing. */
export function attestedBy(
  { kind, source, name, everyMs, attest }: Party,
  { store, clock }: { readonly store: Pick<Store, "attestations">; readonly clock: Clock },
): Destination<UnattestedCheckpoint> {
  /** A clock that was set back makes nothing wait for longer. */
  const isTime = ({ attestedAt }: UnattestedCheckpoint): boolean =>
    attestedAt === null || Math.abs(clock.now() - attestedAt) >= everyMs;
  return {
    kind,
    name,
    last: () => store.attestations.newestBy({ kind, source }),
    waiting: async () => (await store.attestations.unattested({ kind, source })).filter(isTime),
    async attest(checkpoint, signal) {
      const content = await attest(checkpoint, signal);
      await store.attestations.add(checkpoint, { kind, source, content, at: clock.now() });
    },
  };
}

/** For metrics, the overview and `memledger doctor`. */
export interface DestinationState extends Pick<Destination, "kind" | "name" | "last"> {
  /** Chains whose newest checkpoint it does not have. */
  readonly waiting: number;
  /** When the oldest of these checkpoints was signed, or the first record that waits was made, in milliseconds since 1970; null: none waits. */
  readonly oldestAt: number | null;
  /** Null: it gets no records. */
  readonly records: number | null;
  readonly attested: number;
  /** It could not be asked. */
  readonly failed: number;
  /** Why what waits was not sent or not accepted the last time, with what to do; null: nothing has failed. */
  readonly failure: string | null;
  readonly refused: number;
}
