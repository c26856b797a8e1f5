// Owns the parts of an audit record: the entry with numbers and identifiers, and the payload with everything that may be personal data.

import { successCode } from "../platform/errors.ts";
import type { JsonObject } from "../platform/json/json.ts";
import type { EncodedPayload } from "./parts/parts.ts";
import { encodePayload } from "./parts/payload.ts";

/** A record before it has a position, an identifier and a time. */
export interface RecordDraft {
  /** Id of the project whose chain it belongs to; null: the installation's chain. */
  readonly project: string | null;
  readonly now: number;
  readonly action: string;
  readonly status: number;
  /** 1000 on success, else the error code; null if an appended record has none. */
  readonly code: number | null;
  readonly keyId: string | null;
  readonly memoryId: string | null;
  /** Pseudonym of the subject of the call; absent or null: it was for the project itself. */
  readonly subject?: string | null;
  /** Pseudonym of the conversation of the call; absent or null: none. */
  readonly conversation?: string | null;
  /** Pseudonym of the person whom the payload names, which the entry does not have; absent or null: it names none. */
  readonly person?: string | null;
  readonly numbers: JsonObject;
  readonly payload: EncodedPayload;
  /** The identifier, if it was made before the record; absent: it is made with the record. */
  readonly id?: string | undefined;
  /** As of the entry (chain.ts). */
  readonly isPerformed?: boolean;
}

/** The part of a record that belongs to the hash chain. */
export interface ChainEntry {
  readonly seq: number;
  /** The exact text that was hashed. */
  readonly entry: string;
  /** What the text says. Absent: it was read, and not parsed. */
  readonly members?: JsonObject;
  readonly hash: string;
}

/** A record as it is stored. */
export interface StoredRecord extends ChainEntry {
  /** 16 bytes, of version 2 for each part (`StoredParts`); null when the payload was erased. */
  readonly salt: Uint8Array | null;
  /** The JSON text of the payload object (`readPayload`); null when it was erased or cannot be read. */
  readonly payload: string | null;
  /** JSON pointers of the places in the payload whose parts were erased. */
  readonly erased: readonly string[];
  /** Why there is no payload: audit.redact has erased it, or payload retention has removed it; null: it was not removed. */
  readonly removal: "redacted" | "expired" | null;
}

/** A record with everything that a file needs to prove it. */
export interface ProvableRecord extends StoredRecord {
  /** What is stored of the payload: of version 1 its text, of version 2 a line for each part. Null as `payload`. */
  readonly content: Uint8Array | null;
  /** Of an export of some records: the inclusion path to the root of its checkpoint, in base64. */
  readonly proof?: readonly string[];
}

/** A record that a caller appends about its own operation. */
export interface AppendedRecord {
  readonly action: string;
  readonly status: number;
  /** 1000 on success, else the caller's error code, or null. */
  readonly code: number | null;
  readonly numbers: JsonObject;
  readonly payload: JsonObject;
}

/** A record of what the server has done to a chain, such as audit.prune: by itself, or for the sender whom the payload names. */
export function toServerRecord(
  project: RecordDraft["project"],
  action: string,
  now: number,
  payload: JsonObject,
): RecordDraft {
  const numbers = { duration: null, credits_consumed: 0, balance_consumed_usd: 0, is_cache_hit: false };
  const success = { status: 200, code: successCode, keyId: null, memoryId: null };
  return { project, now, action, ...success, numbers, payload: encodePayload(payload) };
}
