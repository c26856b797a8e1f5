// Owns the interface to what third parties have stated about checkpoints: cosignatures of witnesses, and time stamps of authorities.

export interface Attestation {
  readonly kind: "cosignature" | "timestamp";
  /** Verifier key of the witness, or the name of the authority. */
  readonly source: string;
  /** The signature line without its end, or the Base64 of the DER TimeStampToken. */
  readonly content: string;
  /** When the server has stored it, in milliseconds since 1970. It proves nothing. */
  readonly at: number;
}

/** Whose statement is asked for. */
export type AttestationSource = Pick<Attestation, "kind" | "source">;

/** A checkpoint of version 2. */
export interface AttestableCheckpoint {
  readonly chain: string;
  /** Id; null: the chain of the installation. */
  readonly project: string | null;
  /** Number of records that it covers. */
  readonly size: number;
  /** When it was signed, in milliseconds since 1970. */
  readonly at: number;
  /** The signed note, without cosignatures. */
  readonly note: string;
}

export interface UnattestedCheckpoint extends AttestableCheckpoint {
  /** The note of the largest checkpoint of the chain that has a statement of the source; null: none has. */
  readonly attested: string | null;
  /** When that was stored; null: none has. */
  readonly attestedAt: number | null;
  /** When the first checkpoint after that one was signed. */
  readonly oldestAt: number;
}

/** The statement that a source has made last about any chain. */
export interface NewestAttestation extends Pick<AttestableCheckpoint, "project" | "size"> {
  /** When the server has stored it, in milliseconds since 1970. */
  readonly at: number;
}

export interface AttestationStore {
  /** Null: the source has made none. */
  newestBy(source: AttestationSource): Promise<NewestAttestation | null>;
  /** The newest checkpoint of each chain, if it has no statement of this source. */
  unattested(source: AttestationSource): Promise<readonly UnattestedCheckpoint[]>;
  /** The statements about one checkpoint, the oldest first. */
  of(checkpoint: Pick<AttestableCheckpoint, "chain" | "size">): Promise<readonly Attestation[]>;
  /** A checkpoint whose text has this SHA-256 (hexadecimal), which a time stamp states; null: there is none. Reads all checkpoints. */
  stampedAs(hash: string): Promise<AttestableCheckpoint | null>;
  /**
   * Stores a statement, which the caller has verified, in place of one of the same source.
   * @returns false when the chain has another checkpoint of this size by now, or none
   */
  add(checkpoint: AttestableCheckpoint, attestation: Attestation): Promise<boolean>;
}
