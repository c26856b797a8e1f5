// Owns what is stored of an exchange that has no record yet.

/** Plain data: it travels to the thread that writes. */
export interface OpenExchange {
  /** The id of the record. */
  readonly record: string;
  readonly key: string;
  readonly action: string;
  /** Pseudonym of the subject; null: none. */
  readonly subject: string | null;
  /** Members of the record as JSON text. */
  readonly payload: string;
  /** More members, as of KeptMembers; null: none. */
  readonly kept: Uint8Array | null;
}
