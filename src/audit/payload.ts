// Owns the stored form of a payload: its text, salt, hash and compressed form. It does not depend on the chain, so it can be made before
// the transaction and in another thread. The text and the hash are part of format version 1, which is frozen.

import { randomBytes } from "node:crypto";
import type { JsonObject } from "../json/json.ts";
import { canonical, sha256 } from "./hash.ts";

/** The stored form of a payload. Plain data that can be sent to another thread. */
export interface SealedPayload {
  /** 16 bytes, so that equal payloads have different hashes. */
  readonly salt: Uint8Array;
  /** The `payload_hash` of the entry. */
  readonly hash: string;
  /** The payload's text as one zstd frame. */
  readonly compressed: Uint8Array;
}

/** For callers that need the text too. */
export interface PayloadWithText extends SealedPayload {
  /** The exact text that was hashed. */
  readonly text: string;
}

const saltBytes = 16;
/** Level 1: the texts are small, and other calls wait for the thread that compresses them. */
const compressionLevel = 1;

/** @throws Error for values that I-JSON cannot express. */
export function sealPayload(payload: JsonObject): PayloadWithText {
  const text = canonical(payload);
  const salt = randomBytes(saltBytes);
  return { text, salt, hash: payloadHash(salt, text), compressed: compressPayload(text) };
}

/** One zstd frame. */
export function compressPayload(text: string | Uint8Array<ArrayBuffer>): Uint8Array {
  return Bun.zstdCompressSync(text, { level: compressionLevel });
}

export function payloadHash(salt: Uint8Array, text: string): string {
  return sha256("memledger/payload/v1\0", salt, text);
}
