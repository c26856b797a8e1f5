// Owns the hash chain: the entry of a record and its hash, which covers the hash of the previous record. Pure; the formats are frozen.

import { canonical, sha256 } from "../platform/json/hash.ts";
import type { JsonObject } from "../platform/json/json.ts";
import { toTimestamp } from "../platform/time/timestamp.ts";
import type { RecordDraft } from "./record.ts";

/** Of the entries that are written. */
const entryVersion = 2;

export interface ChainHead {
  /** 32 hexadecimal characters. */
  readonly chain: string;
  readonly seq: number;
  /** Hash of the newest entry, or the genesis hash of an empty chain: 64 lower-case hexadecimal characters. */
  readonly hash: string;
  /** Time of the newest entry, milliseconds since 1970. Times along a chain never decrease. */
  readonly at: number;
}

export interface HashedRecord {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  /** The exact text that was hashed: RFC 8785 JSON without personal data. */
  readonly entry: string;
  /** What the text says. */
  readonly members: JsonObject;
  readonly hash: string;
}

interface Genesis {
  readonly chain: string;
  readonly project: string | null;
  readonly at: string;
  readonly nonce: string;
}

/** RFC 8785 text of the genesis, with which a chain begins. */
export function genesisText(genesis: Genesis): string {
  return canonical({ ...genesis });
}

/** The `prev` of the first entry of a chain. */
export function genesisHash(genesis: Genesis): string {
  return sha256("memledger/genesis/v1\0", genesisText(genesis));
}

/** Makes the next entry of a chain. `createId` makes the identifier for the time of the record. */
export function hashRecord(
  head: ChainHead,
  draft: RecordDraft,
  createId: (ms: number) => string,
): HashedRecord {
  const seq = head.seq + 1;
  const at = Math.max(draft.now, head.at);
  const id = draft.id ?? createId(at);
  const members: EntryMembers = {
    v: entryVersion,
    chain: head.chain,
    seq,
    id,
    at: toTimestamp(at),
    action: draft.action,
    status: draft.status,
    code: draft.code,
    key: draft.keyId,
    project: draft.project,
    memory: draft.memoryId,
    numbers: draft.numbers,
    parts: draft.payload.parts,
    payload_hash: draft.payload.hash,
    ...(draft.isPerformed === true ? { performed: true } : {}),
    prev: head.hash,
    ...(draft.subject === undefined || draft.subject === null ? {} : { subject: draft.subject }),
    ...(draft.conversation === undefined || draft.conversation === null
      ? {}
      : { conversation: draft.conversation }),
  };
  const entry = entryText(members);
  return { seq, id, at, entry, members, hash: entryHash(entry) };
}

interface EntryMembers extends JsonObject {
  readonly v: number;
  readonly chain: string;
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly status: number;
  readonly code: number | null;
  readonly key: string | null;
  readonly project: string | null;
  readonly memory: string | null;
  readonly numbers: JsonObject;
  /** How many the payload has. */
  readonly parts: number;
  readonly payload_hash: string;
  /**
   * This server has performed the operation itself. Only in records of actions that clients can append, too (verify/own-records.ts):
   * `audit.append` never sets it.
   */
  readonly performed?: true;
  readonly prev: string;
  readonly subject?: string;
  readonly conversation?: string;
}

/** The canonical form, five times faster: the order of the members is known, and names and identifiers need no escapes. */
function entryText(members: EntryMembers): string {
  const { action, at, chain, code, conversation, id, key, memory, numbers } = members;
  const { parts, payload_hash, performed, prev, project, seq, status, subject, v } = members;
  const before = JSON.stringify({ action, at, chain, code, conversation, id, key, memory });
  const after = JSON.stringify({ parts, payload_hash, performed, prev, project, seq, status, subject, v });
  return `${before.slice(0, -1)},"numbers":${canonical(numbers)},${after.slice(1)}`;
}

/** Of an entry of either version: the last member says which. */
export function entryHash(entry: string): string {
  return sha256(`memledger/entry/v${entry.endsWith('"v":2}') ? 2 : 1}\0`, entry);
}
