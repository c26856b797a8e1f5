// Owns how the payload of a record is sealed: its text, salt, hash and compressed form. Needs nothing of the chain, so that it can be
// done before the transaction and in another thread. The text and the hash are part of format version 1, which is frozen.

import { randomBytes } from "node:crypto";
import type { JsonObject } from "../json/json.ts";
import { canonical, sha256 } from "./hash.ts";

/** What the chain and the database keep of a payload. Plain data: it travels between threads. */
export interface SealedPayload {
  /** 16 bytes, so that equal payloads have different hashes. */
  readonly salt: Uint8Array;
  /** The `payload_hash` of the entry. */
  readonly hash: string;
  /** The payload's text as one zstd frame. */
  readonly compressed: Uint8Array;
}

/** As long as the caller needs the text itself. */
export interface PayloadWithText extends SealedPayload {
  /** The exact text that was hashed. */
  readonly text: string;
}

const saltBytes = 16;
/** Level 1: these texts are small, and others wait for the thread that compresses them. */
const compressionLevel = 1;

/** @throws Error for what I-JSON cannot express. */
export function sealPayload(payload: JsonObject): PayloadWithText {
  const text = canonical(payload);
  const salt = randomBytes(saltBytes);
  const compressed = Bun.zstdCompressSync(text, { level: compressionLevel });
  return { text, salt, hash: payloadHash(salt, text), compressed };
}

export function payloadHash(salt: Uint8Array, text: string): string {
  return sha256("memledger/payload/v1\0", salt, text);
}
