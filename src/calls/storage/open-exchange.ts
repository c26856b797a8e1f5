// Owns what is stored of an exchange that has no record yet.

import type { Conversation, Subject } from "../../memory/owner.ts";

/** Plain data: it travels to the thread that writes. */
export interface OpenExchange {
  /** The id of the record. */
  readonly record: string;
  readonly key: string;
  readonly action: string;
  /** Of the call; null: it is for the project itself. The transaction gives its name this pseudonym if it has none. */
  readonly subject: Subject | null;
  /** As `subject`; null: it names none. */
  readonly conversation: Conversation | null;
  /** Members of the record as JSON text. */
  readonly payload: string;
  /** More members, as of PreparedMembers; null: none. */
  readonly kept: Uint8Array | null;
}
