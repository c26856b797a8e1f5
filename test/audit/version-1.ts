// Seals records of version 1 of the record format, as releases with older formats of the database wrote them, for tests of what must still
// be read and verified. Must stay as it is: the format is frozen.

import { randomBytes } from "node:crypto";
import canonicalize from "canonicalize";
import { type ChainHead, entryHash, type HashedRecord } from "../../src/audit/chain.ts";
import { payloadHash } from "../../src/audit/parts/payload.ts";
import type { RecordDraft } from "../../src/audit/record.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { toTimestamp } from "../../src/platform/time/timestamp.ts";

export interface SealedPayload1 {
  readonly text: string;
  readonly salt: Uint8Array;
  readonly hash: string;
  readonly compressed: Uint8Array;
}

export function sealPayload1(payload: JsonObject, salt: Uint8Array = randomBytes(16)): SealedPayload1 {
  const text = canonicalize(payload) ?? "";
  return { text, salt, hash: payloadHash(salt, text), compressed: Bun.zstdCompressSync(text, { level: 1 }) };
}

export function sealRecord1(
  head: ChainHead,
  draft: Omit<RecordDraft, "payload"> & { readonly payload: SealedPayload1 },
  createId: (ms: number) => string,
): HashedRecord {
  const { action, status, code, project, numbers } = draft;
  const [seq, at] = [head.seq + 1, Math.max(draft.now, head.at)];
  const id = draft.id ?? createId(at);
  const position = { v: 1, chain: head.chain, seq, id, at: toTimestamp(at), action, status, code };
  const owners = { key: draft.keyId, project, memory: draft.memoryId };
  const performed = draft.isPerformed === true ? { performed: true } : {};
  const sealed = { numbers, payload_hash: draft.payload.hash, prev: head.hash };
  const members = { ...position, ...owners, ...performed, ...sealed };
  const entry = canonicalize(members) ?? "";
  return { seq, id, at, entry, members, hash: entryHash(entry) };
}
